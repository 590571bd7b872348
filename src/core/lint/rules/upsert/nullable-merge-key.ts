import { isJournalName } from '../../../lineage/facts/table-roles.ts';
import type { CommonTable, FromItem, QueryBlock, SqlExpression } from '../../../sql/model/expression.ts';
import { within } from '../../../sql/model/sql-search.ts';
import type { Span } from '../../../text/span.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { runsOnce } from '../../context/runs-once.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import { sourceNamed } from '../../keys/column-origin.ts';
import { filledBefore, type KeyColumn, upsertKey } from '../../keys/upsert-key.ts';
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

/** A row whose key has a NULL is never found again, so that a second run adds it once more. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    if (runsOnce(task.pipeline)) continue;
    for (const view of task.statements) {
      const { target, temporary } = view.statement;
      const upsert = upsertKey(view);
      if (target === undefined || upsert === undefined || temporary) continue;
      const key = tableKey(view, target);
      if (isJournalName(key) || isMadeAnew(context, task, view, key)) continue;
      for (const column of upsert.columns) {
        const refused = refusesNull(context, view, key, column);
        if (refused === 'yes') continue;
        const found = nullable(task, view, column);
        if (found === undefined) continue;
        const fix = nullSafeFix(context, view, column);
        yield {
          at: placeOf(found.by, found.mark),
          severity: refused === 'unknown' ? 'warning' : 'error',
          message: `${column.name} can be NULL (${found.reason}), and NULL equals nothing: a second run does not find such rows of ${tableLabel(view, target)} by their key and adds them again${refused === 'unknown' ? ', unless the table takes no NULL there' : ''}.`,
          subject: writeSubject(view, key),
          restsOn: [view, found.by],
          related:
            found.by === view && column.equality !== undefined
              ? [{ message: 'compared here', at: placeOf(view, column.equality) }]
              : [],
          fixes: fix ? [fix] : [],
        };
      }
    }
  }
}

/** Whether the target keeps NULL out of the column; an upsert by a key needs a key, whose columns may take NULL. */
function refusesNull(
  context: LintContext,
  view: StatementView,
  key: string,
  { name }: KeyColumn,
): 'yes' | 'no' | 'unknown' {
  const column = context.table(key)?.columns.find((one) => one.name === name);
  if (column?.notNull === true) return 'yes';
  return view.statement.kind === 'merge' || column !== undefined ? 'no' : 'unknown';
}

interface Nullable {
  readonly by: StatementView;
  readonly mark: Span;
  readonly reason: string;
}

function nullable(task: TaskView, view: StatementView, column: KeyColumn): Nullable | undefined {
  const { origin } = column;
  if (origin !== undefined && !isAsked(view, column)) {
    const common = view.statement.query?.with ?? view.statement.with;
    const reason = mayBeNull(view, origin.item.expression, origin.block, common);
    if (reason !== undefined) return { by: view, mark: origin.item, reason };
  }
  const filled = filledBefore(task, view);
  const query = filled?.statement.query;
  if (filled === undefined || query === undefined || query.then.length > 0 || isAsked(view, column)) return undefined;
  const item = query.select.find(({ name }) => name === column.name);
  const reason = item && mayBeNull(filled, item.expression, query, query.with);
  return item === undefined || reason === undefined ? undefined : { by: filled, mark: item, reason };
}

/** Some condition on the way keeps NULL out, or speaks of it. */
function isAsked(view: StatementView, { name, origin }: KeyColumn): boolean {
  const { statement } = view;
  const names = new Set([name, origin?.item.name ?? name]);
  const rows = statement.query;
  const conditions = [
    ...(origin?.block.where ?? []),
    ...(origin?.block.having ?? []),
    ...(origin?.block.qualify ?? []),
    ...(rows?.where ?? []),
    ...statement.branches.flatMap(({ condition }) => condition),
    ...(rows?.with ?? []).flatMap(({ query }) => query.where),
    ...(rows?.from ?? []).flatMap((item) => [...item.on, ...(item.kind === 'query' ? item.query.where : [])]),
  ];
  return conditions.some((conjunct) => within(conjunct).some((one) => one.kind === 'column' && names.has(one.name)));
}

