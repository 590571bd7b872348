/** Where a Spark is, for the eye. */
export const sparkAddress = (url: string): string => `spark ${url.replace(/\/?;.*$/, '')}`;

/** Where a lake and its ledger are, for the eye. */
export const sparkTarget = (url: string, ledger: string): string => `${sparkAddress(url)}, ledger ${ledger}`;
