import type { Pipeline, Task, TaskId } from '../../pipeline/model/model.ts';

export interface Owner {
  readonly task: Task;
  readonly pipeline: Pipeline;
}

/** Whether Airflow itself starts the one task of a DAG after the other, over however many edges. */
export function edgeFinder(owners: ReadonlyMap<TaskId, Owner>): (before: TaskId, after: TaskId) => boolean {
  const known = new Map<TaskId, ReadonlySet<TaskId>>();
  const behind = (task: TaskId): ReadonlySet<TaskId> => {
    const found = known.get(task);
    if (found !== undefined) return found;
    const reached = new Set<TaskId>();
    const open = [task];
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      for (const edge of owners.get(from)?.pipeline.edges ?? []) {
        if (edge.from !== from || edge.kind !== 'order' || reached.has(edge.to)) continue;
        reached.add(edge.to);
        open.push(edge.to);
      }
    }
    known.set(task, reached);
    return reached;
  };
  return (before, after) => owners.get(before)?.pipeline === owners.get(after)?.pipeline && behind(before).has(after);
}
