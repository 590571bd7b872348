import type { Task } from '../../pipeline/model/model.ts';
import type { TableAccess } from '../../pipeline/model/table-access.ts';
import type { SymbolicValue } from '../../template/names/symbolic-value.ts';
import type { RangeSlice, ReadFact, ReadWindow, SliceFact, WriteFact, WriteMode } from '../facts/facts.ts';
import { readingsOfText } from '../times/template-time.ts';
import { endOfUnit } from '../times/time-readings.ts';
import type { KnownTablesOfWorkspace } from './workspace-tables.ts';

/** The table of an access where it is known. */
export const accessedTable = ({ table: { value } }: TableAccess): string | undefined =>
  value.kind === 'literal' && typeof value.value === 'string' ? value.value : undefined;

/** Tables that a task reads by other means than SQL. */
export const accessReads = (task: Task, tables: KnownTablesOfWorkspace): readonly ReadFact[] =>
  task.accesses.flatMap((access): readonly ReadFact[] => {
    const table = accessedTable(access);
    if (access.direction !== 'read' || table === undefined) return [];
    const { partition, at } = access;
    return [{ table, window: windowOf(table, partition, tables), provenance: 'argument', at: access.table.at ?? at }];
  });

/** Tables that a task writes by other means than SQL; of several writes of one table the one that replaces most. */
export function accessWrites(task: Task, tables: KnownTablesOfWorkspace): readonly WriteFact[] {
  const found: WriteFact[] = [];
  for (const access of task.accesses) {
    const table = accessedTable(access);
    if (access.direction !== 'write' || table === undefined) continue;
    const write: WriteFact = {
      table,
      slice: sliceOf(table, access, tables),
      ...(access.partition?.at === undefined ? {} : { sliceAt: access.partition.at }),
      mode: modeOf(access),
      key: access.key,
      provenance: 'argument',
      at: access.mode?.at ?? access.table.at ?? access.at,
    };
    const known = found.findIndex((other) => tables.same(other.table, table));
    const other = found[known];
    if (other === undefined) found.push(write);
    else if (replaces(write) && !replaces(other)) found[known] = write;
  }
  return found;
}

/** What SQL and calls of a task do to one table: rows that are appended after a DELETE make a slice replacement. */
export function withAccessWrites(
  written: readonly WriteFact[],
  accessed: readonly WriteFact[],
  same: (a: string, b: string) => boolean,
): readonly WriteFact[] {
  const isAlso = (write: WriteFact, wanted: (other: WriteFact) => boolean): boolean =>
    accessed.some((other) => same(other.table, write.table) && wanted(other));
  const kept = written
    .filter((write) => !isAlso(write, replaces))
    .map(
      (write): WriteFact =>
        write.mode === 'delete' && isAlso(write, ({ mode }) => mode !== 'unknown')
          ? { ...write, mode: 'delete+insert' }
          : write,
    );
  const more = accessed.filter((write) => !kept.some((other) => same(other.table, write.table)));
  return [...kept, ...more];
}

const replaces = ({ mode }: WriteFact): boolean => mode === 'full_replace' || mode === 'insert_overwrite';

const modeOf = ({ mode, partition }: TableAccess): WriteMode =>
  mode?.value === 'full_replace' && partition !== undefined ? 'insert_overwrite' : (mode?.value ?? 'unknown');

function windowOf(table: string, partition: TableAccess['partition'], tables: KnownTablesOfWorkspace): ReadWindow {
  if (partition === undefined) return { kind: 'unbounded' };
  const range = partitionRange(table, partition.value, tables);
  return typeof range === 'string'
    ? { kind: 'unknown', reason: range, at: partition.at }
    : { kind: 'range', column: range.column, lo: [range.lo], hi: [range.hi] };
}

function sliceOf(table: string, { mode, partition, by }: TableAccess, tables: KnownTablesOfWorkspace): SliceFact {
  if (partition !== undefined) {
    const range = partitionRange(table, partition.value, tables);
    return typeof range === 'string' ? { kind: 'unknown', reason: range } : range;
  }
  switch (mode?.value) {
    case 'full_replace':
    case 'create':
      return { kind: 'whole-table' };
    case 'insert_overwrite':
      return { kind: 'unknown', reason: `${by} overwrites the partitions that its rows fall into` };
    default:
      return { kind: 'unknown', reason: `nothing says which rows ${by} writes` };
  }
}

/** The rows of a partition that is named by a time, or why they are not known. */
function partitionRange(table: string, value: SymbolicValue, tables: KnownTablesOfWorkspace): RangeSlice | string {
  const readings = value.kind === 'time' ? readingsOfText(value) : undefined;
  const [reading] = readings?.readings ?? [];
  if (readings?.unit === undefined || reading === undefined) return 'its partition is no function of the interval';
  const column = partitionColumn(table, tables);
  if (column === undefined) return 'the column of its partitions is not known';
  const end = endOfUnit(readings, readings.unit, ['UTC']).readings[0];
  return { kind: 'range', column, lo: reading.time, hi: (end ?? reading).time, predicate: undefined };
}

/** The column by which other tasks cut the table, the only one that it is partitioned by, or its only column of days. */
function partitionColumn(table: string, tables: KnownTablesOfWorkspace): string | undefined {
  const [cut] = tables.slicedBy(table);
  const days = (tables.columnsOf(table) ?? []).filter((column) => tables.typeOf(table, column) === 'date');
  const partitionedBy = tables.partitionedBy(table);
  return cut ?? (partitionedBy.length === 1 ? partitionedBy[0] : days.length === 1 ? days[0] : undefined);
}
