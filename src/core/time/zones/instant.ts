declare const instantBrand: unique symbol;

/**
 * A point in time: milliseconds since 1970-01-01T00:00:00Z, UTC. `-Infinity` and `Infinity` are the open ends
 * of a range. Never a wall-clock reading; see {@link WallTime} for those.
 */
export type Instant = number & { readonly [instantBrand]: true };

/** Marks milliseconds since the epoch as an instant. */
export const instant = (epochMs: number): Instant => epochMs as Instant;

/** Before every instant: the open start of a range. */
export const beginningOfTime = instant(Number.NEGATIVE_INFINITY);

/** After every instant: the open end of a range. */
export const endOfTime = instant(Number.POSITIVE_INFINITY);

/** Whether a calendar has a date for it: neither an open end nor beyond the year ±275,760, where dates end. */
export const hasDate = (epochMs: number): boolean => Math.abs(epochMs) <= 8.64e15;
