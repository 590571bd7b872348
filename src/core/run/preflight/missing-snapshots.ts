import type { TaskId } from '../../pipeline/model/model.ts';
import type { PlanFinding } from '../../plan/model/plan.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import { plural } from '../../text/plural.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import { quoteIdentifier, quoteTableName } from '../../warehouse/dialects/postgres/quote.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { TableDescription } from '../../warehouse/port/table-description.ts';
import type { InputSnapshot, UnitJob } from '../unit/unit-job.ts';

/** A snapshot that units read instead of a source. */
interface ReadSnapshot extends InputSnapshot {
  readonly table: string;
  readonly task: TaskId;
  /** Of the task. */
  readonly units: number;
}

/** By name as readings have it; `undefined` for what is not there or may not be read. */
type Tables = ReadonlyMap<string, TableDescription | undefined>;

/** Names of tables asked for in one statement. */
const mostNames = 500;
const mostNamed = 5;

/**
 * Snapshots that are not there, before a unit fails on one: a table that does not exist or may not be read, a table of
 * all snapshots without the rows of a date. Those that the plan (`planned`) makes itself are not missed. Throws
 * {@link WarehouseError}.
 */
export async function missingSnapshots(
  session: Session,
  jobs: readonly UnitJob[],
  planned: readonly UnitJob[] = jobs,
): Promise<readonly PlanFinding[]> {
  const read = readSnapshots(jobs);
  if (read.length === 0) return [];
  const tables = await describeAll(session, [...new Set(read.flatMap(({ table, of }) => [table, of]))]);
  const absent = await absentDates(session, read, tables);
  const isMissing = (one: ReadSnapshot): boolean =>
    tables.get(one.table) === undefined || lacksColumn(one, tables) || absent.has(dateKey(one));
  const missing = read.filter(isMissing);
  const made = missing.length === 0 ? new Set<string>() : writtenTables(planned);
  return [
    ...groups(missing.filter(({ table }) => !made.has(table))).map((group) => missingFinding(group, tables)),
    ...groups(read.filter((one) => tables.get(one.table) !== undefined)).flatMap((group) => narrower(group, tables)),
  ];
}

function readSnapshots(jobs: readonly UnitJob[]): readonly ReadSnapshot[] {
  const found = new Map<string, ReadSnapshot>();
  for (const { task, inputs } of jobs) {
    const own = new Map(inputs.flatMap(({ table, snapshot }) => (snapshot ? [[table, { table, ...snapshot }]] : [])));
    for (const one of own.values()) {
      const key = JSON.stringify([task, one]);
      found.set(key, { ...one, task, units: (found.get(key)?.units ?? 0) + 1 });
    }
  }
  return [...found.values()];
}

async function describeAll(session: Session, names: readonly string[]): Promise<Tables> {
  const described = new Map<string, TableDescription | undefined>();
  const types = new Map();
  for (let at = 0; at < names.length; at += mostNames) {
    const some = names.slice(at, at + mostNames);
    const found = await describeReadable(session, some, types);
    for (const [index, name] of some.entries()) described.set(name, found[index]);
  }
  return described;
}

const dateKey = ({ table, column, date }: Pick<ReadSnapshot, 'table' | 'column' | 'date'>): string =>
  JSON.stringify([table, column, date]);

/** Dates of which a table of all snapshots has no row. */
async function absentDates(
  session: Session,
  read: readonly ReadSnapshot[],
  tables: Tables,
): Promise<ReadonlySet<string>> {
  const dates = new Map<string, { table: string; column: string; type: string; dates: Set<string> }>();
  for (const { table, column, date } of read) {
    const known = tables.get(table)?.columns.find(({ name }) => name === column);
    if (column === undefined || date === undefined || known === undefined) continue;
    const key = JSON.stringify([table, column]);
    const entry = dates.get(key) ?? { table, column, type: known.type, dates: new Set() };
    dates.set(key, entry);
    entry.dates.add(date);
  }
  const absent = new Set<string>();
  for (const { table, column, type, dates: wanted } of dates.values()) {
    const sql = `select d from pg_catalog.unnest($1::text[]) d
      where not exists (select from ${quoteTableName(table)} where ${quoteIdentifier(column)} = d::${type})`;
    const array = `{${[...wanted].map((date) => JSON.stringify(date)).join(',')}}`;
    for (const [date] of (await session.query(sql, [array])).rows) {
      absent.add(dateKey({ table, column, date: date ?? undefined }));
    }
  }
  return absent;
}

