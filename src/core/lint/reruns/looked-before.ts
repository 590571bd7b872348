import type { LintContext } from '../context/lint-context.ts';
import { type StatementView, sameTable, type TaskView, tableKey } from '../source/statement-view.ts';

/**
 * Python of the task, or of one before it, that fetches rows of the table to which the task then adds: it may leave out
 * what it finds there, which only the run knows. After "unless".
 */
export function lookedBefore(
  context: LintContext,
  task: TaskView,
  key: string,
  adding: StatementView | undefined,
): string | undefined {
  const found = context
    .statementsOn(key)
    .find(
      ({ owner, view }) =>
        fetches(view, key) &&
        (owner === task ? adding === undefined || view.order < adding.order : context.isBefore(owner, task)),
    );
  if (found === undefined) return undefined;
  const who = found.owner === task ? 'it' : `task "${found.owner.task.name}"`;
  return `what ${who} has read of the table before keeps them out`;
}

/** Rows or marks of them; how many there are tells none apart. */
const fetches = (view: StatementView, key: string): boolean =>
  view.statement.kind === 'select' &&
  view.sql.sentBy !== undefined &&
  view.statement.reads.some((read) => sameTable(tableKey(view, read), key)) &&
  view.statement.query?.select.every(({ expression }) => expression.kind === 'call' && expression.name === 'count') !==
    true;
