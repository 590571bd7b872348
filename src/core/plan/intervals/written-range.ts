import { type DatedSlice, isDated } from '../../lineage/facts/facts.ts';
import { evaluateTime, exactTime } from '../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { GridInterval } from '../../time/intervals/grid.ts';
import type { InstantRange } from '../../time/intervals/interval-set.ts';
import { instant } from '../../time/zones/instant.ts';
import type { PlannableTask } from '../model/plan-request.ts';

/**
 * What each run of a task makes dirty in a table: its slice, whatever hour the run has. Where a slice is not known, all
 * that may be meant: from the run's tick to the next one and to the end of its data interval.
 *
 * A slice is widened where a clock changes, because one run too many is cheap; `exact` is for tasks that read each
 * other, where a range too wide would make two runs wait for each other.
 */
export function writtenRanges(
  task: PlannableTask,
  table: string,
  intervals: readonly GridInterval[],
  exact: 'exact' | 'widened',
): readonly InstantRange[] {
  const slices = task.writes.flatMap((write) => (write.table === table ? [write.slice] : []));
  const known = slices.filter(isDated);
  const isUnsure = known.length < slices.length || known.length === 0;
  return intervals.map(({ start, next, data }) => {
    let [from, to]: [number, number] = isUnsure ? [start, Math.max(next, data.end)] : [Infinity, -Infinity];
    for (const { lo, hi } of known) {
      const range =
        exact === 'exact'
          ? sliceRange({ lo, hi }, data)
          : orMoment({ from: evaluateTime(lo, data, 'lower'), to: evaluateTime(hi, data, 'upper') });
      from = Math.min(from, range.from);
      to = Math.max(to, range.to);
    }
    return { from: instant(from), to: instant(to) };
  });
}

/** The rows of a slice for one run, as its statements compute the bounds; of an empty one its moment. */
export const sliceRange = ({ lo, hi }: Pick<DatedSlice, 'lo' | 'hi'>, data: DataInterval): InstantRange =>
  orMoment({ from: exactTime(lo, data), to: exactTime(hi, data) });

/** A range without extent stands for the moment that it lies at, so that it can still be met. */
export const orMoment = ({ from, to }: InstantRange): InstantRange => ({
  from,
  to: to > from ? to : instant(from + 1),
});

/** True when a run of the task replaces the whole table, whatever its interval. */
export const rewritesWholeTable = (task: PlannableTask, table: string): boolean =>
  task.writes.some((write) => write.table === table && write.slice.kind === 'whole-table');

/** Index of the first element for which `test` holds, given that it holds for all after that; the length if none. */
export function firstIndex(length: number, test: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
