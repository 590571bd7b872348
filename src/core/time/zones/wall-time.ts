declare const wallTimeBrand: unique symbol;

/**
 * What a clock on the wall shows, without a zone: milliseconds since 1970-01-01T00:00:00 read as though that
 * wall were in UTC. The brand keeps it from being used as an {@link Instant}.
 */
export type WallTime = number & { readonly [wallTimeBrand]: true };

/** Marks naive milliseconds as a wall-clock reading. */
export const wallTime = (naiveMs: number): WallTime => naiveMs as WallTime;
