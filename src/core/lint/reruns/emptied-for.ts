import { type Conditioned, coveredBy } from '../../pipeline/model/condition.ts';
import type { LintContext } from '../context/lint-context.ts';
import type { TaskView } from '../source/statement-view.ts';
import { dropsWhole, empties, emptiesByOperator, moves } from './insert-guard.ts';

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
  const always = (id: string): boolean => context.together(id, task.task.id) === 'always';
  if (context.runEarlier(task, key).some((other) => empties(other, key) && always(other.task.id))) return true;
  if (context.emptyingBefore(task, key).some((other) => emptiesByOperator(other, key) && always(other.task.id)))
    return true;
  return context.runLater(task, key).some((other) => moves(other, key) || dropsWhole(other, key));
}
