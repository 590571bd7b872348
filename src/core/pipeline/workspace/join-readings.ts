import type { Edge, FileReading, Pipeline, TaskId } from '../model/model.ts';
import { renamePipeline } from '../model/rename-pipeline.ts';
import { withAssetEdges } from './asset-edges.ts';
import { edgeEnds } from './edge-ends.ts';

/**
 * What can only be told from all files together: a task that makes an asset starts the DAGs that wait for it, edges to a
 * whole other DAG or a group of it get their tasks, edges to DAGs outside the workspace go, and a `dag_id` that is used
 * twice is told apart. Readings that need none of it stay the same objects.
 */
export function joinReadings(readings: readonly FileReading[]): FileReading[] {
  const unique = withAssetEdges(tellDuplicatesApart(readings));
  const pipelines = new Map<string, Pipeline>();
  const tasks = new Set<TaskId>();
  for (const { pipelines: own } of unique)
    for (const pipeline of own) {
      pipelines.set(pipeline.id, pipeline);
      for (const task of pipeline.tasks) tasks.add(task.id);
    }
  return unique.map((reading) => {
    const joined = reading.pipelines.map((pipeline) => resolveEdges(pipeline, pipelines, tasks));
    return joined.every((pipeline, index) => pipeline === reading.pipelines[index])
      ? reading
      : { ...reading, pipelines: joined };
  });
}

function resolveEdges(
  pipeline: Pipeline,
  pipelines: ReadonlyMap<string, Pipeline>,
  tasks: ReadonlySet<TaskId>,
): Pipeline {
  if (pipeline.edges.every(({ from, to }) => tasks.has(from) && tasks.has(to))) return pipeline;
  const edges: Edge[] = [];
  for (const edge of pipeline.edges) {
    const from = edgeEnds(edge.from, 'from', pipelines, tasks);
    const to = edgeEnds(edge.to, 'to', pipelines, tasks);
    for (const source of from) for (const target of to) edges.push({ ...edge, from: source, to: target });
  }
  return { ...pipeline, edges };
}

function tellDuplicatesApart(readings: readonly FileReading[]): readonly FileReading[] {
  const owner = new Map<string, Pick<Pipeline, 'file' | 'hasStandInId'>>();
  return readings.map((reading) => {
    const problems = [...reading.problems];
    const pipelines = reading.pipelines.map((pipeline) => {
      const first = owner.get(pipeline.id);
      if (first === undefined) {
        owner.set(pipeline.id, pipeline);
        return pipeline;
      }
      // Of an id that only the run knows nothing says that it is the other one.
      if (first.hasStandInId === undefined && pipeline.hasStandInId === undefined)
        problems.push({
          message: `The dag_id ${JSON.stringify(pipeline.id)} is also used in ${first.file}; Airflow keeps only one of the two. Give this DAG another id.`,
          at: pipeline.at,
          severity: 'error',
        });
      const free = freeName(`${pipeline.id} (${pipeline.file})`, owner);
      owner.set(free, pipeline);
      return renamePipeline(pipeline, free);
    });
    return pipelines.every((pipeline, index) => pipeline === reading.pipelines[index])
      ? reading
      : { ...reading, pipelines, problems };
  });
}

function freeName(name: string, owner: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let number = 2; owner.has(free); number++) free = `${name} ${number}`;
  return free;
}
