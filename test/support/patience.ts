/**
 * Long enough for a machine that is busy with other things; whatever waits, waits for a condition and never for a time,
 * so that this is met only where the condition never comes. In milliseconds.
 */
export const patienceMs = 600_000;
