import type { Pipeline } from '../../src/core/pipeline/model/model.ts';
import type { SerializedDag } from '../../src/core/pipeline/readers/airflow/answers/airflow-answer.ts';
import { compareDag, type DagDifference } from '../../src/core/pipeline/readers/airflow/answers/compare-dag.ts';
import { type Instant, instant } from '../../src/core/time/zones/instant.ts';

/** What a real Airflow said of the DAGs of one file, as it is committed. */
export interface ExpectedFile {
  /** Of the file's text; left out where the file itself is committed. */
  readonly sha256?: string;
  readonly dags: readonly ExpectedDag[];
}

export interface ExpectedDag {
  readonly id: string;
  readonly timetable: SerializedDag['timetable'];
  readonly zone: string | undefined;
  /** ISO, UTC. */
  readonly startDate: string | undefined;
  readonly endDate: string | undefined;
  readonly catchup: boolean;
  /** Task ids with the ids behind them. */
  readonly tasks: Readonly<Record<string, readonly string[]>>;
}

const iso = (at: Instant | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();
const fromIso = (text: string | undefined): Instant | undefined =>
  text === undefined ? undefined : instant(Date.parse(text));

export const expectedDags = (dags: readonly SerializedDag[]): ExpectedDag[] =>
  [...dags]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, timetable, zone, startDate, endDate, catchup, tasks }) => ({
      id,
      timetable,
      zone,
      startDate: iso(startDate),
      endDate: iso(endDate),
      catchup,
      tasks: Object.fromEntries(tasks.map((task) => [task.id, task.downstream])),
    }));

/** Every difference between what we read of a file and what the real Airflow said, one line each. */
export function differencesInWords(
  file: string,
  pipelines: readonly Pipeline[],
  expected: readonly ExpectedDag[],
): string[] {
  const lines = expected.flatMap((dag) => {
    const own = pipelines.find(({ id }) => id === dag.id);
    return own === undefined
      ? [`${dag.id}: not found`]
      : compareDag(own, serialized(file, dag)).map((found) => `${dag.id}: ${inWords(found)}`);
  });
  const extra = pipelines.filter(({ id }) => !expected.some((dag) => dag.id === id));
  return [...lines, ...extra.map(({ id }) => `${id}: Airflow has no such DAG`)];
}

const serialized = (file: string, dag: ExpectedDag): SerializedDag => ({
  ...dag,
  file,
  startDate: fromIso(dag.startDate),
  endDate: fromIso(dag.endDate),
  tasks: Object.entries(dag.tasks).map(([id, downstream]) => ({ id, downstream, operator: '', mapped: false })),
});

function inWords(difference: DagDifference): string {
  switch (difference.kind) {
    case 'task-missing':
      return `task ${difference.task.id} is missing`;
    case 'task-extra':
      return `task ${difference.task.name} is not Airflow's`;
    case 'edge-missing':
      return `${difference.from} → ${difference.to} is missing`;
    case 'edge-extra':
      return `${difference.from} → ${difference.to} is not Airflow's`;
    case 'schedule':
      return `its schedule is ${JSON.stringify(difference.schedule)}`;
    default:
      return `another ${difference.kind}`;
  }
}
