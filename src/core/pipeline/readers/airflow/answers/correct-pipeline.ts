import type { Problem, SourceSpan } from '../../../../text/span.ts';
import type { Edge, Pipeline, PipelineFact, Task } from '../../../model/model.ts';
import type { SerializedDag } from './airflow-answer.ts';
import { compareDag, type DagDifference } from './compare-dag.ts';
import { differenceProblem } from './difference-problem.ts';
import { madeBy } from './made-by.ts';
import { unreadTask } from './unread-pipeline.ts';

export interface CorrectedPipeline {
  readonly pipeline: Pipeline;
  readonly problems: readonly Problem[];
  /** Places of facts that could not be read and are known now. */
  readonly settled: readonly SourceSpan[];
}

/** A pipeline with Airflow's word for everything in which the two differ. */
export function correctPipeline(read: Pipeline, dag: SerializedDag, version: string): CorrectedPipeline {
  const differences = compareDag(read, dag).filter((difference) => !movesWithTheClock(read, difference));
  const corrected = new Set<PipelineFact>(differences.map(factOf));
  const places = madeBy(
    differences.flatMap((found) => (found.kind === 'task-extra' ? [found.task] : [])),
    differences.flatMap((found) => (found.kind === 'task-missing' ? [found.task] : [])),
  );
  const templates = new Set(places.values());
  const problems = [
    ...differences
      .filter((difference) => !isExplained(difference, places, templates))
      .map((difference) => differenceProblem(read, dag, version, difference)),
    ...[...templates].map((task) => madeProblem(task, places, version)),
  ];
  const settled: SourceSpan[] = [...templates].map(({ nameAt }) => nameAt);
  let pipeline: Pipeline = { ...read, airflow: { version, corrected: [...corrected] } };
  for (const difference of differences) {
    if (difference.kind === 'schedule') {
      if (read.schedule.value.kind === 'unknown') settled.push(read.schedule.at ?? read.at);
      pipeline = { ...pipeline, schedule: { value: difference.schedule, at: read.schedule.at } };
    }
    if (difference.kind === 'start-date' && read.anchor.startDate === undefined && read.startDateAt !== undefined)
      settled.push(read.startDateAt);
  }
  const anchor = {
    startDate: corrected.has('start-date') ? dag.startDate : read.anchor.startDate,
    endDate: corrected.has('end-date') ? dag.endDate : read.anchor.endDate,
    catchup: dag.catchup,
  };
  pipeline = {
    ...pipeline,
    anchor,
    zone: dag.zone ?? read.zone,
    catchup: corrected.has('catchup') ? { value: dag.catchup, at: read.catchup.at } : read.catchup,
    tasks: correctTasks(read, version, differences, places),
    edges: correctEdges(read, differences),
  };
  return { pipeline, problems, settled };
}

/** A start date that is computed from the clock is another one each time; it stays what the file says of it. */
const movesWithTheClock = ({ clockCalls }: Pipeline, { kind }: DagDifference): boolean =>
  (kind === 'start-date' || kind === 'end-date') && clockCalls.some(({ flowsInto }) => flowsInto === 'start-date');

function factOf({ kind }: DagDifference): PipelineFact {
  if (kind === 'task-missing' || kind === 'task-extra') return 'tasks';
  return kind === 'edge-missing' || kind === 'edge-extra' ? 'edges' : kind;
}

/** What follows from one place making several tasks is said once, there. */
function isExplained(found: DagDifference, places: ReadonlyMap<string, Task>, templates: ReadonlySet<Task>): boolean {
  const isTemplate = (name: string): boolean => [...templates].some((task) => task.name === name);
  switch (found.kind) {
    case 'task-missing':
      return places.has(found.task.id);
    case 'task-extra':
      return templates.has(found.task);
    case 'edge-missing':
      return places.has(found.from) || places.has(found.to);
    case 'edge-extra':
      return isTemplate(found.from) || isTemplate(found.to);
    default:
      return false;
  }
}

function madeProblem(task: Task, places: ReadonlyMap<string, Task>, version: string): Problem {
  const made = [...places].flatMap(([id, place]) => (place === task ? [id] : []));
  const shown = made.slice(0, 5).join(', ');
  const more = made.length > 5 ? ` and ${made.length - 5} more` : '';
  return {
    message: `Airflow ${version} makes ${shown}${more} here; a plan hands them to Airflow.`,
    at: task.nameAt,
    severity: 'info',
  };
}

function correctTasks(
  read: Pipeline,
  version: string,
  differences: readonly DagDifference[],
  places: ReadonlyMap<string, Task>,
): readonly Task[] {
  const templates = new Set(places.values());
  const extra = new Set(differences.flatMap((found) => (found.kind === 'task-extra' ? [found.task.id] : [])));
  const missing = differences.flatMap((found) => (found.kind === 'task-missing' ? [found.task] : []));
  const left = read.tasks.filter((task) => !templates.has(task));
  const kept = left.map((task): Task => {
    if (!extra.has(task.id)) return task;
    return { ...task, executor: { kind: 'none', reason: `Airflow ${version} has no such task in this DAG` } };
  });
  const made = missing.map((task) => {
    const place = places.get(task.id);
    const unread = unreadTask(read.id, task, place?.at ?? read.at);
    return place === undefined ? unread : { ...unread, nameAt: place.nameAt };
  });
  return [...kept, ...made];
}

function correctEdges(read: Pipeline, differences: readonly DagDifference[]): readonly Edge[] {
  const idOf = (name: string): string => `${read.id}.${name}`;
  const extra = new Set(
    differences.flatMap((found) => (found.kind === 'edge-extra' ? [`${idOf(found.from)}\n${idOf(found.to)}`] : [])),
  );
  const missing = differences.flatMap((found): Edge[] =>
    found.kind === 'edge-missing' ? [{ from: idOf(found.from), to: idOf(found.to), at: read.at, kind: 'order' }] : [],
  );
  const kept = read.edges.filter(({ from, to, kind }) => kind !== 'order' || !extra.has(`${from}\n${to}`));
  return [...kept, ...missing];
}
