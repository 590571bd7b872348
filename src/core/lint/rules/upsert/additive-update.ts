import { isJournalName, isRevisionCounter, isStagingName } from '../../../lineage/facts/table-roles.ts';
import { type SelfAddition, selfAdditions } from '../../../lineage/writes/self-additions.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { empties } from '../../reruns/insert-guard.ts';
import {
  placeOf,
  type StatementView,
  sameTable,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** A second run adds its share to a value once more, because the new value is made from the old one. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { target } = view.statement;
      const additions = additionsOf(view);
      if (target === undefined || additions.length === 0) continue;
      const key = tableKey(view, target);
      if (isJournalName(key) || madeInRun(context, task, view, key)) continue;
      for (const addition of additions) {
        const { assignment } = addition;
        if (isRevisionCounter(assignment.column)) continue;
        if (resetBefore(task, view, key, assignment.column)) continue;
        yield {
          at: placeOf(view, assignment),
          severity: addition.guarded ? 'info' : isScript(task) ? 'warning' : 'error',
          message: messageOf(addition, tableLabel(view, target)),
          subject: `${writeSubject(view, key)} column ${assignment.column}`,
          restsOn: [view],
        };
      }
    }
  }
}

/** A file that no scheduler runs and that knows no interval: what builds the table anew before it may be another file. */
const isScript = ({ pipeline, task }: TaskView): boolean =>
  pipeline.format === 'sql-file' &&
  pipeline.schedule.value.kind === 'none' &&
  task.sql.every(({ masked }) => masked.holes.length === 0);

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
      other.statement.assignments.some(
        (one) => one.column === column && additionsOf(other).every(({ assignment }) => assignment !== one),
      ),
  );

const additionsOf = (view: StatementView): readonly SelfAddition[] => {
  const { target } = view.statement;
  if (target === undefined) return [];
  const key = tableKey(view, target);
  return selfAdditions(view.statement, {
    isTarget: (qualifier) => namesTarget(view, qualifier),
    isSame: (table) => sameTable(tableKey(view, table), key),
  });
};

function namesTarget(view: StatementView, qualifier: string): boolean {
  const { target, targetAlias } = view.statement;
  if (targetAlias !== undefined) return qualifier === targetAlias;
  return target !== undefined && sameTable(tableKey(view, target), qualifier);
}

function messageOf({ assignment: { column }, adds, guarded }: SelfAddition, table: string): string {
  if (adds) {
    return guarded
      ? `The new value of ${column} contains the old one; only the guard of processed rows keeps a second run from adding it again.`
      : `Running the same interval twice adds to ${column} of ${table} twice, because the new value contains the old one.`;
  }
  return guarded
    ? `The new value of ${column} is made of the old one; only the condition on the rows keeps a second run from changing it again.`
    : `Running the same interval twice changes ${column} of ${table} twice, because the new value is made of the old one.`;
}

export default {
  id: 'additive-update',
  severity: 'error',
  summary: 'A value that UPDATE, upsert or MERGE makes from itself',
  help: 'Recompute the value from the rows of the interval, or keep one row per interval and sum when reading.',
  supersedes: ['unconditional-upsert'],
  provable: 'second run',
  check,
} satisfies Rule;
