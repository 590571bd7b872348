import { takeFigures } from '../../diff/take-figures.ts';
import type { InputContent } from '../../ledger/recorded-input.ts';
import { describeReadable, type TypeCache } from '../../warehouse/catalog/describe-tables.ts';
import { estimatedRowsSql, passBytesSql } from '../../warehouse/dialects/postgres/catalog-sql.ts';
import { slicePredicate } from '../../warehouse/dialects/postgres/slice-predicate.ts';
import type { Session, WarehouseDescription } from '../../warehouse/port/ports.ts';
import type { TableDescription } from '../../warehouse/port/table-description.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { Target } from '../tables/target.ts';
import { relationOf, tableSql } from '../tables/target.ts';
import type { JobInput } from '../unit/unit-job.ts';

/** A table that is read whole is not summed up beyond this estimate of its rows: the task then always runs. */
const mostWholeRows = 1_000_000;

/** What is only kept to tell later why rows changed is not worth a long pass. */
const mostBytesToTell = 8 * 2 ** 20;

/** `decide`: whether the unit runs; `tell`: why its rows changed. */
export type ContentUse = 'decide' | 'tell';

const savepoint = 'backfill_inputs';

/**
 * Reads what each input holds, `undefined` where that cannot be told: no such table, no right to it, a column whose
 * bytes depend on settings, a table read whole that is too large; and where it is only to tell, any that is not small, or that
 * the unit writes (`own`): what it left there is not kept, and a target that was looked at can no longer be seen to be read by
 * the task. Throws {@link WarehouseError} only for what ends the unit anyway; the transaction goes on after everything else.
 */
export async function inputContents(
  session: Session,
  inputs: readonly JobInput[],
  server: WarehouseDescription,
  types: TypeCache,
  use: ContentUse,
  own: readonly Target[],
): Promise<readonly (InputContent | undefined)[]> {
  if (inputs.length === 0) return [];
  const names = [...new Set(inputs.map(({ table }) => table))];
  const tables = await describeReadable(session, names, types);
  const written = new Set(own.flatMap(({ relation }) => relation?.table.storage ?? []));
  const isLeft = ({ storage }: TableDescription): boolean => use === 'tell' && storage.some((oid) => written.has(oid));
  const asked = { session, server, use, long: new Map<string, boolean>() };
  const known = new Map<string, InputContent | undefined>();
  const contents: (InputContent | undefined)[] = [];
  for (const input of inputs) {
    const table = tables[names.indexOf(input.table)];
    const key = JSON.stringify([table?.oid, input.column, input.from, input.to, input.except]);
    if (!known.has(key) && table !== undefined && !isLeft(table)) known.set(key, await contentOf(asked, input, table));
    contents.push(known.get(key));
  }
  return contents;
}

interface Asked {
  readonly session: Session;
  readonly server: WarehouseDescription;
  readonly use: ContentUse;
  /** By table: whether a pass over it is too long for what it is asked for. */
  readonly long: Map<string, boolean>;
}

async function contentOf(
  { session, server, use, long }: Asked,
  input: JobInput,
  table: TableDescription,
): Promise<InputContent | undefined> {
  if (table.columns.length === 0 || table.columns.some(({ textual }) => textual)) return undefined;
  // The role or its rights may hide rows here that the task sees.
  if (table.rowSecurity) return undefined;
  const isLong = use === 'tell' ? long.get(table.oid) : false;
  if (isLong === true) return undefined;
  await session.query(`savepoint ${savepoint}`);
  try {
    if (isLong === undefined) {
      long.set(table.oid, true);
      if (!((await passBytes(session, table)) <= mostBytesToTell)) return undefined;
      long.set(table.oid, false);
    }
    const window = windowPredicate(table, input, await isInUtc(session));
    const predicate = input.except === undefined ? window : `(${input.except}) is not true`;
    if (window === undefined && (await estimatedRows(session, table)) > mostWholeRows) return undefined;
    const slice = { ...input, predicate, mode: 'unknown', key: [], volatile: [] } as const;
    const relation = { ...relationOf(slice, table, server), key: [] };
    const { figures } = await takeFigures(session, relation, { sql: tableSql(table), predicate, ownAge: undefined });
    // Of one window under another zone other rows are summed up: those say nothing about a change.
    const algorithm = predicate === undefined ? figures.algorithm : `${figures.algorithm} ${predicate}`;
    return { rows: figures.rows, rowChecksum: figures.rowChecksum, algorithm };
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

/** Not a number where that is not known. */
async function passBytes(session: Session, table: TableDescription): Promise<number> {
  const bytes = (await session.query(passBytesSql, [`{${table.storage.join(',')}}`])).rows[0]?.[0] ?? undefined;
  return bytes === undefined ? Number.NaN : Number(bytes);
}

/** The session's zone says which moments the days of a query are. */
const isInUtc = async (session: Session): Promise<boolean> =>
  /^(?:(?:etc\/)?(?:utc|uct|gmt|universal|zulu)|gmt0)$/i.test(
    (await session.query("select pg_catalog.current_setting('TimeZone')")).rows[0]?.[0] ?? '',
  );

const timeTypes: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz']);
const dayMs = 86_400_000;

/**
 * The read window as SQL, wide enough that nothing is left out: a column of days takes the whole days around it, and
 * where the session is not in UTC there is a day more on each side. `undefined`, the whole table, for a column whose
 * values may be written in more than one way (days as text or numbers).
 */
function windowPredicate(table: TableDescription, input: JobInput, inUtc: boolean): string | undefined {
  const column = table.columns.find(({ name }) => name === input.column);
  if (column === undefined || !timeTypes.has(column.baseType)) return undefined;
  const days = column.baseType === 'date';
  const bound = (iso: string | undefined, direction: -1 | 1): string | undefined => {
    if (iso === undefined) return undefined;
    const at = Date.parse(iso) + (inUtc ? 0 : direction * dayMs);
    if (!days) return new Date(at).toISOString();
    return new Date((direction < 0 ? Math.floor : Math.ceil)(at / dayMs) * dayMs).toISOString();
  };
  return slicePredicate(table, {
    column: column.name,
    from: bound(input.from, -1),
    to: bound(input.to, 1),
    predicate: undefined,
  });
}
