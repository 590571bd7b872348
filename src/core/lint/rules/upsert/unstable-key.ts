import { queryOf } from '../../../lineage/columns/query-scope.ts';
import { isJournalName, isStagingName } from '../../../lineage/facts/table-roles.ts';
import type { CommonTable, QueryBlock, SelectItem, SqlExpression } from '../../../sql/model/expression.ts';
import { within } from '../../../sql/model/sql-search.ts';
import type { Span } from '../../../text/span.ts';
import { intervalColumns } from '../../bounds/interval-columns.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { runsOnce } from '../../context/runs-once.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import { conflictKeyOf, filledBefore, type KeyColumn, type UpsertKey, upsertKey } from '../../keys/upsert-key.ts';
import { type Volatile, volatileValue } from '../../keys/volatile-value.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { empties } from '../../reruns/insert-guard.ts';
import {
  placeOf,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** A second run gives the same rows other keys, so that none is found again or they stand for other things. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    if (runsOnce(task.pipeline)) continue;
    for (const view of task.statements) {
      const { target, temporary } = view.statement;
      if (target === undefined || temporary) continue;
      const key = tableKey(view, target);
      if (isJournalName(key)) continue;
      yield* ofKey(context, task, view, key);
      if (!isStagingName(key)) yield* ofIdentifier(context, task, view, key);
    }
  }
}

/** The columns by which an upsert looks for the row that is there. */
function* ofKey(context: LintContext, task: TaskView, view: StatementView, key: string): Generator<RuleFinding> {
  const upsert = keyOf(context, view, key);
  const { target } = view.statement;
  if (upsert === undefined || target === undefined) return;
  const found = upsert.columns.map((column) => ({ column, ...made(task, view, column) }));
  const changing = found.find(({ volatile }) => volatile !== undefined);
  const table = tableLabel(view, target);
  if (changing?.mark !== undefined && changing.volatile !== undefined) {
    const { column, mark, volatile, by } = changing;
    const fix = uuidFix(context, by, column, volatile);
    yield {
      at: placeOf(by, mark),
      message: `${column.name} comes from ${volatile.name}, which gives each run another value: a second run finds no row of ${table} by its key and adds all of them again.`,
      subject: writeSubject(view, key),
      restsOn: [by],
      fixes: fix ? [fix] : [],
    };
    return;
  }
  // Numbers that begin anew with each interval are those of another interval's rows.
  const first = found[0];
  if (found.length !== 1 || first?.mark === undefined || !upsert.isWhole || intervalColumns(first.by).size === 0)
    return;
  if (!isRowNumber(first.column.origin?.item.expression)) return;
  yield {
    at: placeOf(first.by, first.mark),
    message: `${first.column.name} counts the rows of one run from 1, so that each interval's rows of ${table} are put over those of another one.`,
    subject: writeSubject(view, key),
    restsOn: [first.by],
  };
}

/** Where an upsert names no key, the table's only one decides. */
function keyOf(context: LintContext, view: StatementView, key: string): UpsertKey | undefined {
  const named = upsertKey(view);
  if (named !== undefined || view.statement.conflict === undefined) return named;
  const keys = context.table(key)?.keys ?? [];
  return keys.length === 1 && keys[0] !== undefined ? conflictKeyOf(view, keys[0]) : undefined;
}

interface Made {
  /** The statement that makes it. */
  readonly by: StatementView;
  readonly mark: Span | undefined;
  readonly volatile: Volatile | undefined;
}

function made(task: TaskView, view: StatementView, column: KeyColumn): Made {
  const item = column.origin?.item;
  const expression = item?.expression ?? column.value;
  if (item !== undefined && expression?.kind !== 'column')
    return { by: view, mark: item, volatile: volatileOf(view, item) };
  if (expression !== undefined && item === undefined)
    return { by: view, mark: expression, volatile: volatileValue(view, expression) };
  const filled = filledBefore(task, view);
  const items = filled?.statement.query?.then.length === 0 ? filled.statement.query.select : [];
  const name = column.equality === undefined ? column.name : (item?.name ?? column.name);
  const own = items.find((one) => one.name === name);
  return filled === undefined || own === undefined
    ? { by: view, mark: undefined, volatile: undefined }
    : { by: filled, mark: own, volatile: volatileOf(filled, own) };
}

const volatileOf = (view: StatementView, { expression }: SelectItem): Volatile | undefined =>
  volatileValue(view, expression);

const isRowNumber = (expression: SqlExpression | undefined): boolean =>
  expression?.kind === 'call' && expression.name === 'row_number' && expression.window?.partitionBy.length === 0;

/** A column that names the row, in a table or a part of one that each run makes anew. */
function* ofIdentifier(context: LintContext, task: TaskView, view: StatementView, key: string): Generator<RuleFinding> {
  const { query, columns, conflict, assignments, target, reads } = view.statement;
  // Rows that come out of no table are made up: none of them is the same in two runs.
  if (query === undefined || target === undefined || view.statement.kind === 'merge' || reads.length === 0) return;
  const table = context.table(key);
  const sole = table?.keys.find((one) => one.length === 1)?.[0];
  const isAnew = conflict === undefined && isMadeAnew(context, task, view, key);
  for (const { item, name } of outputs(query, columns)) {
    if (name === undefined || isRunsOwn.test(name) || !(identifier.test(name) || name === sole)) continue;
    const isSet = conflict?.action === 'update' && assignments.some((one) => one.column === name);
    if (!isAnew && !(isSet && !conflict.key.includes(name))) continue;
    const volatile = volatileValue(view, item.expression);
    if (volatile === undefined || isDrawn(volatile, item.expression)) continue;
    const fix = uuidFix(
      context,
      view,
      { name, origin: { item, block: query }, value: undefined, equality: undefined },
      volatile,
    );
    yield {
      at: placeOf(view, item),
      message: `${name} comes from ${volatile.name}${volatile.kind === 'unordered' ? ' without an order' : ''}: a second run gives the same row of ${tableLabel(view, target)} another one, and whatever has kept the old one points at nothing or at another row.`,
      subject: `${writeSubject(view, key)} column ${name}`,
      restsOn: [view],
      fixes: fix ? [fix] : [],
    };
  }
}

