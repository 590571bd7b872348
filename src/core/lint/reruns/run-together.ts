import { alwaysWith, excludes } from '../../pipeline/model/condition.ts';
import type { LintContext } from '../context/lint-context.ts';
import type { Together } from '../context/task-branches.ts';
import type { StatementView } from '../source/statement-view.ts';

/** How often a run that sends the second statement sends the first one too. */
export function runTogether(context: LintContext, first: StatementView, second: StatementView): Together {
  if (first.task === second.task) {
    if (excludes(first.sql, second.sql)) return 'never';
    return alwaysWith(first.sql, second.sql) ? 'always' : 'sometimes';
  }
  const tasks = context.together(first.task.id, second.task.id);
  return tasks === 'always' && (first.sql.conditions ?? []).length > 0 ? 'sometimes' : tasks;
}

/** What a run that sends the second statement has to have for the first one to be sent too, after "unless". */
export function unlessInWords(context: LintContext, first: StatementView, second: StatementView): string {
  const known = first.task === second.task ? (second.sql.conditions ?? []) : [];
  const open = (first.sql.conditions ?? []).find(
    (condition) => !known.some(({ key, holds }) => key === condition.key && holds === condition.holds),
  );
  if (open !== undefined && /^(?:except|case)\b/.test(open.text))
    return open.holds ? `it comes to "${open.text}"` : `it does not come to "${open.text}"`;
  if (open !== undefined) return open.holds ? open.text : `not (${open.text})`;
  return context.together(first.task.id, second.task.id) === 'sometimes'
    ? `task "${first.task.name}" is not skipped`
    : `task "${first.task.name}" has emptied it`;
}
