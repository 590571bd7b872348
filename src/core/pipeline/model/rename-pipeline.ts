import type { Pipeline, TaskId } from './model.ts';

/** A pipeline under another id, with the ids of its tasks. */
export function renamePipeline(pipeline: Pipeline, id: string): Pipeline {
  const own = new Set(pipeline.tasks.map((task) => task.id));
  const moved = (task: TaskId): TaskId => (own.has(task) ? id + task.slice(pipeline.id.length) : task);
  return {
    ...pipeline,
    id,
    tasks: pipeline.tasks.map((task) => ({ ...task, id: moved(task.id) })),
    edges: pipeline.edges.map((edge) => ({ ...edge, from: moved(edge.from), to: moved(edge.to) })),
    clockCalls: pipeline.clockCalls.map((call) => ({ ...call, task: call.task && moved(call.task) })),
  };
}
