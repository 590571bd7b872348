/** A preview or a proof holds locks on the rows that it rewrites, so it must end by itself. In milliseconds. */
export const previewTimeBoxMs = 600_000;
