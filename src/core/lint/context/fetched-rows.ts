import { isJournalName } from '../../lineage/facts/table-roles.ts';
import { accessedTable } from '../../lineage/tasks/access-facts.ts';
import { escapePattern } from '../../text/escape-pattern.ts';
import { type StatementView, sameTable, type TaskView, tableKey } from '../source/statement-view.ts';
import type { LintContext } from './lint-context.ts';

/**
 * Whether Python writes rows after it has fetched those of a SELECT: the task that sends it, or one behind it that takes
 * what the SELECT gave by the name of its task. What is asked of the written table itself is a look at what is there.
 */
export function isFetchedToWrite(context: LintContext, task: TaskView, view: StatementView): boolean {
  const { kind, reads: all, query } = view.statement;
  if (kind !== 'select' || all.length === 0) return false;
  // How many there are is no row that is written.
  if (query?.select.every(({ expression }) => expression.kind === 'call' && expression.name === 'count') === true)
    return false;
  const isOwn = view.sql.sentBy !== undefined;
  if (!isOwn && task.statements.length > 1) return false;
  const writers = isOwn
    ? [task]
    : context.tasks.filter((other) => context.isBefore(task, other) && pulls(context, other, task.task.name));
  const reads = view.statement.reads.map((read) => tableKey(view, read));
  return writers.some((writer) => {
    const written = writtenByRow(writer, isOwn ? view.order : -1);
    return written.length > 0 && !written.some((key) => reads.some((read) => sameTable(read, key)));
  });
}

/** Tables of data that the Python of a task puts rows into. */
const writtenByRow = ({ statements, task }: TaskView, after: number): readonly string[] =>
  [
    ...statements
      .filter(
        ({ statement, sql, order }) =>
          order > after && sql.session !== undefined && statement.kind === 'insert' && statement.valueRows > 0,
      )
      .flatMap((view) => view.statement.targets.map((target) => tableKey(view, target))),
    ...task.accesses.flatMap((access) => (access.direction === 'write' ? [accessedTable(access) ?? '?'] : [])),
  ].filter((key) => !isJournalName(key));

/** `ti.xcom_pull(task_ids="orders")` in the file of a task. */
function pulls(context: LintContext, { task }: TaskView, name: string): boolean {
  const named = new RegExp(`xcom_pull\\([^)]*["']${escapePattern(name)}["']`);
  return named.test(context.text(task.at.file) ?? '');
}
