import { saysChange } from '../../../lineage/columns/column-type.ts';
import { isJournalName, isStagingName } from '../../../lineage/facts/table-roles.ts';
import type { SqlExpression } from '../../../sql/model/expression.ts';
import { blocksOf, filtersOf, within } from '../../../sql/model/sql-search.ts';
import type { Assignment } from '../../../sql/model/statement.ts';
import type { Span } from '../../../text/span.ts';
import { comparisonOf } from '../../bounds/comparison.ts';
import { intervalColumns, usesInterval } from '../../bounds/interval-columns.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { editSql } from '../../fixes/sql-edit.ts';
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

/** A second run of an old interval puts its values over those that a later interval has brought. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { target } = view.statement;
      const update = target && updating(view);
      if (target === undefined || update === undefined) continue;
      const key = tableKey(view, target);
      const changed = changeColumn(view);
      if (
        changed === undefined ||
        update.key.length === 0 ||
        update.key.some((name) => intervalColumns(view).has(name) || isStamp(view, name))
      )
        continue;
      if (isJournalName(key) || isStagingName(key) || isMadeAnew(context, task, view, key)) continue;
      if (update.assignments.some((one) => weighs(view, one, changed))) continue;
      const fix = guardFix(context, view, update, changed);
      yield {
        at: placeOf(view, update.mark),
        severity: 'warning',
        message: `Rows are chosen by ${changed}, which moves on when they change: running an old interval again puts its values of ${tableLabel(view, target)} over newer ones. Update only where ${changed} is not older.`,
        subject: writeSubject(view, key),
        restsOn: [view],
        fixes: fix ? [fix] : [],
      };
    }
  }
}

/** Filled with a time of the interval, in the query or one below it, so that each interval has rows of its own. */
const isStamp = (view: StatementView, column: string): boolean =>
  blocksOf(view.statement).some(({ select }) =>
    select.some(
      ({ name, expression }) =>
        name === column &&
        usesInterval(view, expression) &&
        within(expression).every(({ kind }) => kind !== 'column' && kind !== 'subquery'),
    ),
  );

interface Updating {
  readonly mark: Span;
  readonly key: readonly string[];
  readonly assignments: readonly Assignment[];
}

/** The part of an upsert that writes over rows that are there, whatever they are. */
function updating(view: StatementView): Updating | undefined {
  const { conflict, assignments, branches, on } = view.statement;
  if (conflict !== undefined)
    return conflict.action === 'update' && conflict.where.length === 0
      ? { mark: actionOf(view, conflict), key: conflict.key, assignments }
      : undefined;
  const branch = branches.find(({ action, matched }) => action === 'update' && matched === 'matched');
  if (branch === undefined || branch.condition.length > 0) return undefined;
  const key = on.flatMap((conjunct) =>
    [...within(conjunct)].flatMap((one) => (one.kind === 'column' ? [one.name] : [])),
  );
  return { mark: branch.actionSpan, key, assignments: branch.assignments };
}

/** `DO UPDATE`, without what it sets. */
const actionOf = (view: StatementView, conflict: Span): Span => ({
  start: conflict.start,
  end: conflict.start + (/^.*?\bupdate\b/is.exec(sourceText(view, conflict))?.[0].length ?? 0),
});

/** A column that a change of the row moves on, by which the rows of the interval are chosen. */
function changeColumn(view: StatementView): string | undefined {
  for (const { conjunct } of filtersOf(view.statement)) {
    const found = comparisonOf(conjunct);
    if (found?.low === undefined || !usesInterval(view, found.low.value)) continue;
    if (saysChange(found.column.name)) return found.column.name;
  }
  return undefined;
}

/** `greatest(t.updated_at, excluded.updated_at)`, `CASE WHEN excluded.updated_at > …`: the newer value stays. */
const weighs = (view: StatementView, { value }: Assignment, changed: string): boolean =>
  compares(value) && new RegExp(`\\b${changed}\\b`, 'i').test(sourceText(view, value));

const compares = (value: SqlExpression): boolean =>
  within(value).some((one) => one.kind === 'case' || (one.kind === 'call' && /^(?:greatest|max|iff?)$/.test(one.name)));

const isMadeAnew = (context: LintContext, task: TaskView, view: StatementView, key: string): boolean =>
  task.statements.some((other) => other.order < view.order && empties(other, key)) ||
  context.runEarlier(task, key).some((other) => empties(other, key));

/** The condition on the version, where both sides have the column: it is inserted, and it is set. */
function guardFix(context: LintContext, view: StatementView, update: Updating, changed: string): Fix | undefined {
  const { conflict, columns, target, targetAlias } = view.statement;
  const plain = /^(?:postgres|duckdb|ansi)$/.test(view.sql.dialect);
  if (conflict === undefined || target === undefined || !plain) return undefined;
  if (!columns.includes(changed) || !update.assignments.some(({ column }) => column === changed)) return undefined;
  const name = targetAlias ?? sourceText(view, target).split('.').at(-1);
  const last = update.assignments.at(-1);
  if (last === undefined) return undefined;
  const newText = ` WHERE EXCLUDED.${changed} >= ${name}.${changed}`;
  const edits = editSql(context, view, [{ start: last.end, end: last.end, newText }]);
  return edits && { title: `Update only where ${changed} is not older`, edits, preferred: true };
}

export default {
  id: 'unconditional-upsert',
  severity: 'warning',
  summary: 'An upsert of rows chosen by their time of change, which an old interval puts over newer ones',
  help: 'Compare the versions: `DO UPDATE SET … WHERE EXCLUDED.updated_at >= target.updated_at`, `WHEN MATCHED AND s.updated_at >= t.updated_at`.',
  supersedes: [],
  check,
} satisfies Rule;
