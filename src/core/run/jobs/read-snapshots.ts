import type { DeclaredSources } from '../../lineage/facts/declared-sources.ts';
import type { ReadFact, SnapshotRead, TaskFacts } from '../../lineage/facts/facts.ts';
import type { Task } from '../../pipeline/model/model.ts';
import { lex } from '../../sql/lex/lexer.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import { renderTemplate } from '../../template/render/render.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import { quoteIdentifier, quoteLiteral } from '../../warehouse/dialects/postgres/quote.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { InputSnapshot } from '../unit/unit-job.ts';
import { dottedName, type RenderedSql } from './render-statements.ts';
import { type Substitute, substituteTables } from './snapshot-statements.ts';

/** The snapshot that an interval reads instead of a source. */
export interface SnapshotChoice extends Substitute {
  readonly read: ReadFact;
  /** As readings name tables. */
  readonly table: string;
  readonly snapshot: InputSnapshot;
}

/** The snapshots that one interval of a task reads, or why that cannot be told, by name. */
export function chooseSnapshots(
  reads: readonly ReadFact[],
  task: Task,
  context: TemplateContext,
): readonly SnapshotChoice[] | JobRefusal {
  const choices: SnapshotChoice[] = [];
  for (const read of reads) {
    if (read.snapshot === undefined) continue;
    const choice = chooseSnapshot(read, read.snapshot, task, context);
    if ('remedy' in choice) return choice;
    choices.push(choice);
  }
  return choices;
}

function chooseSnapshot(
  read: ReadFact,
  { source, of, through, snapshots, columns }: SnapshotRead,
  task: Task,
  context: TemplateContext,
): SnapshotChoice | JobRefusal {
  const refuse = (message: string, remedy: string): JobRefusal => ({
    code: 'no-snapshot',
    message: `${task.id}: ${message}`,
    remedy,
    at: read.at,
  });
  if (through !== undefined) {
    return refuse(
      `it reads ${source} through the view ${through}, which cannot be turned to the snapshot of an interval`,
      `name ${source} in the task’s own SQL, or take the view’s query into it`,
    );
  }
  const name = renderTemplate(snapshots.table, context);
  const date = renderTemplate(snapshots.date, context);
  const failed = !name.ok ? name : !date.ok && snapshots.column !== undefined ? date : undefined;
  if (failed !== undefined) {
    const remedy = `mend snapshots of ${source} in backfill.yaml`;
    return refuse(`${failed.expression} in the snapshots of ${source} cannot be rendered: ${failed.reason}`, remedy);
  }
  const table = name.ok ? tableOf(name.text) : undefined;
  if (!name.ok || table === undefined) {
    const text = name.ok ? name.text : '';
    return refuse(
      `the snapshot of ${source} would be “${text}”, which is no name of a table`,
      `mend snapshots of ${source} in backfill.yaml`,
    );
  }
  if (snapshots.column === undefined || !date.ok) {
    return { read, of, table, sql: name.text.trim(), snapshot: { of: source, column: undefined, date: undefined } };
  }
  if (columns === undefined) {
    return refuse(
      `the columns of ${source} are not known, so that its snapshots in ${table} would be read with the column ${snapshots.column} among them`,
      `list them as columns under snapshots of ${source} in backfill.yaml`,
    );
  }
  const day = quoteLiteral(date.text.trim());
  const list = columns.map(quoteIdentifier).join(', ');
  const sql = `(select ${list} from ${name.text.trim()} where ${quoteIdentifier(snapshots.column)} = ${day})`;
  return { read, of, table, sql, snapshot: { of: source, column: snapshots.column, date: date.text.trim() } };
}

/** A name as readings have it; `undefined` for any other text. */
function tableOf(text: string): string | undefined {
  const { tokens } = lex(plainText(text), 'postgres');
  const parts = dottedName(tokens, 0);
  return parts.length > 0 && tokens.length === 2 * parts.length - 1
    ? parts.map((part) => part.text).join('.')
    : undefined;
}

/**
 * The statements of a task with snapshots instead of sources. Refused where a source is named in a way that a snapshot
 * cannot take the place of, or nowhere, because then its rows of today would be read.
 */
export function readSnapshots(
  rendered: readonly RenderedSql[],
  choices: readonly SnapshotChoice[],
  task: Task,
): readonly RenderedSql[] | JobRefusal {
  if (choices.length === 0) return rendered;
  const found = new Set<SnapshotChoice>();
  const texts: RenderedSql[] = [];
  for (const [index, sql] of rendered.entries()) {
    const { dialect } = task.sql[index] ?? { dialect: 'postgres' as const };
    const statements: RenderedSql['statements'][number][] = [];
    for (const statement of sql.statements) {
      const { text, outOfReach, replaced } = substituteTables(statement.text, dialect, choices);
      if (outOfReach !== undefined) {
        const named = statement.text.slice(outOfReach.start, outOfReach.end);
        return {
          code: 'no-snapshot',
          message: `${task.id}: ${named} stands where its snapshot cannot be read instead`,
          remedy: 'name it in FROM or JOIN, outside of bodies in quotes',
          at: statement.at,
        };
      }
      for (const choice of choices) if (replaced.has(choice)) found.add(choice);
      statements.push({ ...statement, text });
    }
    texts.push({ ...sql, statements });
  }
  const missing = choices.find((choice) => !found.has(choice));
  if (missing === undefined) return texts;
  const { of } = missing.snapshot;
  return {
    code: 'no-snapshot',
    message: `${task.id}: it reads ${of}, but no statement names it where its snapshot could be read instead`,
    remedy: `name ${of} in the task’s own SQL, or take snapshots of ${of} out of backfill.yaml to read its rows of today`,
    at: missing.read.at,
  };
}

/**
 * Refuses a task that names a source with snapshots only once it is rendered, in a loop or another branch: it would read
 * the rows of today, and no fact says so.
 */
export function refuseUnseenSources(
  rendered: readonly RenderedSql[],
  task: Task,
  { reads }: Pick<TaskFacts, 'reads'>,
  sources: DeclaredSources,
): JobRefusal | undefined {
  const kept = [...sources.values()].filter(({ snapshots }) => snapshots !== undefined);
  if (kept.length === 0) return undefined;
  const seen = new Set([
    ...reads.flatMap(({ table, snapshot }) => [table, ...(snapshot?.of ?? [])]),
    ...task.sql.flatMap(({ reading }) =>
      reading.statements.flatMap((statement) => statement.reads.map(({ name }) => name)),
    ),
  ]);
  for (const [index, { statements }] of rendered.entries()) {
    const { dialect } = task.sql[index] ?? { dialect: 'postgres' as const };
    for (const { text, at } of statements) {
      const names = readSql(plainText(text), dialect).statements.flatMap((one) => one.reads.map(({ name }) => name));
      const unseen = names.find(
        (name) => !seen.has(name) && kept.some(({ table }) => isSame(table, name.toLowerCase())),
      );
      if (unseen === undefined) continue;
      return {
        code: 'no-snapshot',
        message: `${task.id}: that it reads ${unseen} shows only when its template is rendered, so that its snapshot is not read instead`,
        remedy: `write the name ${unseen} into the SQL, or take its snapshots out of backfill.yaml to read its rows of today`,
        at,
      };
    }
  }
  return undefined;
}

const isSame = (a: string, b: string): boolean => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
