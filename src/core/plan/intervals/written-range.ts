import { evaluateTime } from '../../time/expressions/evaluate-time.ts';
import type { GridInterval } from '../../time/intervals/grid.ts';
import type { InstantRange } from '../../time/intervals/interval-set.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { PlannableTask } from '../model/plan-request.ts';

/**
 * What one interval of a task makes dirty in a table: the interval itself and, where the slice that it rewrites
 * reaches further (a rolling rewrite, a UTC day of a local interval), that too. Without a known slice: the interval.
 */
export function writtenRange(task: PlannableTask, table: string, interval: GridInterval): InstantRange {
  let from: number = interval.start;
  let to: number = interval.next;
  const tile = { start: interval.start, end: interval.next };
  for (const write of task.writes) {
    const { slice } = write;
    if (write.table !== table || (slice.kind !== 'range' && slice.kind !== 'own-table')) continue;
    from = Math.min(from, evaluateTime(slice.lo, tile, 'lower'));
    to = Math.max(to, evaluateTime(slice.hi, tile, 'upper'));
  }
  return { from: from as Instant, to: to as Instant };
}

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
