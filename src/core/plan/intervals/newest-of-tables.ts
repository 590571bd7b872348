import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { GridInterval } from '../../time/intervals/grid.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import type { PlannableTask } from '../model/plan-request.ts';

/**
 * Where several intervals share a table that each of them rewrites whole (a month's, by each of its days): the last
 * finished one of each table that `intervals` write. `undefined`: the task writes tables that all intervals share.
 * `finished`: its finished intervals that overlap `[from, to)`, oldest first.
 */
export function newestOfTables(
  { writes }: PlannableTask,
  intervals: readonly GridInterval[],
  finished: (from: Instant, to: Instant) => readonly GridInterval[],
): readonly GridInterval[] | undefined {
  const replaced = writes.filter(({ mode }) => mode === 'full_replace').map(({ slice }) => slice);
  if (replaced.length === 0 || replaced.some(({ kind }) => kind === 'whole-table')) return undefined;
  const newest = new Map<string, GridInterval>();
  for (const slice of replaced) {
    if (slice.kind !== 'own-table') continue;
    for (const interval of intervals) {
      const table = exactTime(slice.lo, interval.data);
      const key = JSON.stringify([slice.lo, table]);
      if (newest.has(key)) continue;
      const length = exactTime(slice.hi, interval.data) - table;
      // No interval of the table begins later than a table's length after another of it.
      const later = finished(interval.start, instant(interval.next + length));
      const last = later.findLast(({ data }) => exactTime(slice.lo, data) === table);
      if (last !== undefined) newest.set(key, last);
    }
  }
  return [...newest.values()];
}