/** Why an expression gives NULL for some rows, whatever its table takes; `undefined` where only its data tell. */
function mayBeNull(
  view: StatementView,
  expression: SqlExpression,
  block: QueryBlock,
  scope: readonly CommonTable[],
): string | undefined {
  switch (expression.kind) {
    case 'cast':
      if (/^(?:try|safe)_/i.test(sourceText(view, expression))) return 'a cast that may fail';
      return mayBeNull(view, expression.operand, block, scope);
    case 'call':
      if (expression.window !== undefined) return undefined;
      if (expression.name === 'nullif') return 'nullif';
      if (/^(?:try_to_\w+|safe\.\w+)$/.test(expression.name)) return expression.name;
      if (passes.test(expression.name) && expression.arguments.length > 0)
        return expression.arguments.map((one) => mayBeNull(view, one, block, scope)).find((one) => one !== undefined);
      return undefined;
    case 'literal':
      return expression.type === 'null' ? 'it is NULL' : undefined;
    case 'case':
      return /\belse\b/i.test(sourceText(view, expression)) ? undefined : 'a CASE without ELSE';
    case 'column': {
      const source = expression.qualifier === undefined ? undefined : sourceNamed(block.from, expression.qualifier);
      return source !== undefined && isOptional(source, block) && !restricts(block, expression.qualifier)
        ? 'of an outer join that finds nothing'
        : undefined;
    }
    default:
      return undefined;
  }
}

/** NULL in gives NULL out. */
const passes =
  /^(?:lower|upper|trim|ltrim|rtrim|btrim|initcap|substr|substring|left|right|date|date_trunc|to_date|replace|md5|abs)$/;

function isOptional(source: FromItem, { from }: QueryBlock): boolean {
  const at = from.indexOf(source);
  return (
    source.join === 'left' ||
    source.join === 'full' ||
    from.slice(at + 1).some(({ join }) => join === 'right' || join === 'full')
  );
}

/** A condition of WHERE on the entry drops the rows that it does not have. */
const restricts = ({ where, from }: QueryBlock, qualifier: string | undefined): boolean =>
  [...where, ...from.filter(({ join }) => join === 'inner').flatMap(({ on }) => on)].some((conjunct) =>
    within(conjunct).some((one) => one.kind === 'column' && one.qualifier === qualifier),
  );

const isMadeAnew = (context: LintContext, task: TaskView, view: StatementView, key: string): boolean =>
  task.statements.some((other) => other.order < view.order && empties(other, key)) ||
  context.runEarlier(task, key).some((other) => empties(other, key));

/** The comparison in which NULL is like NULL. */
function nullSafeFix(context: LintContext, view: StatementView, { equality }: KeyColumn): Fix | undefined {
  if (equality === undefined) return undefined;
  const operator = view.sql.dialect === 'spark' || view.sql.dialect === 'mysql' ? '<=>' : 'IS NOT DISTINCT FROM';
  if (view.sql.dialect === 'redshift' || view.sql.dialect === 'ansi') return undefined;
  const text = sourceText(view, equality);
  const sides = /^([\w."`]+)\s*==?\s*([\w."`]+)$/.exec(text);
  if (sides === null) return undefined;
  const edits = editSql(context, view, [
    { start: equality.start, end: equality.end, newText: `${sides[1]} ${operator} ${sides[2]}` },
  ]);
  return edits && { title: `Find NULL by NULL: ${operator}`, edits, preferred: true };
}

export default {
  id: 'nullable-merge-key',
  severity: 'error',
  summary: 'A key of an upsert that can be NULL, which is found by nothing',
  help: 'Give the key a value in place of NULL (`coalesce`), or compare so that NULL finds NULL (`IS NOT DISTINCT FROM`, `<=>`).',
  supersedes: ['do-nothing-upsert'],
  provable: 'second run',
  check,
} satisfies Rule;
