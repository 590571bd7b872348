import type { SqlExpression } from '../../sql/model/expression.ts';
import type { Assignment } from '../../sql/model/statement.ts';
import type { LintContext } from '../context/lint-context.ts';
import { empties } from '../reruns/insert-guard.ts';
import { filtersOf, tablesOf, within } from '../source/sql-search.ts';
import {
  placeOf,
  type StatementView,
  sameTable,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../source/statement-view.ts';
import { isJournalName, isRevisionCounter, isStagingName } from '../source/table-roles.ts';
import type { Rule, RuleFinding } from './rule.ts';

function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { target } = view.statement;
      if (target === undefined || assignmentsOf(view).length === 0) continue;
      const key = tableKey(view, target);
      if (isJournalName(key) || madeInRun(context, task, view, key)) continue;
      for (const assignment of assignmentsOf(view)) {
        if (isRevisionCounter(assignment.column) || !addsToItself(view, assignment)) continue;
        if (resetBefore(task, view, key, assignment.column)) continue;
        const ledger = hasLedger(view, key);
        yield {
          at: placeOf(view, assignment),
          severity: ledger ? 'info' : 'error',
          message: ledger
            ? `The new value of ${assignment.column} contains the old one; only the guard of processed rows keeps a second run from adding it again.`
            : `Running the same interval twice adds to ${assignment.column} of ${tableLabel(view, target)} twice, because the new value contains the old one.`,
          subject: `${writeSubject(view, key)} column ${assignment.column}`,
          restsOn: [view],
        };
      }
    }
  }
}

/** SET of UPDATE and upsert, and of the branches of a MERGE; each once. */
function assignmentsOf({ statement }: StatementView): Assignment[] {
  const all = [...statement.assignments, ...statement.branches.flatMap((branch) => branch.assignments)];
  return [...new Map(all.map((assignment) => [assignment.start, assignment])).values()];
}

function addsToItself(view: StatementView, { column, value }: Assignment): boolean {
  return terms(value).length > 1 && terms(value).some((term) => isOwnColumn(view, column, term));
}

/** The operands of a chain of `+` and `-`; of a subtraction only the left side keeps its sign. */
function terms(value: SqlExpression): readonly SqlExpression[] {
  if (value.kind === 'opaque' && value.parts.length === 1 && value.parts[0]) return terms(value.parts[0]);
  if (value.kind === 'cast') return terms(value.operand);
  if (value.kind !== 'binary' || (value.operator !== '+' && value.operator !== '-')) return [value];
  return [...terms(value.left), ...terms(value.right)];
}

const nullGuards = new Set(['coalesce', 'ifnull', 'nvl', 'isnull', 'zeroifnull', 'greatest', 'round']);

function isOwnColumn(view: StatementView, column: string, term: SqlExpression): boolean {
  if (term.kind === 'opaque' && term.parts.length === 1 && term.parts[0])
    return isOwnColumn(view, column, term.parts[0]);
  if (term.kind === 'cast') return isOwnColumn(view, column, term.operand);
  if (term.kind === 'call' && nullGuards.has(term.name)) {
    const [first] = term.arguments;
    return first !== undefined && isOwnColumn(view, column, first);
  }
  if (term.kind !== 'column' || term.name !== lastPart(column)) return false;
  return term.qualifier === undefined || namesTarget(view, term.qualifier);
}

const lastPart = (name: string): string => name.split('.').at(-1) ?? name;

function namesTarget(view: StatementView, qualifier: string): boolean {
  const { target, targetAlias } = view.statement;
  if (targetAlias !== undefined) return qualifier === targetAlias;
  return target !== undefined && sameTable(tableKey(view, target), qualifier);
}

/** The table is filled anew by the same run, so the addition starts from the same value each time. */
const madeInRun = (context: LintContext, task: TaskView, view: StatementView, key: string): boolean =>
  isStagingName(key) ||
  task.statements.some((other) => other.order < view.order && empties(other, key)) ||
  context.runEarlier(task, key).some((other) => other.statement.kind !== 'delete' && empties(other, key));

const resetBefore = (task: TaskView, view: StatementView, key: string, column: string): boolean =>
  task.statements.some(
    (other) =>
      other.order < view.order &&
      other.statement.kind === 'update' &&
      other.statement.targets.some((target) => sameTable(tableKey(other, target), key)) &&
      other.statement.assignments.some((one) => one.column === column && !addsToItself(other, one)),
  );

/** Rows that were counted before are left out: an anti-join on another table, a processed flag, or an applied mark. */
function hasLedger(view: StatementView, key: string): boolean {
  const marks = new Set(
    assignmentsOf(view)
      .filter((one) => !addsToItself(view, one))
      .map((one) => lastPart(one.column)),
  );
  for (const { conjunct } of filtersOf(view.statement)) {
    for (const one of within(conjunct)) {
      if ((one.kind === 'exists' || one.kind === 'in') && one.negated && one.query) {
        if (tablesOf(one.query).some((item) => !sameTable(tableKey(view, item.table), key))) return true;
      }
      if (one.kind === 'column' && /(^|_)(processed|applied|counted|consumed|posted|booked)(_|$)/.test(one.name))
        return true;
      if (
        one.kind === 'binary' &&
        /^(<|<=|<>|!=|is distinct from)$/i.test(one.operator) &&
        one.left.kind === 'column' &&
        marks.has(one.left.name) &&
        (one.left.qualifier === undefined || namesTarget(view, one.left.qualifier))
      ) {
        return true;
      }
    }
  }
  return false;
}

export default {
  id: 'additive-update',
  severity: 'error',
  summary: 'A value that is added to itself by UPDATE, upsert or MERGE',
  help: 'Recompute the value from the rows of the interval, or keep one row per interval and sum when reading.',
  supersedes: ['unconditional-upsert'],
  provable: 'second run',
  check,
} satisfies Rule;