/** Tables that statements of the plan write. */
const writtenTables = (jobs: readonly UnitJob[]): ReadonlySet<string> =>
  new Set(
    jobs.flatMap(({ statements, slices }) => [
      ...slices.map(({ table }) => table),
      ...statements.flatMap(({ text }) =>
        readSql(plainText(text), 'postgres').statements.flatMap(({ targets }) => targets.map(({ name }) => name)),
      ),
    ]),
  );

/** The snapshots of one source that one task reads, in the order of the plan. */
function groups(read: readonly ReadSnapshot[]): readonly (readonly [ReadSnapshot, ...ReadSnapshot[]])[] {
  const found = new Map<string, [ReadSnapshot, ...ReadSnapshot[]]>();
  for (const one of read) {
    const key = JSON.stringify([one.task, one.of]);
    const known = found.get(key);
    if (known === undefined) found.set(key, [one]);
    else known.push(one);
  }
  return [...found.values()];
}

/** Of a table that is there, its column of dates is not. */
const lacksColumn = ({ table, column }: ReadSnapshot, tables: Tables): boolean =>
  column !== undefined && tables.get(table)?.columns.every(({ name }) => name !== column) === true;

function missingFinding(group: readonly [ReadSnapshot, ...ReadSnapshot[]], tables: Tables): PlanFinding {
  const [first] = group;
  const { task, of, table, column, date } = first;
  const units = group.reduce((sum, one) => sum + one.units, 0);
  const isThere = tables.get(table) !== undefined;
  const names = named(group.map((one) => (isThere ? (one.date ?? one.table) : one.table)));
  const inTable = lacksColumn(first, tables) ? `no column ${column} in ${table}` : `no row of ${names} in ${table}`;
  const what = date !== undefined && isThere ? inTable : `no table ${names} that may be read`;
  const message = `${task} reads the snapshots of ${of}, and for ${plural(units, 'interval')} there is ${what}. Leave them out, or make the snapshots first.`;
  return { code: 'missing-snapshot', severity: 'error', message, task };
}

/** Snapshots that lack what the source has by now. */
function narrower(group: readonly [ReadSnapshot, ...ReadSnapshot[]], tables: Tables): readonly PlanFinding[] {
  const [{ task, of }] = group;
  const source = tables.get(of);
  const lacking = new Map<string, string[]>();
  for (const { table } of group) {
    const has = new Map(tables.get(table)?.columns.map(({ name, type }) => [name, type]));
    const lacks = (source?.columns ?? []).flatMap(({ name, type }) => {
      const then = has.get(name);
      if (then === type) return [];
      return [then === undefined ? name : `${name} as ${type} (it is ${then})`];
    });
    if (lacks.length === 0) continue;
    const key = lacks.join(', ');
    const known = lacking.get(key) ?? [];
    lacking.set(key, known);
    if (!known.includes(table)) known.push(table);
  }
  return [...lacking].map(([columns, names]): PlanFinding => {
    const message = `${task} reads ${named(names)} instead of ${of}, which by now has what is not there: ${columns}. A statement that names it fails, and one that takes all columns takes fewer.`;
    return { code: 'schema-change', severity: 'warning', message, task };
  });
}

function named(names: readonly string[]): string {
  const shown = [...new Set(names)];
  const more = shown.length - mostNamed;
  return more > 0 ? `${shown.slice(0, mostNamed).join(', ')} and ${more} more` : shown.join(', ');
}
