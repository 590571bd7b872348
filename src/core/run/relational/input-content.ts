import { takeFigures } from '../../diff/take-figures.ts';
import type { InputContent } from '../../ledger/recorded-input.ts';
import { describeReadable, type TypeCache } from '../../warehouse/describe-tables.ts';
import { estimatedRowsSql } from '../../warehouse/dialects/postgres/catalog-sql.ts';
import { slicePredicate } from '../../warehouse/dialects/postgres/slice-predicate.ts';
import type { Session, WarehouseDescription } from '../../warehouse/ports.ts';
import type { TableDescription } from '../../warehouse/table-description.ts';
import { WarehouseError } from '../../warehouse/warehouse-error.ts';
import type { JobInput } from '../unit-job.ts';
import { relationOf, tableSql } from './target.ts';

/** A table that is read whole is not summed up beyond this estimate of its rows: the task then always runs. */
const mostWholeRows = 1_000_000;

const savepoint = 'backfill_inputs';

/**
 * Reads what each input holds, `undefined` where that cannot be told: no such table, no right to it, a column whose
 * bytes depend on settings, a table read whole that is too large. Throws {@link WarehouseError} only for what ends the
 * unit anyway; the transaction goes on after everything else.
 */
export async function inputContents(
  session: Session,
  inputs: readonly JobInput[],
  server: WarehouseDescription,
  types: TypeCache,
): Promise<readonly (InputContent | undefined)[]> {
  if (inputs.length === 0) return [];
  const names = [...new Set(inputs.map(({ table }) => table))];
  const tables = await describeReadable(session, names, types);
  const known = new Map<string, InputContent | undefined>();
  const contents: (InputContent | undefined)[] = [];
  for (const input of inputs) {
    const table = tables[names.indexOf(input.table)];
    const key = JSON.stringify([table?.oid, input.column, input.from, input.to]);
    if (!known.has(key)) known.set(key, table && (await contentOf(session, input, table, server)));
    contents.push(known.get(key));
  }
  return contents;
}

async function contentOf(
  session: Session,
  input: JobInput,
  table: TableDescription,
  server: WarehouseDescription,
): Promise<InputContent | undefined> {
  if (table.columns.length === 0 || table.columns.some(({ textual }) => textual)) return undefined;
  const whole = input.column === undefined || (input.from === undefined && input.to === undefined);
  await session.query(`savepoint ${savepoint}`);
  try {
    if (whole && (await estimatedRows(session, table)) > mostWholeRows) return undefined;
    const predicate = whole ? undefined : windowPredicate(table, input);
    const slice = { ...input, predicate, mode: 'unknown', key: [], volatile: [] } as const;
    const relation = { ...relationOf(slice, table, server), key: [] };
    const { figures } = await takeFigures(session, relation, { sql: tableSql(table), predicate, ownAge: undefined });
    return { rows: figures.rows, rowChecksum: figures.rowChecksum, algorithm: figures.algorithm };
  } catch (error) {
    if (!(error instanceof WarehouseError) || endsUnit(error)) throw error;
    await session.query(`rollback to savepoint ${savepoint}`);
    return undefined;
  } finally {
    await session.query(`release savepoint ${savepoint}`).catch(() => undefined);
  }
}

const endsUnit = ({ kind, retryable }: WarehouseError): boolean =>
  retryable || kind === 'connection' || kind === 'cancelled';

async function estimatedRows(session: Session, table: TableDescription): Promise<number> {
  return Number((await session.query(estimatedRowsSql, [`{${table.storage.join(',')}}`])).rows[0]?.[0] ?? 0);
}

const instants: ReadonlySet<string> = new Set(['timestamp', 'timestamptz']);

/** The read window as SQL; a column of days takes the whole days around it, so that nothing is left out. */
function windowPredicate(table: TableDescription, input: JobInput): string | undefined {
  const column = table.columns.find(({ name }) => name === input.column);
  const days = column !== undefined && !instants.has(column.baseType);
  const from = days && input.from !== undefined ? wholeDay(input.from, 0) : input.from;
  const to = days && input.to !== undefined ? wholeDay(input.to, dayMs - 1) : input.to;
  return slicePredicate(table, { column: input.column, from, to, predicate: undefined });
}

const dayMs = 86_400_000;

const wholeDay = (iso: string, roundUpMs: number): string =>
  new Date(Math.floor((Date.parse(iso) + roundUpMs) / dayMs) * dayMs).toISOString();
