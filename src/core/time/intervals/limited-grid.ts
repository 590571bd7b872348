import { type Instant, instant } from '../zones/instant.ts';
import type { Grid, GridInterval } from './grid.ts';

/** The intervals of a grid with a logical date from `first` to `last`, both included: those in which a task has runs. */
export function limitedGrid(grid: Grid, first: Instant | undefined, last: Instant | undefined): Grid {
  const from = first ?? Number.NEGATIVE_INFINITY;
  const until = last ?? Number.POSITIVE_INFINITY;
  const isIn = ({ start }: GridInterval): boolean => from <= start && start <= until;
  /** The last interval that starts at or before `at` and is one of these, but for those before the first. */
  const lastBy = (at: Instant): GridInterval | undefined => {
    const tick = grid.floor(instant(Math.min(at, until)));
    // Behind its end date the last tick of a grid only ends its last interval.
    return tick === undefined ? undefined : (grid.containing(tick) ?? grid.containing(instant(tick - 1)));
  };
  return {
    overhangMs: grid.overhangMs,
    overlapping: (a, b) => grid.overlapping(a, b).filter(isIn),
    startingWithin: (a, b) => grid.startingWithin(a, b).filter(isIn),
    floor(at) {
      const interval = lastBy(at);
      if (interval === undefined || !isIn(interval)) return undefined;
      return interval.next <= at ? interval.next : interval.start;
    },
    containing(at) {
      const interval = grid.containing(at);
      return interval !== undefined && isIn(interval) ? interval : undefined;
    },
  };
}
