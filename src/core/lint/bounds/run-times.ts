import type { Pipeline } from '../../pipeline/model/model.ts';
import { oncePer } from '../../pipeline/workspace/memo.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { Grid } from '../../time/intervals/grid.ts';
import { makeGrid } from '../../time/intervals/make-grid.ts';
import { dayMs } from '../../time/zones/civil.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';

const from = instant(Date.UTC(2025, 0, 1));
const to = instant(from + 365 * dayMs);

/** A year of the pipeline's intervals, from tick to tick, thinned; empty where the file says no schedule. */
export function yearOfRuns(pipeline: Pipeline): readonly DataInterval[] {
  const grid = gridOfYear(pipeline);
  return grid === undefined ? [] : runsOfYear(grid).runs;
}

/** Once for all pipelines of one schedule. */
const runsOfYear = oncePer((grid: Grid): { readonly runs: readonly DataInterval[]; readonly shortestMs: number } => {
  const all = grid.overlapping(from, to);
  const every = Math.max(1, Math.floor(all.length / 200));
  const runs = all.filter((_, at) => at % every === 0).map((one) => ({ start: one.start, end: one.next }));
  return { runs, shortestMs: Math.min(...runs.map(({ start, end }) => end - start)) };
});

const anyDays: readonly DataInterval[] = Array.from({ length: 120 }, (_, day) => ({
  start: instant(from + 3 * day * dayMs),
  end: instant(from + (3 * day + 1) * dayMs),
}));

/** The same; days of UTC where the file says no schedule. */
export function sampleIntervals(pipeline: Pipeline): readonly DataInterval[] {
  const runs = yearOfRuns(pipeline);
  return runs.length > 0 ? runs : anyDays;
}

/** The shortest time between two runs, in ms; `undefined` where the file says no schedule. */
export function shortestPeriodMs(pipeline: Pipeline): number | undefined {
  const grid = gridOfYear(pipeline);
  const { runs, shortestMs } = grid === undefined ? { runs: [], shortestMs: 0 } : runsOfYear(grid);
  return runs.length === 0 ? undefined : shortestMs;
}

/** Whether the schedule has a run of this logical date; `undefined` where the files do not say it. */
export function hasRunOf(pipeline: Pipeline, logicalDate: Instant): boolean | undefined {
  const grid = placedGrid(pipeline);
  return grid && grid.containing(logicalDate)?.start === logicalDate;
}

/** The last logical date at or before an instant; `undefined` where the files do not say it. */
export const lastRunAtOrBefore = (pipeline: Pipeline, at: Instant): Instant | undefined =>
  placedGrid(pipeline)?.floor(at);

/** A cron says by itself when it ticks; a timedelta is counted from the start date. */
const placedGrid = (pipeline: Pipeline): Grid | undefined =>
  pipeline.schedule.value.kind === 'cron' || pipeline.anchor.startDate !== undefined ? gridOfYear(pipeline) : undefined;

/** The grid over the sampled year, as though the pipeline had begun before it. */
const gridOfYear = oncePer((pipeline: Pipeline): Grid | undefined => {
  const { schedule, anchor } = pipeline;
  return makeGrid(schedule.value, { ...anchor, startDate: beforeTheYear(pipeline), endDate: undefined }).grid;
});

function beforeTheYear({ schedule: { value }, anchor: { startDate } }: Pipeline): Instant {
  const early = instant(from - 365 * dayMs);
  if (value.kind !== 'delta' || startDate === undefined || value.step.months !== 0) return early;
  const stepMs = value.step.days * dayMs + value.step.ms;
  return stepMs > 0 ? instant(startDate - Math.ceil((startDate - early) / stepMs) * stepMs) : early;
}
