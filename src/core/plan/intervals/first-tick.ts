import type { Grid } from '../../time/intervals/grid.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';

const longAgo = instant(Date.UTC(1, 0, 1));

/**
 * The first tick of a grid at or before `horizon`; `undefined` when the grid has no beginning.
 * Ticks from a start date on, so "has a tick at or before t" turns from false to true once.
 */
export function firstTick(grid: Grid, horizon: Instant): Instant | undefined {
  if (grid.floor(longAgo) !== undefined) return undefined;
  let low = longAgo as number;
  let high = horizon as number;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (grid.floor(instant(middle)) === undefined) low = middle;
    else high = middle;
  }
  return instant(high);
}
