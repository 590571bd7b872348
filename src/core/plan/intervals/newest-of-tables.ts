import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { GridInterval } from '../../time/intervals/grid.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import type { PlannableTask } from '../model/plan-request.ts';
import { boundsOf } from '../tasks/shares-as-of.ts';

/**
 * Where several intervals share a table that each of them rewrites whole, or the rows of a slice (a month's, by each of its
 * days): the last finished one of each that `intervals` write. `undefined`: the task writes tables that all intervals share.
 * `finished`: its finished intervals that overlap `[from, to)`, oldest first.
 */
export function newestOfTables(
  { writes }: PlannableTask,
  intervals: readonly GridInterval[],
  finished: (from: Instant, to: Instant) => readonly GridInterval[],
): readonly GridInterval[] | undefined {
  const whole = writes.filter(({ mode }) => mode === 'full_replace').map(({ slice }) => slice);
  if (whole.some(({ kind }) => kind === 'whole-table')) return undefined;
  const replaced = writes.map(({ slice }) => slice).filter((slice) => slice.kind === 'range' || whole.includes(slice));
  if (replaced.length === 0) return undefined;
  const newest = new Map<string, GridInterval>();
  for (const slice of replaced) {
    if (slice.kind !== 'own-table' && slice.kind !== 'range') continue;
    for (const interval of intervals) {
      const bounds = boundsOf(slice, interval.data);
      const key = JSON.stringify([slice.lo, slice.hi, bounds]);
      if (newest.has(key)) continue;
      const length = exactTime(slice.hi, interval.data) - exactTime(slice.lo, interval.data);
      // No interval of the table begins later than a table's length after another of it.
      const later = finished(interval.start, instant(interval.next + length));
      const last = later.findLast(({ data }) => boundsOf(slice, data) === bounds);
      if (last !== undefined) newest.set(key, last);
    }
  }
  return [...newest.values()];
}
