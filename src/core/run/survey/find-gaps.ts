import type { UnitId } from '../../plan/model/plan.ts';

/** An interval, and how many rows its slices hold. */
export interface CountedInterval {
  readonly unit: UnitId;
  readonly rows: number;
}

/**
 * An interval that stands out: without a row between intervals that have some or after them, or with far fewer or more than
 * those around it.
 */
export interface Gap extends CountedInterval {
  readonly kind: 'missing' | 'odd';
  /** What intervals around it hold; `undefined`: none of them holds any. */
  readonly usual: number | undefined;
}

/** Intervals on each side that are compared with, and how many times more or fewer rows are far from theirs. */
const neighbours = 7;
const far = 3;
/**
 * Among intervals that hardly differ, half as many more or fewer are far already, as a day that was loaded twice: so many times
 * what half of them differ by, and so many of them that this is no chance.
 */
const farAmongSteady = 1.5;
const timesSpread = 10;
const fewestSteady = 6;
/** Where both are fewer rows than this, a difference says nothing. */
const fewest = 20;

/** One that is far from those around it, or beside too few to say, where too few others are there that it should be like. */
export interface OpenInterval extends CountedInterval {
  readonly kind: 'open';
  readonly usual: number | undefined;
}

/**
 * Gaps of intervals in a row, oldest first. What comes before the first row is no gap, nor is an empty table. `season`: how
 * many intervals lie between those that are alike, such as 7 days; an interval that is like these is not odd, nor is one of which
 * too few are there to tell.
 */
export const findGaps = (intervals: readonly CountedInterval[], season: number | undefined): readonly Gap[] =>
  standingOut(intervals, season).flatMap((found) => (found.kind === 'open' ? [] : found));

/** Intervals with rows of which too few others are there to tell whether they are odd, oldest first. */
export const findOpen = (intervals: readonly CountedInterval[], season: number | undefined): readonly OpenInterval[] =>
  standingOut(intervals, season).flatMap((found) => (found.kind === 'open' ? found : []));

function standingOut(
  intervals: readonly CountedInterval[],
  season: number | undefined,
): readonly (Gap | OpenInterval)[] {
  const first = intervals.findIndex(({ rows }) => rows > 0);
  if (first < 0) return [];
  return intervals.flatMap((interval, at): readonly (Gap | OpenInterval)[] => {
    if (at < first) return [];
    const near = rowsAt(intervals, range(at - neighbours, at + neighbours), at);
    const around = median(near);
    if (interval.rows === 0) return [{ ...interval, kind: 'missing', usual: around }];
    const open = { ...interval, kind: 'open', usual: around } as const;
    if (around === undefined) return [open];
    if (!isFar(interval.rows, around, near)) return [];
    if (season === undefined) return [{ ...interval, kind: 'odd', usual: around }];
    const positions = [-3, -2, -1, 1, 2, 3].map((step) => at + step * season);
    const others = rowsAt(intervals, positions, at);
    const alike = median(others);
    if (alike === undefined) return [open];
    // A few that are alike by chance tell less than all those around it.
    return isFar(interval.rows, alike, others.length < fewestSteady ? near : others)
      ? [{ ...interval, kind: 'odd', usual: around }]
      : [];
  });
}

const isTimes = (rows: number, usual: number, times: number): boolean => rows * times < usual || rows > usual * times;

function isFar(rows: number, usual: number, others: readonly number[]): boolean {
  if (Math.max(rows, usual) < fewest) return false;
  if (isTimes(rows, usual, far)) return true;
  if (others.length < fewestSteady || !isTimes(rows, usual, farAmongSteady)) return false;
  const spread = median(others.map((other) => Math.abs(other - usual))) ?? 0;
  return Math.abs(rows - usual) > timesSpread * spread;
}

/** Rows of those that have some. */
const rowsAt = (intervals: readonly CountedInterval[], positions: readonly number[], except: number): number[] =>
  positions.flatMap((at) => (at === except ? [] : (intervals[at]?.rows ?? 0) || []));

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length < 3 ? undefined : sorted[Math.floor(sorted.length / 2)];
}
