import type { Edge, FileReading, Pipeline } from '../model/model.ts';

/**
 * Trigger edges from the tasks that say they produce an asset to the DAGs that run when it is updated. A DAG that also
 * has a timetable of its own runs without waiting for anybody, so it gets none, and neither does a task's own DAG.
 */
export function withAssetEdges(readings: readonly FileReading[]): readonly FileReading[] {
  const waiting = new Map<string, string[]>();
  for (const { pipelines } of readings)
    for (const { id, schedule } of pipelines)
      if (schedule.value.kind === 'assets')
        for (const asset of schedule.value.assets) waiting.set(asset, [...(waiting.get(asset) ?? []), id]);
  if (waiting.size === 0) return readings;
  return readings.map((reading) => {
    const pipelines = reading.pipelines.map((pipeline) => withOwnEdges(pipeline, waiting));
    return pipelines.every((pipeline, index) => pipeline === reading.pipelines[index])
      ? reading
      : { ...reading, pipelines };
  });
}

function withOwnEdges(pipeline: Pipeline, waiting: ReadonlyMap<string, readonly string[]>): Pipeline {
  const found: Edge[] = [];
  for (const task of pipeline.tasks)
    for (const { value, at } of task.outlets)
      for (const other of waiting.get(value) ?? []) {
        const known = found.some(({ from, to }) => from === task.id && to === other);
        if (other === pipeline.id || known) continue;
        found.push({ from: task.id, to: other, at: at ?? task.nameAt, kind: 'trigger' });
      }
  return found.length === 0 ? pipeline : { ...pipeline, edges: [...pipeline.edges, ...found] };
}
