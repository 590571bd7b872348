import type { Session } from '../../../src/core/warehouse/port/ports.ts';
import { extraObjects } from './extras.ts';
import { columnOf, type Row, type TimeType, type WorkspaceModel } from './model.ts';
import type { Tables } from './oracle.ts';
import { tableStatements } from './write-workspace.ts';

const iso = (at: number): string => new Date(at).toISOString();

function literal({ t }: Row, type: TimeType): string {
  switch (type) {
    case 'timestamptz':
      return `'${iso(t)}'`;
    case 'timestamp':
      return `'${iso(t).slice(0, 23)}'`;
    case 'int':
      return iso(t).slice(0, 10).replaceAll('-', '');
    default:
      return `'${iso(t).slice(0, 10)}'`;
  }
}

export async function createTables(session: Session, model: WorkspaceModel): Promise<void> {
  await session.query(`drop schema if exists ${model.schema} cascade`);
  await session.query(`create schema ${model.schema}`);
  for (const statement of tableStatements(model)) await session.query(statement);
  if (model.tasks.some(({ extra }) => extra !== undefined))
    for (const statement of extraObjects(model)) await session.query(statement);
}

export const putRaw = (session: Session, model: WorkspaceModel, rows: readonly Row[]): Promise<void> =>
  putRows(session, `${model.schema}.raw_events`, model.rawType, rows);

/** What the tasks write, as though they had run. */
export async function putTables(session: Session, model: WorkspaceModel, tables: Tables): Promise<void> {
  for (const { table, write } of model.tasks) {
    await putRows(session, `${model.schema}.${table}`, write.type, tables.get(table) ?? []);
  }
}

async function putRows(session: Session, table: string, type: TimeType, rows: readonly Row[]): Promise<void> {
  await session.query(`truncate ${table}`);
  if (rows.length === 0) return;
  const values = rows.map((row) => `(${literal(row, type)}, ${row.k}, ${row.n}, ${row.v})`);
  await session.query(`insert into ${table} values ${values.join(', ')}`);
}

const milliseconds: Readonly<Record<TimeType, string>> = {
  timestamptz: 'extract(epoch from ts)',
  timestamp: 'extract(epoch from ts)',
  date: 'extract(epoch from day::timestamp)',
  text: 'extract(epoch from day::timestamp)',
  int: "extract(epoch from to_date(day::text, 'YYYYMMDD')::timestamp)",
};

/** Every table that a task writes, a line a row, in order. */
export async function tableLines(session: Session, model: WorkspaceModel): Promise<Record<string, readonly string[]>> {
  const lines: Record<string, readonly string[]> = {};
  for (const { table, write } of model.tasks) {
    const { rows } = await session.query(
      `select (${milliseconds[write.type]} * 1000)::bigint, k, n, v from ${model.schema}.${table}`,
    );
    lines[table] = rows.map(([t, k, n, v]) => line({ t: Number(t), k: Number(k), n: Number(n), v: Number(v) })).sort();
  }
  return lines;
}

export function expectedLines(model: WorkspaceModel, tables: Tables): Record<string, readonly string[]> {
  return Object.fromEntries(model.tasks.map(({ table }) => [table, (tables.get(table) ?? []).map(line).sort()]));
}

/** Rows that are missing (`-`) or too many (`+`). */
export function differences(
  actual: Readonly<Record<string, readonly string[]>>,
  expected: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  return Object.entries(expected).flatMap(([table, rows]) => {
    const left = [...(actual[table] ?? [])];
    const missing: string[] = [];
    for (const row of rows) {
      const found = left.indexOf(row);
      if (found < 0) missing.push(row);
      else left.splice(found, 1);
    }
    return [...missing.map((row) => `- ${table} ${row}`), ...left.map((row) => `+ ${table} ${row}`)];
  });
}

const line = ({ t, k, n, v }: Row): string => `${iso(t).slice(0, 16)} k${k} n${n} v${v}`;

/** When each row was written, by transaction: rows that nobody touched keep theirs. */
export async function rowVersions(session: Session, model: WorkspaceModel): Promise<readonly string[]> {
  const versions: string[] = [];
  for (const { table, write } of model.tasks) {
    // Made anew by every interval, each with its own time.
    if (write.kind === 'replace') continue;
    const { rows } = await session.query(
      `select string_agg(xmin || ':' || ctid, ' ' order by ${columnOf(write.type)}, k) from ${model.schema}.${table}`,
    );
    versions.push(`${table} ${rows[0]?.[0]}`);
  }
  return versions;
}

const wholeDay = (zone: string): string =>
  `case when isfinite($2::timestamptz) then date_trunc('day', $2::timestamptz, '${zone}') else 'infinity' end`;

/**
 * Slices whose newest record in the ledger is not what the table holds: count and checksum worked out anew. Bounds of a column
 * whose type no file says hold the days of UTC and those of the session's zone: where it holds days, it is those by which the task names them.
 */
export async function ledgerDisagreements(session: Session, model: WorkspaceModel): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { table, write, dag } of model.tasks) {
    const column = columnOf(write.type);
    const { rows } = await session.query(
      `select distinct on (lower, upper) lower, upper, row_count, row_checksum, lower = '-infinity' and upper = 'infinity', id
       from backfill_ledger.versions v where target = '${model.schema}.${table}' and not exists (
         select from backfill_ledger.versions o where o.target = v.target and o.unit = v.unit and o.run <> v.run and o.id > v.id
           and o.slice <> v.slice and o.lower < v.upper and v.lower < o.upper)
       order by lower, upper, id desc`,
    );
    const newest = Math.max(0, ...rows.map((row) => Number(row[5])));
    for (const [lower, upper, count, checksum, whole, id] of rows) {
      if (whole === 't' && Number(id) !== newest) continue;
      const day = write.type === 'date' || write.type === 'text' || write.type === 'int';
      const zone = write.name === 'local-day' ? dag.zone : 'UTC';
      const at = write.type === 'int' ? `to_date(${column}::text, 'YYYYMMDD')` : `${column}::date`;
      const position = day
        ? `${at}::timestamp at time zone '${zone}'`
        : write.type === 'timestamp'
          ? `${column} at time zone 'UTC'`
          : column;
      const bytes = `record_send(row(${column}, k, n, v))`;
      const figures = await session.query(
        `select count(*), sum(hash_record_extended(row(b), 0)), sum(hash_record_extended(row(b), 1))
         from (select ${bytes} b from ${model.schema}.${table}
           where ${position} >= $1::timestamptz and ${position} < ${day ? wholeDay(zone) : '$2::timestamptz'} offset 0) s`,
        [lower ?? '-infinity', upper ?? 'infinity'],
      );
      const [rowsNow, sum0, sum1] = figures.rows[0] ?? [];
      const half = (sum: string | null | undefined): string =>
        BigInt.asUintN(96, BigInt(sum ?? '0'))
          .toString(16)
          .padStart(24, '0');
      if (rowsNow !== count || half(sum0) + half(sum1) !== checksum) {
        wrong.push(
          `${table} [${lower}, ${upper}): ledger ${count} ${checksum}, table ${rowsNow} ${half(sum0)}${half(sum1)}`,
        );
      }
    }
  }
  return wrong;
}
