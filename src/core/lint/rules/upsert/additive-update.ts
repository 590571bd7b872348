import type { ChangedColumn } from '../../../lineage/facts/facts.ts';
import { rowsAgainInWords } from '../../../lineage/facts/insert-words.ts';
import { isJournalName } from '../../../lineage/facts/table-roles.ts';
import type { SourceSpan } from '../../../text/span.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { empties } from '../../reruns/insert-guard.ts';
import {
  placeOf,
  type StatementView,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** A second run changes a value once more, because the new value is made from the old one. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const { again = [], table } of context.factsOf(task)?.writes ?? []) {
      for (const changed of again) {
        const view = viewOf(task, changed.at);
        const target = view?.statement.target;
        const key = view === undefined || target === undefined ? table : tableKey(view, target);
        if (isJournalName(key) || isEmptiedBefore(context, task, key)) continue;
        yield {
          at: changed.at ?? task.task.nameAt,
          severity: severityOf(changed, task),
          message: messageOf(changed, view === undefined || target === undefined ? table : tableLabel(view, target)),
          subject: `${view === undefined ? `${task.task.id} writes ${key}` : writeSubject(view, key)} ${changed.column === undefined ? 'rows' : `column ${changed.column}`}`,
          restsOn: view === undefined ? [] : [view],
        };
      }
    }
  }
}

const severityOf = ({ certainty }: ChangedColumn, task: TaskView): 'error' | 'warning' | 'info' => {
  if (certainty === 'guarded') return 'info';
  return certainty === 'open' || isScript(task) ? 'warning' : 'error';
};

/** A file that no scheduler runs and that knows no interval: what builds the table anew before it may be another file. */
const isScript = ({ pipeline, task }: TaskView): boolean =>
  pipeline.format === 'sql-file' &&
  pipeline.schedule.value.kind === 'none' &&
  task.sql.every(({ masked }) => masked.holes.length === 0);

/** A task before it in the same run fills the table anew, so that the value is the same each time. */
const isEmptiedBefore = (context: LintContext, task: TaskView, key: string): boolean =>
  context.runEarlier(task, key).some((other) => other.statement.kind !== 'delete' && empties(other, key));

/** The statement in which a column is set. */
const viewOf = ({ statements }: TaskView, at: SourceSpan | undefined): StatementView | undefined =>
  at === undefined
    ? undefined
    : statements.find((view) => {
        const { file, start, end } = placeOf(view, view.statement);
        return file === at.file && start <= at.start && at.end <= end;
      });

function messageOf(changed: ChangedColumn, table: string): string {
  const { column, adds, certainty, why } = changed;
  if (column === undefined) return `A second run of the same interval ${rowsAgainInWords(table, changed)}.`;
  if (certainty === 'open')
    return `A second run may change ${column} of ${table} once more; what decides it is ${why}.`;
  if (adds) {
    return certainty === 'guarded'
      ? `The new value of ${column} contains the old one; only the guard of processed rows keeps a second run from adding it again.`
      : `Running the same interval twice adds to ${column} of ${table} twice, because the new value contains the old one.`;
  }
  return certainty === 'guarded'
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
