import { accessedTable } from '../../lineage/tasks/access-facts.ts';
import { type Conditioned, coveredBy, excludes } from '../../pipeline/model/condition.ts';
import type { TableAccess } from '../../pipeline/model/table-access.ts';
import type { LintContext } from '../context/lint-context.ts';
import { sameTable, type TaskView, tableKey } from '../source/statement-view.ts';
import { dropsWhole, empties, emptiesByOperator, hiddenBefore, moves } from './insert-guard.ts';
import { lookedBefore } from './looked-before.ts';

/** Whether the run empties a table, or the interval's part of it, before a task puts rows there without SQL, or uses it up afterwards. */
export function isEmptiedFor(context: LintContext, task: TaskView, write: Conditioned, key: string): boolean {
  const own = task.statements.filter((other) => empties(other, key) || moves(other, key));
  if (
    own.length > 0 &&
    coveredBy(
      write,
      own.map(({ sql }) => sql),
    )
  )
    return true;
  // It asks the table whether there is something to take away.
  if (own.length > 0 && task.statements.some((other) => other.statement.kind === 'select' && asks(other, key)))
    return true;
  // `session.execute(table.delete().where(…))`
  const deletes = task.task.accesses.filter(
    (other) => other.direction === 'write' && other.by === 'delete' && sameTable(accessedTable(other) ?? '', key),
  );
  if (deletes.length > 0 && coveredBy(write, deletes)) return true;
  const always = (id: string): boolean => context.together(id, task.task.id) === 'always';
  if (context.runEarlier(task, key).some((other) => empties(other, key) && always(other.task.id))) return true;
  if (context.emptyingBefore(task, key).some((other) => emptiesByOperator(other, key) && always(other.task.id)))
    return true;
  return context.runLater(task, key).some((other) => moves(other, key) || dropsWhole(other, key));
}

const asks = (view: TaskView['statements'][number], key: string): boolean =>
  view.statement.reads.some((read) => sameTable(tableKey(view, read), key));

/**
 * What may empty the table before, so that only a run knows, after "unless": a DELETE of the task under a condition, or a
 * function that is called before and whose name says that it takes rows away, where nothing of the workspace defines it.
 */
export function mayBeEmptiedFor(
  context: LintContext,
  task: TaskView,
  write: TableAccess,
  key: string,
): string | undefined {
  const own = task.statements.find((other) => empties(other, key) && !excludes(other.sql, write));
  const open = own?.sql.conditions?.find(
    (condition) =>
      !(write.conditions ?? []).some((known) => known.key === condition.key && known.holds === condition.holds),
  );
  if (open !== undefined) return open.holds ? open.text : `not (${open.text})`;
  const looked = lookedBefore(context, task, key, undefined);
  if (looked !== undefined) return looked;
  if (readsBefore(task.task.accesses, write, key)) return 'what it has read of the table before keeps them out';
  const called = clearingCall(context.text(write.at.file) ?? '', write.at.start);
  return called === undefined
    ? hiddenBefore(context, task, write.at)
    : `${called}(…), which is called before it, takes them out`;
}

/** Python has taken rows of the table, by other means than SQL, before it adds some. */
export function readsBefore(all: readonly TableAccess[], write: TableAccess, key: string): boolean {
  const at = all.indexOf(write);
  return all
    .slice(0, Math.max(at, 0))
    .some((other) => other.direction === 'read' && sameTable(accessedTable(other) ?? '', key));
}

/** In the function around a place of Python, before that place. */
function clearingCall(text: string, at: number): string | undefined {
  const start = Math.max(0, text.lastIndexOf('\ndef ', at), text.lastIndexOf('\n    def ', at));
  for (const line of text.slice(start, at).split('\n')) {
    const name = /^[^#]*?\b([\w.]*(?:clear|delete|truncate|purge|wipe|cleanup|clean_up|remove)\w*)\s*\(/i.exec(
      line,
    )?.[1];
    if (name === undefined || /\bdef\b/.test(line) || elsewhere.test(name)) continue;
    const last = name.slice(name.lastIndexOf('.') + 1);
    // One that the file defines was followed.
    if (!new RegExp(`\\bdef\\s+${last}\\b`).test(text)) return name.replace(/^\./, '');
  }
  return undefined;
}

/** What takes away something else than rows. */
const elsewhere =
  /file|object|blob|bucket|dir|folder|path|xcom|cache|tmp|temp|column|index|null|duplicate|dup|space|html|text|string|^(?:os|shutil|gc|plt|s3\w*|self\.log)\.|\.(?:clear|remove)$/i;