/** A number that is drawn names nothing: it stands for another table's row in made-up data, or is a share. */
const isDrawn = ({ kind, name }: Volatile, expression: SqlExpression): boolean =>
  kind === 'random' &&
  !/uuid|newid|randstr|bytes/i.test(name) &&
  !within(expression).some(
    (one) => one.kind === 'call' && /^(?:md5|sha\w*|hash\w*|encode|to_hex|farm_fingerprint)$/.test(one.name),
  );

const identifier = /^(?:id|uuid|guid|key|pk|sk)$|_(?:id|uuid|guid|key|pk|sk)$/;

/** What tells the run rather than the row. */
const isRunsOwn =
  /(?:^|_)(?:batch|run|load|job|etl|elt|exec|execution|process|task|import|sync|ingest|ingestion|session|trace|request|upload|file|extract|audit|log|random|sample|bucket|shard|partition|sort)_?(?:id|uuid|guid|key)$/;

function outputs(
  query: QueryBlock,
  columns: readonly string[],
): readonly { readonly item: SelectItem; readonly name: string | undefined }[] {
  const hasStar = query.select.some(({ expression }) => expression.kind === 'star');
  return query.select.map((item, at) => ({
    item,
    name: columns.length > 0 && !hasStar ? (columns[at] ?? item.name) : item.name,
  }));
}

function isMadeAnew(context: LintContext, task: TaskView, view: StatementView, key: string): boolean {
  if (/^(?:create_table_as|insert_overwrite|insert_replace_where)$/.test(view.statement.kind)) return true;
  if (view.statement.kind !== 'insert') return false;
  const before = [...task.statements.filter(({ order }) => order < view.order), ...context.runEarlier(task, key)];
  return before.some((other) => empties(other, key) && !isOfRun(other));
}

/** Takes away what one run has put there, by a number of its own: no other run has the same rows. */
function isOfRun({ statement }: StatementView): boolean {
  const columns = statement.where.flatMap(within).filter((one) => one.kind === 'column');
  return statement.kind === 'delete' && columns.length > 0 && columns.every(({ name }) => isRunsOwn.test(name));
}

/** A UUID of the columns that tell the rows apart: Postgres, where the query itself makes them one row each. */
function uuidFix(
  context: LintContext,
  view: StatementView,
  { origin }: KeyColumn,
  volatile: Volatile,
): Fix | undefined {
  if (origin === undefined || view.sql.dialect !== 'postgres') return undefined;
  if (!/^(?:gen_random_uuid|uuid_generate_v[14]|uuidv[47])\(\)$/.test(volatile.name)) return undefined;
  const call = view.statement.nondeterministic.find(
    ({ start, end, family }) => family === 'random' && origin.item.start <= start && end <= origin.item.end,
  );
  const columns = distinctColumns(origin.block, view.statement.query?.with ?? []);
  if (call === undefined || columns === undefined || origin.item.expression.end !== call.end) return undefined;
  const text = columns.map((column) => sourceText(view, column)).join(', ');
  const edits = editSql(context, view, [
    { start: call.start, end: call.end, newText: `md5(ROW(${text})::text)::uuid` },
  ]);
  return edits && { title: `Make the key of what tells the rows apart: ${text}`, edits, preferred: true };
}

/** Columns of a block that are together different in each of its rows: those of its GROUP BY, or of a DISTINCT below it. */
function distinctColumns(block: QueryBlock, scope: readonly CommonTable[]): readonly Span[] | undefined {
  const plain = (expressions: readonly SqlExpression[]): readonly Span[] | undefined =>
    expressions.length > 0 && expressions.every(({ kind }) => kind === 'column') ? expressions : undefined;
  if (block.groupBy.length > 0) return plain(block.groupBy);
  const [only] = block.from;
  const inner =
    block.from.length === 1 && only !== undefined ? queryOf(only, [...block.with, ...scope])?.query : undefined;
  if (inner?.distinct !== true || inner.distinctOn !== undefined || inner.then.length > 0) return undefined;
  // The block has to carry all of them under the names that they have below.
  const found = inner.select.map(({ name }) =>
    block.select
      .flatMap(({ expression }) => within(expression))
      .find((one) => one.kind === 'column' && one.name === name),
  );
  return found.every((one) => one !== undefined) ? plain(found) : undefined;
}

export default {
  id: 'unstable-key',
  severity: 'error',
  summary: 'A key or identifier that is another one in each run',
  help: 'Make the key of what tells the record apart: a column of the source, or a hash of its natural key.',
  supersedes: ['do-nothing-upsert', 'unconditional-upsert', 'plain-insert'],
  provable: 'second run',
  check,
} satisfies Rule;
