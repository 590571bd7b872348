import { type Instant, instant } from '../zones/instant.ts';
import type { Grid, GridInterval } from './grid.ts';

/**
 * The last interval whose data interval has ended at `now`, as the scheduler lets its run begin. Where `data` is
 * zero-width that is at its own tick, not at the next one.
 */
export function lastFinished(grid: Grid, now: Instant): GridInterval | undefined {
  const tick = grid.floor(now);
  if (tick === undefined) return undefined;
  // Behind an end date the last tick only ends the last interval.
  let interval = grid.containing(tick) ?? grid.containing(instant(tick - 1));
  while (interval !== undefined && interval.data.end > now) interval = grid.containing(instant(interval.start - 1));
  return interval;
}
