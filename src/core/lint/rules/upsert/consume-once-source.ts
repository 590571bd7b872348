import { isJournalName, isStagingName } from '../../../lineage/facts/table-roles.ts';
import { isRetentionDelete } from '../../../lineage/writes/retention-delete.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { marks, takesOut } from '../../reruns/consumed-source.ts';
import { empties } from '../../reruns/insert-guard.ts';
import {
  placeOf,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
  tableLabel,
} from '../../source/statement-view.ts';

/** A second run finds nothing to read, because the first one marked what it had read. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const update of task.statements) {
      yield* taken(context, task, update);
      const { target } = update.statement;
      if (update.statement.kind !== 'update' || target === undefined) continue;
      const key = tableKey(update, target);
      if (isJournalName(key) || isStagingName(key) || isRefilled(context, task, key)) continue;
      const found = readerOf(context, task, update);
      if (found === undefined) continue;
      yield {
        at: placeOf(update, update.statement.head),
        message: `A second run of the same interval finds no row of ${tableLabel(update, target)} to read, because this one sets ${found.column} on what it read, and on rows that come in between; what was lost cannot be made again.`,
        subject: `${task.task.id} uses up ${key}`,
        restsOn: [update, found.reader],
        related: [{ message: 'the rows are read here', at: placeOf(found.reader, found.reader.statement.head) }],
      };
    }
  }
}

/** `WITH m AS (DELETE … RETURNING *) INSERT …`: the rows are where they were moved to, and nowhere else. */
function* taken(context: LintContext, task: TaskView, view: StatementView): Generator<RuleFinding> {
  const found = takesOut(context, task, view);
  // What is old is moved to an archive: that is no share of the interval.
  if (found?.target === undefined || (isRetentionDelete(found) && setsAge.test(sourceText(view, found)))) return;
  const key = tableKey(view, found.target);
  if (isJournalName(key) || isStagingName(key)) return;
  yield {
    at: placeOf(view, found.head),
    message: `A second run of the same interval finds no row of ${tableLabel(view, found.target)} to read, because this one deletes what it reads; what was lost cannot be made again.`,
    subject: `${task.task.id} uses up ${key}`,
    restsOn: [view],
  };
}

/** `< now() - interval '90 days'`, `< '{{ macros.ds_add(ds, -90) }}'`; up to the end of the interval is a share of its own. */
const setsAge = /\binterval\s+['\d]|ds_add|timedelta|subtract|\bdate_?(sub|add)\b|[\s)]-\s/i;

const reading = /^(insert|insert_overwrite|insert_replace_where|replace|merge|create_table_as|copy|export|unload)$/;

/** A statement before the UPDATE, in its task or in one before it, that writes what it reads of the rows not marked yet. */
function readerOf(
  context: LintContext,
  task: TaskView,
  update: StatementView,
): { readonly reader: StatementView; readonly column: string } | undefined {
  const before = context.tasks.filter((other) => other !== task && context.isBefore(other, task));
  const readers = [
    ...task.statements.filter(({ order }) => order < update.order),
    ...before.flatMap(({ statements }) => statements),
  ];
  for (const reader of readers) {
    const column = reading.test(reader.statement.kind) ? marks(update, reader) : undefined;
    if (column !== undefined) return { reader, column };
  }
  return undefined;
}

/** Another statement of the run fills the table anew, so the marks of the run before are gone. */
const isRefilled = (context: LintContext, task: TaskView, key: string): boolean =>
  [...task.statements, ...context.runEarlier(task, key)].some((other) => empties(other, key));

export default {
  id: 'consume-once-source',
  severity: 'error',
  summary: 'Rows that a run marks as done or takes out, so that a second one does not find them',
  help: 'Choose the rows by the data interval, and keep the mark out of the condition; or mark them with the interval that took them.',
  supersedes: ['plain-insert'],
  check,
} satisfies Rule;
