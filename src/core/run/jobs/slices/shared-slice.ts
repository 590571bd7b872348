import type { DatedSlice, WriteFact } from '../../../lineage/facts/facts.ts';
import { columnsOfCut } from '../../../lineage/facts/slice-cut.ts';
import type { TaskId } from '../../../pipeline/model/model.ts';
import type { PlanUnit } from '../../../plan/model/plan.ts';
import type { Statement } from '../../../sql/model/statement.ts';
import { exactTime } from '../../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../../time/intervals/data-interval.ts';
import { instant } from '../../../time/zones/instant.ts';
import { goesByOwnRows } from './goes-by-own.ts';
import { addedToTable, partOfTable, type RowsOfTask, usedUpTable } from './part-of-table.ts';

type Bounds = Pick<DatedSlice, 'lo' | 'hi'>;

/**
 * Why rows of a slice may be of others than the runs of this unit, in words; `undefined` where all of them are, so that
 * what one run from an empty slice does not give is left over. `writersOf`: other tasks that write a table.
 */
export function sharedSlice(
  write: WriteFact,
  unit: PlanUnit,
  writersOf: (table: string) => readonly TaskId[],
  rows: RowsOfTask,
): string | undefined {
  const byItself = sharedByItself(write, unit, writersOf, rows);
  if (byItself !== undefined) return byItself;
  const isOwn = (other: WriteFact): boolean =>
    other.slice.kind === 'range' && sharedByItself(other, unit, writersOf, rows) === undefined;
  const added = addedToTable(write, rows, isOwn);
  return added === undefined
    ? undefined
    : `it adds rows to what it reads (${added}), so that a second run finds other rows there`;
}

/** The same, whatever else the task writes and reads. */
function sharedByItself(
  write: WriteFact,
  unit: PlanUnit,
  writersOf: (table: string) => readonly TaskId[],
  rows: RowsOfTask,
): string | undefined {
  const { table, slice, mode } = write;
  const writers = writersOf(table);
  if (writers.length > 0) return `${writers.join(', ')} ${writers.length === 1 ? 'writes' : 'write'} ${table} too`;
  const byOwn = goesByOwnRows(write, rows, unit.data);
  if (byOwn !== undefined) return byOwn;
  if (write.through !== undefined) return `${table} is written through the view ${write.through.view}`;
  if (mode === 'unknown') return `how it writes ${table} is not known`;
  const usedUp = usedUpTable(write, rows);
  if (usedUp !== undefined) return `it uses up what it reads (${usedUp}), so that a second run does not find it`;
  if (slice.kind === 'unknown') {
    const cure = partOfTable(rows, table) === undefined ? 'slice: all' : 'column, from and to';
    return `which rows of ${table} are those of one interval is not known: ${slice.reason}; declare ${cure} under its writes`;
  }
  if (slice.kind === 'whole-table') {
    if (mode === 'append') return `each interval adds its rows to ${table}, and which those are is not known`;
    return mode === 'full_replace' ? undefined : partOfTable(rows, table);
  }
  if (typeof write.cutAsSaid === 'object' && !isSameRange(write.cutAsSaid, slice, unit.data)) {
    return `other rows of ${table} were declared to be those of an interval than its statements say`;
  }
  if (write.cutAsSaid === 'alone' && !readsBy(slice, rows) && !namesBy(write, slice, rows)) {
    return `nothing in its statements says that the rows of ${table} with ${columnOf(slice)} in its interval are those that it writes`;
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

const isSameRange = (said: Bounds, slice: Bounds, interval: DataInterval): boolean =>
  exactTime(said.lo, interval) === exactTime(slice.lo, interval) &&
  exactTime(said.hi, interval) === exactTime(slice.hi, interval);

/** Whether the task reads by the same column by which its slice is cut. */
const readsBy = (slice: WriteFact['slice'], { facts }: RowsOfTask): boolean =>
  facts.reads.some(({ window }) => window.kind === 'range' && slice.kind === 'range' && window.column === slice.column);

/** Whether it names in `PARTITION (…)` a value for each column by which its slice is cut: it writes that one partition alone. */
const namesBy = ({ table }: WriteFact, slice: WriteFact['slice'], { task, same }: RowsOfTask): boolean => {
  const columns = slice.kind === 'range' ? columnsOfCut(slice) : [];
  const isNamed = (column: string, { partitionBy }: Statement): boolean =>
    partitionBy.some(
      (entry) =>
        entry.kind === 'binary' &&
        entry.left.kind === 'column' &&
        entry.left.name.toLowerCase() === column.toLowerCase(),
    );
  const writing = task.sql.flatMap(({ reading }) =>
    reading.statements.filter(({ target }) => target !== undefined && same(target.name, table)),
  );
  return (
    columns.length > 0 &&
    writing.length > 0 &&
    writing.every((statement) => columns.every((column) => isNamed(column, statement)))
  );
};

const columnOf = (slice: WriteFact['slice']): string => (slice.kind === 'range' ? slice.column : 'a time');
