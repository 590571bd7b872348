import { sqlContext } from '../../lineage/times/sql-context.ts';
import { timeBound } from '../../lineage/times/time-bound.ts';
import type { Pipeline } from '../../pipeline/model/model.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
import { evaluateTime } from '../../time/expressions/evaluate-time.ts';
import type { TimeExpression } from '../../time/expressions/time-expression.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { CalendarUnit } from '../../time/zones/calendar.ts';
import { floorTo } from '../../time/zones/floor.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import type { StatementView } from '../source/statement-view.ts';
import type { Comparison, Edge } from './comparison.ts';
import { sampleIntervals } from './run-times.ts';

/** A bound as a function of the interval. */
export interface RangeEdge {
  readonly time: TimeExpression;
  readonly inclusive: boolean;
  /** What one value of the bound stands for: a day for a date; `undefined`: an instant. */
  readonly unit: CalendarUnit | undefined;
  /** False where the zone of the session decides which day is meant. */
  readonly certain: boolean;
}

/** A range of a column as a function of the interval; a missing side is open. */
export interface SliceRange {
  readonly lows: readonly RangeEdge[];
  readonly highs: readonly RangeEdge[];
  /** The values are floored to this unit, so only its multiples count. */
  readonly unit: CalendarUnit | undefined;
}

/** The range that comparisons of one column make together; `undefined` when a bound is no function of the interval. */
export function rangeOf(
  view: StatementView,
  cuts: readonly Comparison[],
  unit: CalendarUnit | undefined,
): SliceRange | undefined {
  const lows: RangeEdge[] = [];
  const highs: RangeEdge[] = [];
  for (const cut of cuts) {
    for (const [edge, list] of [
      [cut.low, lows],
      [cut.high, highs],
    ] as const) {
      if (edge === undefined) continue;
      const read = readEdge(view, edge, cut.unit);
      if (read === undefined) return undefined;
      list.push(read);
    }
  }
  return { lows, highs, unit };
}

/** The range of a column that has one value for the whole interval. */
export function constantRange(view: StatementView, value: SqlExpression): SliceRange | undefined {
  const edge = readEdge(view, { value, inclusive: true }, undefined);
  return edge && { lows: [edge], highs: [edge], unit: undefined };
}

function readEdge(view: StatementView, edge: Edge, unit: CalendarUnit | undefined): RangeEdge | undefined {
  const bound = timeBound(edge.value, sqlContext(view.sql, view.pipeline.zone));
  const [first, ...others] = bound.kind === 'time' ? bound.readings : [];
  if (bound.kind !== 'time' || first === undefined) return undefined;
  // What one value of a date column stands for is a day, also when it is the first of a month.
  const label = bound.unit === undefined || clockUnits.has(bound.unit) ? bound.unit : 'day';
  return { time: first.time, inclusive: edge.inclusive, unit: unit ?? label, certain: others.length === 0 };
}

const clockUnits: ReadonlySet<CalendarUnit> = new Set(['second', 'minute', 'hour']);

/** Instants in ms since the epoch; an open side is infinite. */
export interface Bounds {
  readonly from: number;
  readonly to: number;
}

/**
 * Whether two ranges are the same for every interval of the pipeline, tried over a year of it; open or closed ends are
 * set aside. `narrower`: the first leaves out some of the second at least once.
 */
export function compareRanges(
  pipeline: Pipeline,
  first: SliceRange,
  second: SliceRange,
): 'same' | 'narrower' | 'wider' {
  // A DELETE and its INSERT mostly say the very same: nothing to try.
  if (JSON.stringify(first) === JSON.stringify(second)) return 'same';
  let wider = false;
  const edges = [first, second].flatMap((range) => [...range.lows, ...range.highs]);
  const unit = first.unit ?? second.unit;
  // The same labels, of the unit that one side floors to: the same rows, on whatever clock the units begin.
  if (sameEdges(first, second) && edges.every((edge) => edge.unit === unit)) return 'same';
  const ownClock = pipeline.zone !== 'UTC' || edges.some(({ time }) => time.steps.some(({ zone }) => zone !== 'UTC'));
  const isLocal = ownClock && new Set(edges.map((edge) => edge.unit)).size > 1;
  const slackMs = isLocal || edges.some((edge) => !edge.certain) ? 26 * 3_600_000 : 0;
  for (const interval of sampleIntervals(pipeline)) {
    const a = boundsAt(first, interval, unit);
    const b = boundsAt(second, interval, unit);
    if (a.from > b.from + slackMs || a.to < b.to - slackMs) return 'narrower';
    if (a.from < b.from - slackMs || a.to > b.to + slackMs) wider = true;
  }
  return wider ? 'wider' : 'same';
}

