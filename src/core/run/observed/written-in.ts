import { timeColumnsSql, type WrittenRows, writtenRowsSql } from '../../warehouse/dialects/postgres/observed-sql.ts';
import { quoteTableName } from '../../warehouse/dialects/postgres/quote.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { ObservedColumn, ObservedTable } from './observation.ts';

/** A table is looked at for so long, in milliseconds: it is asked for by nobody. */
const lookLimitMs = 60_000;

/**
 * The rows of one table that were written in a time, read in a transaction of its own that ends with the look. Throws
 * {@link WarehouseError} where the connection is lost; whatever else stands against it is said in the answer.
 */
export async function writtenIn(
  session: Session,
  table: string,
  counted: ObservedTable['counted'],
  written: WrittenRows,
): Promise<ObservedTable> {
  const none = { table, counted, rows: undefined, all: false, transactions: 0, older: false, columns: [] };
  try {
    await session.query('begin read only');
    await session.query(`set local statement_timeout = '${lookLimitMs}ms'`);
    const { rows: columns } = await session.query(timeColumnsSql, [quoteTableName(table)]);
    const named = columns.map(([name, type]) => [String(name), String(type)] as const);
    const [row = []] = (await session.query(writtenRowsSql(table, named, written))).rows;
    const [rows, all, transactions, older, ...times] = row;
    return {
      table,
      counted,
      rows: Number(rows),
      all: all === 't',
      transactions: Number(transactions),
      older: older === 't',
      columns: named.map(([name, type], index) => columnOf(name, type, times.slice(index * 3, index * 3 + 3))),
      givenUp: undefined,
    };
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.kind === 'connection') throw error;
    const isLate = error.detail.sqlState === '57014';
    return { ...none, givenUp: isLate ? `the look was given up after ${lookLimitMs / 1000} s` : error.message };
  } finally {
    await session.query('rollback').catch(() => {});
  }
}

const kinds: Readonly<Record<string, ObservedColumn['type']>> = {
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  int4: 'integer',
  int8: 'integer',
};

function columnOf(name: string, type: string, [rows, first, last]: readonly (string | null)[]): ObservedColumn {
  return { name, type: kinds[type] ?? 'text', rows: Number(rows), first: first ?? undefined, last: last ?? undefined };
}
