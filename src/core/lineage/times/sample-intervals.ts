import type { Pipeline } from '../../pipeline/model/model.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { Grid } from '../../time/intervals/grid.ts';
import { makeGrid } from '../../time/intervals/make-grid.ts';
import type { ScheduleAnchor } from '../../time/schedules/schedule.ts';
import { dayMs } from '../../time/zones/civil.ts';
import { instant } from '../../time/zones/instant.ts';

/** Hours, days and weeks of summer and of winter, at all times of the day: for what has no schedule of its own. */
export const anyIntervals: readonly DataInterval[] = [0, 6].flatMap((month) =>
  [dayMs / 24, dayMs, 7 * dayMs].flatMap((length) =>
    Array.from({ length: 8 }, (_, step) => {
      const start = Date.UTC(2026, month, 14 + step, 3 * step);
      return { start: instant(start), end: instant(start + length) };
    }),
  ),
);

const halfYearMs = 183 * dayMs;
const spanMs = 8 * dayMs;
const mostOfSpan = 24;
/** By grid: of one schedule and one start date. */
const known = new WeakMap<Grid, readonly DataInterval[]>();

/** Some data intervals of a pipeline, of summer and of winter; any where its schedule gives none. */
export function sampleIntervals({ schedule, anchor }: Pipeline): readonly DataInterval[] {
  const { grid } = makeGrid(schedule.value, anchor);
  if (grid === undefined) return anyIntervals;
  const found = known.get(grid) ?? sampled(grid, anchor);
  known.set(grid, found);
  return found;
}

function sampled(grid: Grid, anchor: ScheduleAnchor): readonly DataInterval[] {
  const first = anchor.startDate ?? Date.UTC(2026, 0, 14);
  const found = [0, halfYearMs].flatMap((later) => {
    const from = first + later;
    const all = grid.overlapping(instant(from), instant(from + spanMs));
    const step = Math.ceil(all.length / mostOfSpan);
    return all.filter((_, index) => index % step === 0).map(({ data }) => data);
  });
  return found.length === 0 ? anyIntervals : found;
}
