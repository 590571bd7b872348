import type { WriteFact } from '../../../lineage/facts/facts.ts';
import type { TaskId } from '../../../pipeline/model/model.ts';
import type { PlanUnit } from '../../../plan/model/plan.ts';
import { exactTime } from '../../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../../time/intervals/data-interval.ts';
import { instant } from '../../../time/zones/instant.ts';

/**
 * Why rows of a slice may be of others than the runs of this unit, in words; `undefined` where all of them are, so that
 * what one run from an empty slice does not give is left over. `writers`: other tasks that write the table.
 */
export function sharedSlice(write: WriteFact, unit: PlanUnit, writers: readonly TaskId[]): string | undefined {
  const { table, slice, mode } = write;
  if (writers.length > 0) return `${writers.join(', ')} ${writers.length === 1 ? 'writes' : 'write'} ${table} too`;
  if (mode === 'update') return `it only changes rows of ${table} that are there`;
  if (mode === 'unknown') return `how it writes ${table} is not known`;
  if (slice.kind === 'unknown') {
    return `which rows of ${table} are those of one interval is not known: ${slice.reason}; declare column, or slice: all, under its writes`;
  }
  if (slice.kind === 'whole-table') {
    return mode === 'append' ? `each interval adds its rows to ${table}, and which those are is not known` : undefined;
  }
  const step = unit.next - unit.start;
  const moved = (by: number): DataInterval => ({
    start: instant(unit.data.start + by),
    end: instant(unit.data.end + by),
  });
  const before = exactTime(slice.hi, moved(-step)) > exactTime(slice.lo, unit.data);
  const behind = exactTime(slice.lo, moved(step)) < exactTime(slice.hi, unit.data);
  return before || behind ? `other intervals write the same rows of ${table}` : undefined;
}