const sameEdges = (first: SliceRange, second: SliceRange): boolean =>
  JSON.stringify([first.lows, first.highs]) === JSON.stringify([second.lows, second.highs]);

/** The range holds one point in time only, e.g. `at = '{{ ts }}'`. */
export const isPoint = (range: SliceRange): boolean =>
  range.unit === undefined &&
  range.lows.length > 0 &&
  range.lows.every((low) => low.unit === undefined && range.highs.some((high) => sameTime(high.time, low.time)));

const sameTime = (a: TimeExpression, b: TimeExpression): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What a range is for one interval: `[from, to)`, or its first and last multiple of a unit. */
export function boundsAt(range: SliceRange, interval: DataInterval, unit: CalendarUnit | undefined): Bounds {
  let from = Number.NEGATIVE_INFINITY;
  let to = Number.POSITIVE_INFINITY;
  for (const low of range.lows) {
    const at = evaluateTime(low.time, interval, 'lower');
    from = Math.max(from, low.inclusive ? at : afterUnit(at, low.unit));
  }
  for (const high of range.highs) {
    const at = evaluateTime(high.time, interval, 'upper');
    to = Math.min(to, high.inclusive ? afterUnit(at, high.unit) : at);
  }
  if (unit === undefined) return { from, to };
  return range.unit === undefined
    ? multiplesWithin(from, to, unit)
    : { from: floored(from, unit), to: floored(to - 1, unit) };
}

/** The first and the last multiple of the unit in `[from, to)`. */
const multiplesWithin = (from: number, to: number, unit: CalendarUnit): Bounds => ({
  from: floored(from, unit) === from ? from : afterUnit(instant(floored(from, unit)), unit),
  to: floored(to - 1, unit),
});

const floored = (at: number, unit: CalendarUnit): number => floorTo(instant(at), unit, 'UTC');

/** The start of the unit after the one that holds `at`; a closed end of an instant is left as it is. */
function afterUnit(at: Instant, unit: CalendarUnit | undefined): number {
  if (unit === undefined || !Number.isFinite(at)) return at;
  const step = { second: 0, minute: 0, hour: 0, day: 1, week: 7, month: 31, quarter: 92, year: 366 }[unit];
  const ms = { second: 1000, minute: 60_000, hour: 3_600_000, day: 0, week: 0, month: 0, quarter: 0, year: 0 }[unit];
  return floored(floored(at, unit) + step * 86_400_000 + ms, unit);
}

/**
 * Whether the closed end of a range is where the range of the next interval begins, so that both hold its rows: the
 * end is the interval's own, or the start of the same range one interval later.
 */
export function meetsNextInterval(
  pipeline: Pipeline,
  view: StatementView,
  cuts: readonly Comparison[],
  writesOneSlice: boolean,
): boolean {
  const range = rangeOf(view, cuts, undefined);
  if (range === undefined) return false;
  const intervals = sampleIntervals(pipeline);
  return (
    intervals.length > 0 &&
    intervals.every((interval) => {
      const next = { start: interval.end, end: instant(2 * interval.end - interval.start) };
      const isDayOrMore = interval.end - interval.start >= 23 * 3_600_000;
      return range.highs.some((high) => {
        if (!high.inclusive) return false;
        const at = evaluateTime(high.time, interval, 'upper');
        const reachesBack =
          range.lows.length > 0 &&
          range.lows.every((low) => evaluateTime(low.time, interval, 'lower') < interval.start);
        // Whole days on both sides of the interval overlap as they are meant to.
        if (high.unit === 'day' && writesOneSlice && reachesBack) return false;
        if (high.unit === 'day' && isDayOrMore && at === floored(interval.end, 'day')) return true;
        if (high.unit === undefined && at === interval.end) return true;
        // Whole days that reach back, of which each run makes the one slice that it names.
        if (high.unit === 'day' && writesOneSlice) return false;
        return range.lows.length > 0 && range.lows.every((low) => evaluateTime(low.time, next, 'lower') === at);
      });
    })
  );
}
