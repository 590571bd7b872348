import type { TaskId } from '../../pipeline/model/model.ts';
import type { TaskGraph } from '../tasks/task-graph.ts';

/** Runs of another task by when they are due: with a later logical date, after the moment at which the own run is due, or from it on. */
export type LaterRuns = 'after-its-date' | 'after-its-turn' | 'from-its-turn';

/**
 * Which runs of `parent` can only come after the task's own: a stage is before them that is emptied for them, and has to wait for
 * whoever uses its rows, the task or one behind it: in the run before, or in a run of another pipeline whose turn is earlier. A read
 * of all that there is then means what there is by its run.
 */
export function laterRunsByStage(graph: TaskGraph): (task: TaskId, parent: TaskId) => readonly LaterRuns[] {
  const stages = [...graph.tasks.values()].filter(({ usedBy = [], turns = [] }) => usedBy.length + turns.length > 0);
  const reached = new Map<TaskId, ReadonlySet<TaskId>>();
  const behind = (task: TaskId): ReadonlySet<TaskId> => {
    const known = reached.get(task);
    if (known !== undefined) return known;
    const found = new Set([task]);
    for (const id of found) for (const child of graph.children.get(id) ?? []) found.add(child);
    reached.set(task, found);
    return found;
  };
  return (task, parent) => {
    const before = stages.filter(({ id }) => behind(id).has(parent));
    const isBefore = (users: readonly TaskId[]): boolean => users.some((user) => behind(task).has(user));
    const turns = before.flatMap(({ turns = [] }) => turns).filter(({ users }) => isBefore(users));
    const runs = new Set<LaterRuns>(turns.map(({ isFirst }) => (isFirst ? 'from-its-turn' : 'after-its-turn')));
    if (before.some(({ usedBy = [] }) => isBefore(usedBy))) runs.add('after-its-date');
    return [...runs];
  };
}
