import type { SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import type { UnitExecutor } from '../../../src/core/run/unit/unit-executor.ts';
import type { UnitJob } from '../../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../../src/core/run/unit/unit-outcome.ts';
import type { Session } from '../../../src/core/warehouse/port/ports.ts';
import { WarehouseError } from '../../../src/core/warehouse/port/warehouse-error.ts';
import { columnOf, isDay, type WorkspaceModel } from './model.ts';

/** A row as the database gives it, and where it lies in time. */
interface ReadRow {
  readonly text: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly at: number | undefined;
}

/** Every row of every table of a schema, and what its objects are. */
interface Reading {
  readonly tables: ReadonlyMap<string, readonly ReadRow[]>;
  readonly objects: readonly string[];
}

const objectsSql = (schema: string): string => `
select line from (
  select c.relkind::text || ' ' || c.relname || coalesce(' ' || obj_description(c.oid, 'pg_class'), '') || coalesce(' ' || c.relacl::text, '')
      || coalesce(' ' || pg_get_expr(c.relpartbound, c.oid), '') as line
    from pg_class c where c.relnamespace = '${schema}'::regnamespace and c.relkind <> 'i'
  union all select a.attrelid::regclass || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || a.attnotnull::text
    from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p', 'v')
    where c.relnamespace = '${schema}'::regnamespace and a.attnum > 0 and not a.attisdropped
  union all select pg_get_indexdef(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = '${schema}'::regnamespace
  union all select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = '${schema}'::regnamespace and not t.tgisinternal) o order by 1`;

/** Reads a schema by itself: nothing of the product's own is asked. */
async function readSchema(session: Session, model: WorkspaceModel): Promise<Reading> {
  const { rows } = await session.query(
    `select c.relname from pg_class c where c.relnamespace = '${model.schema}'::regnamespace and c.relkind in ('r', 'p')
     and not c.relispartition order by 1`,
  );
  const tables = new Map<string, readonly ReadRow[]>();
  for (const [name] of rows) {
    const table = `${model.schema}.${name}`;
    const read = await session.query(
      `select t::text, row_to_json(t), ${positionOf(String(name), model)} from ${table} t order by 1`,
    );
    tables.set(
      table,
      read.rows.map(([text, json, at]) => ({
        text: String(text),
        values: JSON.parse(String(json)) as ReadRow['values'],
        at: at == null ? undefined : Number(at),
      })),
    );
  }
  const objects = (await session.query(objectsSql(model.schema))).rows.map(([line]) => String(line));
  return { tables, objects };
}

/** Milliseconds of the epoch at which a row's time column lies; null for tables that no task of the model writes. */
function positionOf(table: string, { tasks }: WorkspaceModel): string {
  const task = tasks.find((one) => one.table === table);
  if (tasks.some(({ name }) => table === `side_${name}`))
    return '(extract(epoch from t.at::timestamptz) * 1000)::bigint';
  if (task === undefined) return 'null';
  const { write, dag } = task;
  const column = `t.${columnOf(write.type)}`;
  const zone = write.name === 'local-day' ? dag.zone : 'UTC';
  const day = write.type === 'int' ? `to_date(${column}::text, 'YYYYMMDD')` : `${column}::date`;
  const moment = isDay(write.type)
    ? `${day}::timestamp at time zone '${zone}'`
    : write.type === 'timestamp'
      ? `${column} at time zone 'UTC'`
      : column;
  return `(extract(epoch from ${moment}) * 1000)::bigint`;
}

/** What is different in one table. */
interface Delta {
  readonly added: readonly ReadRow[];
  readonly removed: readonly ReadRow[];
}

function deltas({ tables: before }: Reading, { tables: after }: Reading): ReadonlyMap<string, Delta> {
  const found = new Map<string, Delta>();
  for (const table of new Set([...before.keys(), ...after.keys()])) {
    const delta = deltaOf(before.get(table) ?? [], after.get(table) ?? []);
    const isThere = before.has(table) === after.has(table);
    if (!isThere || delta.added.length + delta.removed.length > 0) found.set(table, delta);
  }
  return found;
}

function deltaOf(before: readonly ReadRow[], after: readonly ReadRow[]): Delta {
  const left = new Map<string, ReadRow[]>();
  for (const row of before) left.set(row.text, [...(left.get(row.text) ?? []), row]);
  const added = after.filter(({ text }) => left.get(text)?.pop() === undefined);
  return { added, removed: [...left.values()].flat() };
}

/** Lies that were told, in words. */
export type Lies = string[];

/**
 * Looks at the whole schema before and after each unit, one at a time, and holds what is said of the unit against that.
 * Each is also run by hand before, and rolled back: one that was run, or left out, has to leave what that leaves.
 */
export function watched(executor: UnitExecutor, session: Session, model: WorkspaceModel, lies: Lies): UnitExecutor {
  return {
    ...executor,
    maxConcurrency: 1,
    execute: async (job, signal, follows) => {
      const before = await readSchema(session, model);
      const byHand = await leftByHand(job, session, model);
      const outcome = await executor.execute(job, signal, follows);
      const after = await readSchema(session, model);
      const wrong = liesOf(job, outcome, before, after);
      const isDone = ['changed', 'unchanged', 'skipped'].includes(outcome.state);
      if (isDone && byHand === undefined) wrong.push('it cannot be run by hand');
      wrong.push(...misses(isDone ? byHand : before, after, isDone ? 'a run by hand leaves' : 'there was'));
      lies.push(...wrong.map((lie) => `${job.unit} ${outcome.state}: ${lie}`));
      return outcome;
    },
  };
}

/** What the statements of a unit leave, with nothing of ours around them; `undefined` where one of them fails. */
async function leftByHand(job: UnitJob, session: Session, model: WorkspaceModel): Promise<Reading | undefined> {
  await session.query('begin');
  try {
    for (const [name, value] of Object.entries(job.options.settings))
      await session.query(`select set_config('${name}', $1, true)`, [value]);
    for (const { text } of job.statements) {
      if (!/^\s*(?:begin|commit)\s*$/i.test(text)) await session.query(text);
    }
    await session.query("set local timezone = 'UTC'");
    return await readSchema(session, model);
  } catch (error) {
    if (error instanceof WarehouseError) return undefined;
    throw error;
  } finally {
    await session.query('rollback');
  }
}

function misses(expected: Reading | undefined, after: Reading, what: string): string[] {
  if (expected === undefined) return [];
  const rows = [...deltas(expected, after)].map(
    ([table, delta]) => `of ${table} ${what} other rows: ${inWords(delta)}`,
  );
  const missing = expected.objects.filter((line) => !after.objects.includes(line));
  const more = after.objects.filter((line) => !expected.objects.includes(line));
  return [...rows, ...missing.map((line) => `${what} ${line}`), ...more.map((line) => `not ${what} ${line}`)];
}

function liesOf(job: UnitJob, outcome: UnitOutcome, before: Reading, after: Reading): string[] {
  const changed = deltas(before, after);
  const own = new Set(job.slices.map(({ table }) => table));
  const notes = 'notes' in outcome ? outcome.notes.join('\n') : '';
  const lies: string[] = [];
  if (outcome.state !== 'changed' && outcome.state !== 'unchanged') return lies;
  // Effects beside the slices are kept, and said.
  for (const [table, delta] of changed) {
    if (outcome.state === 'changed' && own.has(table)) continue;
    if (own.has(table) || !notes.includes(table)) lies.push(`${table} is another now: ${inWords(delta)}`);
  }
  for (const table of own) {
    const diffs = outcome.slices.filter((diff) => diff.table === table);
    if (diffs.length === 0) lies.push(`nothing is said of ${table}`);
    for (const diff of diffs)
      lies.push(...liesOfSlice(diff, before.tables.get(table) ?? [], after.tables.get(table) ?? []));
    const said = diffs.some(
      ({ before: old, added, removed, changed: some }) =>
        old === undefined || (added ?? 0) + (removed ?? 0) + (some ?? 0) > 0,
    );
    if (changed.has(table) && !said) lies.push(`${table} is said to be the same`);
  }
  if (outcome.state === 'changed' && ![...own].some((table) => changed.has(table))) lies.push('nothing changed');
  return lies;
}

function liesOfSlice(diff: SliceDiff, allBefore: readonly ReadRow[], allAfter: readonly ReadRow[]): string[] {
  const from = diff.from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(diff.from);
  const to = diff.to === undefined ? Number.POSITIVE_INFINITY : Date.parse(diff.to);
  const isIn = ({ at }: ReadRow): boolean => diff.column === undefined || (at !== undefined && at >= from && at < to);
  const [before, after] = [allBefore.filter(isIn), allAfter.filter(isIn)];
  const { added, removed } = deltaOf(before, after);
  const keyOf = ({ values }: ReadRow): string => JSON.stringify(diff.key.map((name) => values[name]));
  const byKey = diff.method === 'key';
  const lost = new Set(byKey ? removed.map(keyOf) : []);
  const both = byKey ? added.filter((row) => lost.has(keyOf(row))).length : 0;
  const facts: readonly (readonly [what: string, said: unknown, is: unknown])[] = [
    ['rows before', diff.before?.rows, diff.before === undefined ? undefined : before.length],
    ['rows after', diff.after?.rows, after.length],
    // A table that was not there is compared with nothing.
    ['rows added', diff.added, diff.before && added.length - both],
    ['rows removed', diff.removed, diff.before && removed.length - both],
    ['rows changed', diff.changed, diff.before && both],
    [
      'the same checksum',
      diff.before && diff.before.rowChecksum === diff.after?.rowChecksum,
      diff.before && added.length + removed.length === 0,
    ],
  ];
  return facts
    .filter(([, said, is]) => said !== is)
    .map(([what, said, is]) => `${diff.table} ${what}: ${said} is ${is}`);
}

const inWords = ({ added, removed }: Delta): string =>
  [...removed.slice(0, 3).map(({ text }) => `- ${text}`), ...added.slice(0, 3).map(({ text }) => `+ ${text}`)].join(
    ' ',
  );
