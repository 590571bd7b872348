import type { Edge, FileReading, Pipeline, TaskId } from './model.ts';
import { renamePipeline } from './rename-pipeline.ts';

/**
 * What can only be told from all files together: edges to a whole other DAG get their tasks, edges to DAGs outside the
 * workspace go, and a `dag_id` that is used twice is told apart. Readings that need none of it stay the same objects.
 */
export function joinReadings(readings: readonly FileReading[]): FileReading[] {
  const unique = tellDuplicatesApart(readings);
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
    const from = tasks.has(edge.from) ? [edge.from] : ends(pipelines.get(edge.from), 'from');
    const to = tasks.has(edge.to) ? [edge.to] : ends(pipelines.get(edge.to), 'to');
    for (const source of from) for (const target of to) edges.push({ ...edge, from: source, to: target });
  }
  return { ...pipeline, edges };
}

/** Waiting for a DAG is waiting for its last tasks; starting one is starting its first. */
function ends(pipeline: Pipeline | undefined, side: 'from' | 'to'): readonly TaskId[] {
  if (pipeline === undefined) return [];
  const inner = new Set(pipeline.edges.filter(({ kind }) => kind === 'order').map((edge) => edge[side]));
  return pipeline.tasks.map((task) => task.id).filter((id) => !inner.has(id));
}

function tellDuplicatesApart(readings: readonly FileReading[]): readonly FileReading[] {
  const owner = new Map<string, string>();
  return readings.map((reading) => {
    const problems = [...reading.problems];
    const pipelines = reading.pipelines.map((pipeline) => {
      const first = owner.get(pipeline.id);
      if (first === undefined) {
        owner.set(pipeline.id, pipeline.file);
        return pipeline;
      }
      problems.push({
        message: `The dag_id ${JSON.stringify(pipeline.id)} is also used in ${first}; Airflow keeps only one of the two. Give this DAG another id.`,
        at: pipeline.at,
        severity: 'error',
      });
      return renamePipeline(pipeline, freeName(`${pipeline.id} (${pipeline.file})`, owner));
    });
    return problems.length === reading.problems.length ? reading : { ...reading, pipelines, problems };
  });
}

function freeName(name: string, owner: Map<string, string>): string {
  let free = name;
  for (let number = 2; owner.has(free); number++) free = `${name} ${number}`;
  owner.set(free, name);
  return free;
}
