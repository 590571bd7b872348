import type { Statement } from '../../sql/model/statement.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { WriteFact } from '../facts/facts.ts';
import { nameFor, type TableNaming } from '../facts/table-naming.ts';
import type { TableColumns } from '../queries/table-columns.ts';
import type { TaskStatement } from './task-statements.ts';

interface Emptied {
  readonly name: string;
  readonly naming: TableNaming | undefined;
  readonly items: readonly TaskStatement[];
}

/**
 * `TRUNCATE mart.p_{{ ds_nodash }}; INSERT INTO mart.p …`: the partition that is emptied holds the rows that come in, where
 * definitions or the database say that of the partition of each interval. Where its name alone says it, it may.
 */
export const withEmptiedParts = (
  writes: readonly WriteFact[],
  written: readonly Emptied[],
  tables: TableColumns,
): readonly WriteFact[] =>
  writes.map((write) => {
    if (write.mode !== 'append') return write;
    const [part] = written.filter(
      ({ name, naming, items }) =>
        naming?.period !== undefined && name.startsWith(`${write.table}_`) && isEmptied(items, write.table),
    );
    if (part === undefined) return write;
    return holdsSlice(part, write, tables)
      ? { ...write, mode: 'insert_overwrite', partEmptied: true }
      : { ...write, mayEmpty: part.name };
  });

/** By a statement that stands in the task itself and before the INSERT. */
const isEmptied = (items: readonly TaskStatement[], table: string): boolean =>
  items.some(({ statement, inBody }) => !inBody && !statement.conditional && empties(statement, table));

const empties = ({ kind, whereSpan, from, targets }: Statement, table: string): boolean =>
  targets.every(({ name }) => name !== table) &&
  (kind === 'truncate' || (kind === 'delete' && whereSpan === undefined && from.length === 0));

/**
 * What an interval writes lies in the period that the name stands for, and each partition whose name an interval makes, one at
 * least, holds that period.
 */
function holdsSlice({ naming, items }: Emptied, { slice, table }: WriteFact, tables: TableColumns): boolean {
  const period = naming?.period;
  if (naming === undefined || period === undefined || slice.kind !== 'range') return false;
  const isInside = (interval: DataInterval): boolean =>
    exactTime(slice.lo, interval) >= exactTime(period.lo, interval) &&
    exactTime(slice.hi, interval) <= exactTime(period.hi, interval);
  const named = tables.partsOf(table).filter(({ name, from, to }) => {
    const made = nameFor(naming, { start: from, end: to });
    return made !== undefined && isSameName(made, name);
  });
  return (
    named.length > 0 &&
    (items[0]?.context.intervals().every(isInside) ?? false) &&
    named.every(({ from, to }) => {
      const interval = { start: from, end: to };
      return exactTime(period.lo, interval) >= from && exactTime(period.hi, interval) <= to;
    })
  );
}

/** One of the names may lack its schema. */
const isSameName = (a: string, b: string): boolean => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
