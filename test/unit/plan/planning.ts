import type { ReadWindow, SliceFact, WriteFact, WriteMode } from '../../../src/core/lineage/facts/facts.ts';
import type { Plan } from '../../../src/core/plan/model/plan.ts';
import type { PlannableTask, PlanRequest, Selection } from '../../../src/core/plan/model/plan-request.ts';
import type { TimeExpression, TimeStep } from '../../../src/core/time/expressions/time-expression.ts';
import type { Grid, GridInterval } from '../../../src/core/time/intervals/grid.ts';
import type { CalendarOffset } from '../../../src/core/time/zones/calendar.ts';
import { type Instant, instant } from '../../../src/core/time/zones/instant.ts';
import { wallTime } from '../../../src/core/time/zones/wall-time.ts';
import { fromWall } from '../../../src/core/time/zones/zone.ts';

export const at = (iso: string): Instant => instant(Date.parse(iso.length === 10 ? `${iso}T00:00:00Z` : iso));

/** A grid of listed ticks: the last one only ends the last interval. */
export function gridOf(ticks: readonly Instant[], zeroWidth = false): Grid {
  const sorted = [...new Set(ticks)].sort((a, b) => a - b);
  const intervals: GridInterval[] = [];
  for (const [index, start] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next !== undefined) intervals.push({ start, next, data: { start, end: zeroWidth ? start : next } });
  }
  return gridOfIntervals(intervals);
}

/** A grid of listed intervals, oldest first. */
export function gridOfIntervals(intervals: readonly GridInterval[]): Grid {
  const from = (test: (interval: GridInterval) => boolean): number => {
    let low = 0;
    let high = intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (test(intervals[middle] as GridInterval)) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return {
    overhangMs: Math.max(0, ...intervals.map(({ data, next }) => data.end - next)),
    overlapping: (a, b) =>
      intervals.slice(
        from(({ next }) => next > a),
        from(({ start }) => start >= b),
      ),
    startingWithin: (a, b) =>
      intervals.slice(
        from(({ start }) => start >= a),
        from(({ start }) => start > b),
      ),
    floor: (t) =>
      [...intervals.map(({ start }) => start), ...intervals.slice(-1).map(({ next }) => next)].findLast(
        (tick) => tick <= t,
      ),
    containing: (t) => intervals.find(({ start, next }) => start <= t && t < next),
  };
}

export type Cadence = 'hour' | 'day' | 'week' | 'month';

/** Ticks at local midnights (or every elapsed hour) from a local date to another, both included where they are ticks. */
export function cadence(unit: Cadence, zone: string, from: string, to: string, zeroWidth = false): Grid {
  const first = Date.parse(`${from}T00:00:00Z`);
  const last = Date.parse(`${to}T00:00:00Z`);
  const ticks: Instant[] = [];
  if (unit === 'hour') {
    const end = fromWall(zone, wallTime(last));
    for (let t = fromWall(zone, wallTime(first)) as number; t <= end; t += 3_600_000) ticks.push(instant(t));
    return gridOf(ticks, zeroWidth);
  }
  for (let day = first; day <= last; day += 86_400_000) {
    const date = new Date(day);
    const tick = unit === 'day' || (unit === 'week' ? date.getUTCDay() === 1 : date.getUTCDate() === 1);
    if (tick) ticks.push(fromWall(zone, wallTime(day)));
  }
  return gridOf(ticks, zeroWidth);
}

export const offset = (parts: Partial<CalendarOffset>): CalendarOffset => ({ months: 0, days: 0, ms: 0, ...parts });
export const days = (count: number, zone = 'UTC'): TimeStep => ({
  kind: 'shift',
  offset: offset({ days: count }),
  zone,
});
export const floor = (unit: Extract<TimeStep, { kind: 'floor' }>['unit'], zone = 'UTC'): TimeStep => ({
  kind: 'floor',
  unit,
  zone,
});
export const start = (...steps: TimeStep[]): TimeExpression => ({ anchor: 'start', steps });
export const end = (...steps: TimeStep[]): TimeExpression => ({ anchor: 'end', steps });

export const window = (lo: TimeExpression | undefined, hi: TimeExpression | undefined): ReadWindow => ({
  kind: 'range',
  column: 'ts',
  lo: lo === undefined ? [] : [lo],
  hi: hi === undefined ? [] : [hi],
});
export const own = window(start(), end());
export const unbounded: ReadWindow = { kind: 'unbounded' };
export const unknown: ReadWindow = { kind: 'unknown', reason: 'now()', at: undefined };

export const write = (table: string, slice?: SliceFact, mode: WriteMode = 'delete+insert'): WriteFact => ({
  table,
  slice: slice ?? { kind: 'range', column: 'ts', lo: start(), hi: end(), predicate: undefined },
  mode,
  key: [],
  provenance: 'sql',
  at: undefined,
});

/** A task that writes a table of its own name and reads the tables of others. */
export function task(
  id: string,
  grid: Grid | undefined,
  reads: Readonly<Record<string, ReadWindow>> = {},
  more: Partial<PlannableTask> = {},
): PlannableTask {
  return {
    id,
    zone: 'UTC',
    grid,
    noGrid: grid === undefined ? 'it has no schedule' : undefined,
    zeroWidth: false,
    reads: Object.entries(reads).map(([parent, readWindow]) => ({ parent, table: parent, window: readWindow })),
    after: [],
    writes: [write(id)],
    executor: { kind: 'warehouse', connection: 'dw' },
    codeHash: `hash of ${id}`,
    ...more,
  };
}

export const range = (from: string, to: string): Selection => ({ kind: 'data-range', from: at(from), to: at(to) });

export const request = (
  tasks: readonly string[],
  selection: Selection,
  more: Partial<PlanRequest> = {},
): PlanRequest => ({
  tasks,
  selection,
  downstream: true,
  without: [],
  expandUnbounded: false,
  allowAppend: false,
  now: at('2024-12-31'),
  ...more,
});

/** `orders 03-04` for each unit, in plan order; with hours where a unit does not start at midnight UTC. */
export const listed = (plan: Plan): readonly string[] =>
  plan.units.map((unit) => `${unit.task} ${shortStart(unit.start)}`);

export const startsOf = (plan: Plan, id: string): readonly string[] =>
  (plan.byTask.get(id) ?? []).map((position) => shortStart(plan.units[position]?.start ?? instant(0)));

const shortStart = (time: Instant): string => {
  const iso = new Date(time).toISOString();
  return iso.slice(5, iso.endsWith('T00:00:00.000Z') ? 10 : 16);
};

export const codes = (plan: Plan): readonly string[] => plan.findings.map(({ code }) => code);
