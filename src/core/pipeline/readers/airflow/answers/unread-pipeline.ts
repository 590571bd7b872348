import type { SourceSpan } from '../../../../text/span.ts';
import type { Edge, Pipeline, Task } from '../../../model/model.ts';
import type { SerializedDag, SerializedTask } from './airflow-answer.ts';
import { timetableSchedule } from './timetable-schedule.ts';

/** A DAG that only the real Airflow knows: its tasks, their order and its schedule; `at` is all that can be pointed at. */
export function unreadPipeline(dag: SerializedDag, version: string, at: SourceSpan): Pipeline {
  const zone = dag.zone ?? 'UTC';
  const idOf = (name: string): string => `${dag.id}.${name}`;
  return {
    id: dag.id,
    format: 'airflow',
    file: at.file,
    at,
    schedule: { value: timetableSchedule(dag.timetable, zone), at: undefined },
    anchor: { startDate: dag.startDate, endDate: dag.endDate, catchup: dag.catchup },
    startDateAt: undefined,
    zone,
    catchup: { value: dag.catchup, at: undefined },
    maxActiveRuns: undefined,
    airflowVersion: version.startsWith('2.') ? 2 : 3,
    airflow: {
      version,
      corrected: ['schedule', 'start-date', 'end-date', 'zone', 'catchup', 'tasks', 'edges'],
    },
    tasks: dag.tasks.map((task) => unreadTask(dag.id, task, at)),
    edges: dag.tasks.flatMap(({ id, downstream }) =>
      downstream.map((to): Edge => ({ from: idOf(id), to: idOf(to), at, kind: 'order' })),
    ),
    clockCalls: [],
  };
}

/** A task that only the real Airflow knows; what it reads and writes is not known. */
export const unreadTask = (pipeline: string, { id, operator }: SerializedTask, at: SourceSpan): Task => ({
  id: `${pipeline}.${id}`,
  name: id,
  at,
  nameAt: at,
  operator,
  sql: [],
  accesses: [],
  outlets: [],
  inlets: [],
  unread: [{ hides: 'code', reason: 'the task is made while the file runs', at }],
  executor: { kind: 'airflow', reason: `it is made while the file runs (${operator})` },
  retries: undefined,
  triggerRule: undefined,
  autocommit: undefined,
  splitStatements: undefined,
  params: {},
  arguments: [],
  dependsOnPast: false,
  onlyInAirflow: true,
});
