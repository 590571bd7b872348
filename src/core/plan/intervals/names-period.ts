import type { GridInterval } from '../../time/intervals/grid.ts';
import type { InstantRange } from '../../time/intervals/interval-set.ts';
import { dayMs } from '../../time/zones/civil.ts';

/** Longer than the gaps between runs of working days, shorter than a week across a clock change. */
const periodMs = 6 * dayMs;

/**
 * Whether rows of one date stand for a whole week or month, as in `month = '{{ ds }}'`: a date of the run's own data
 * interval that is no day of data. One that lies outside (`ds - 1`), or that a run on each day writes, is a day.
 */
export const namesPeriod = (
  { from, to }: InstantRange,
  { data, start, next }: Pick<GridInterval, 'data' | 'start' | 'next'>,
): boolean =>
  Math.min(data.end - data.start, next - start) > periodMs && to - from <= dayMs && from < data.end && data.start < to;
