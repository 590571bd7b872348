import type { TaskId } from '../../pipeline/model/model.ts';
import type { TaskGraph } from '../tasks/task-graph.ts';

/**
 * Whether a later run of `parent` can only come after the task's own: a stage is before it that the next run empties, and has to
 * wait for whoever uses its rows, the task or one behind it. A read of all that there is then means what there is by its run.
 */
export function chainedByStage(graph: TaskGraph): (task: TaskId, parent: TaskId) => boolean {
  const stages = [...graph.tasks.values()].filter(({ usedBy = [] }) => usedBy.length > 0);
  const reached = new Map<TaskId, ReadonlySet<TaskId>>();
  const behind = (task: TaskId): ReadonlySet<TaskId> => {
    const known = reached.get(task);
    if (known !== undefined) return known;
    const found = new Set([task]);
    for (const id of found) for (const child of graph.children.get(id) ?? []) found.add(child);
    reached.set(task, found);
    return found;
  };
  return (task, parent) =>
    stages.some(({ id, usedBy = [] }) => behind(id).has(parent) && usedBy.some((user) => behind(task).has(user)));
}
