import type { Pipeline, TaskId } from '../model/model.ts';

/**
 * The tasks that the end of an edge to another DAG stands for: a task itself; of a DAG (`dag_id`) or a group of it
 * (`dag_id.group`) the last ones where it is waited for, the first ones where it is started. None outside the workspace.
 */
export function edgeEnds(
  id: string,
  side: 'from' | 'to',
  pipelines: ReadonlyMap<string, Pipeline>,
  tasks: ReadonlySet<TaskId>,
): readonly TaskId[] {
  if (tasks.has(id)) return [id];
  const whole = pipelines.get(id);
  if (whole !== undefined) return outermost(whole, () => true, side);
  for (let dot = id.lastIndexOf('.'); dot > 0; dot = id.lastIndexOf('.', dot - 1)) {
    const pipeline = pipelines.get(id.slice(0, dot));
    if (pipeline !== undefined) return outermost(pipeline, (task) => task.startsWith(`${id}.`), side);
  }
  return [];
}

function outermost(pipeline: Pipeline, isMember: (id: TaskId) => boolean, side: 'from' | 'to'): readonly TaskId[] {
  const inner = new Set(
    pipeline.edges
      .filter(({ kind, from, to }) => kind === 'order' && isMember(from) && isMember(to))
      .map((edge) => edge[side]),
  );
  return pipeline.tasks.map(({ id }) => id).filter((id) => isMember(id) && !inner.has(id));
}
