import type { SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import type { UnitExecutor } from '../../../src/core/run/unit/unit-executor.ts';
import type { UnitJob } from '../../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../../src/core/run/unit/unit-outcome.ts';
import type { Session } from '../../../src/core/warehouse/port/ports.ts';
import { columnOf, isDay, type WorkspaceModel } from './model.ts';

/** A row as the database gives it, and where it lies in time. */
interface ReadRow {
  readonly text: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly at: number | undefined;
}

/** Every row of every table of a schema. */
type Reading = ReadonlyMap<string, readonly ReadRow[]>;

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
  return tables;
}

/** Milliseconds of the epoch at which a row's time column lies; null for tables that no task of the model writes. */
function positionOf(table: string, { tasks }: WorkspaceModel): string {
  const task = tasks.find((one) => one.table === table);
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

function deltas(before: Reading, after: Reading): ReadonlyMap<string, Delta> {
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
 * A unit that is left out is run by hand and rolled back, and has to change nothing.
 */
export function watched(executor: UnitExecutor, session: Session, model: WorkspaceModel, lies: Lies): UnitExecutor {
  return {
    ...executor,
    maxConcurrency: 1,
    execute: async (job, signal, follows) => {
      const before = await readSchema(session, model);
      const outcome = await executor.execute(job, signal, follows);
      const after = await readSchema(session, model);
      const wrong = liesOf(job, outcome, before, after);
      if (outcome.state === 'skipped') wrong.push(...(await missed(job, session, model, after)));
      lies.push(...wrong.map((lie) => `${job.unit} ${outcome.state}: ${lie}`));
      return outcome;
    },
  };
}

/** What a unit that was left out would have changed. */
async function missed(job: UnitJob, session: Session, model: WorkspaceModel, before: Reading): Promise<string[]> {
  await session.query('begin');
  try {
    for (const [name, value] of Object.entries(job.options.settings))
      await session.query(`select set_config('${name}', $1, true)`, [value]);
    for (const { text } of job.statements) {
      if (!/^\s*(?:begin|commit)\s*$/i.test(text)) await session.query(text);
    }
    await session.query("set local timezone = 'UTC'");
    const changed = deltas(before, await readSchema(session, model));
    return [...changed].map(([table, delta]) => `a run of it changes ${table}: ${inWords(delta)}`);
  } finally {
    await session.query('rollback');
  }
}

function liesOf(job: UnitJob, outcome: UnitOutcome, before: Reading, after: Reading): string[] {
  const changed = deltas(before, after);
  const own = new Set(job.slices.map(({ table }) => table));
  const notes = 'notes' in outcome ? outcome.notes.join('\n') : '';
  const lies: string[] = [];
  for (const [table, delta] of changed) {
    if (outcome.state === 'changed' ? own.has(table) : false) continue;
    // Effects beside the slices are kept, and said.
    if ((outcome.state === 'changed' || outcome.state === 'unchanged') && !own.has(table) && notes.includes(table))
      continue;
    lies.push(`${table} is another now: ${inWords(delta)}`);
  }
  if (outcome.state !== 'changed' && outcome.state !== 'unchanged') return lies;
  for (const table of own) {
    const diffs = outcome.slices.filter((diff) => diff.table === table);
    if (diffs.length === 0) lies.push(`nothing is said of ${table}`);
    for (const diff of diffs) lies.push(...liesOfSlice(diff, before.get(table) ?? [], after.get(table) ?? []));
    const said = diffs.some(({ added, removed, changed: some }) => (added ?? 0) + (removed ?? 0) + (some ?? 0) > 0);
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
    ['rows added', diff.added, added.length - both],
    ['rows removed', diff.removed, removed.length - both],
    ['rows changed', diff.changed, both],
    ['the same checksum', diff.before?.rowChecksum === diff.after?.rowChecksum, added.length + removed.length === 0],
  ];
  return facts
    .filter(([, said, is]) => said !== is)
    .map(([what, said, is]) => `${diff.table} ${what}: ${said} is ${is}`);
}

const inWords = ({ added, removed }: Delta): string =>
  [...removed.slice(0, 3).map(({ text }) => `- ${text}`), ...added.slice(0, 3).map(({ text }) => `+ ${text}`)].join(
    ' ',
  );
