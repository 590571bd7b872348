import type { TaskId } from '../../pipeline/model/model.ts';
import { planSummary, reasonInWords, type TaskSummary } from '../../plan/explain.ts';
import type { Plan, PlanFinding, PlanUnit } from '../../plan/model/plan.ts';
import { plural } from '../../text/plural.ts';
import { daysInWords } from '../../time/intervals/days-in-words.ts';
import { formatInterval } from '../../time/intervals/format-interval.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { type DetailLine, detailLine } from './detail-line.ts';

/** What a plan is for: a proof runs each unit twice and keeps nothing, an undo puts the rows of a run's units back. */
export type PlanPurpose =
  | { readonly kind: 'run' }
  | { readonly kind: 'proof' }
  | { readonly kind: 'undo'; readonly run: string };

/** A plan as a grid of tasks × intervals. Units are in the plan's own order. */
export interface PlanGrid {
  /** Tells it from every other plan of its page: only what is shown is run. */
  readonly stamp: number;
  readonly title: string;
  readonly purpose: PlanPurpose;
  readonly units: readonly PlanGridUnit[];
  /** Tasks under their pipelines, in the order in which each first runs; those that are left out come last of theirs. */
  readonly rows: readonly PlanGridRow[];
  readonly details: readonly DetailLine[];
  readonly findings: readonly PlanFinding[];
  /** False when a finding blocks the start, or nothing is there to run. */
  readonly startable: boolean;
  /** The scheduler that carries out units of it; `undefined`: all run from here. */
  readonly scheduler: string | undefined;
  /** Some of it is run from here, so that a preview shows something. */
  readonly previewable: boolean;
}

export interface PlanGridRow {
  readonly task: TaskId;
  /** The pipeline that it is of, and its name there. */
  readonly dag: string;
  readonly name: string;
  /** Indexes of {@link PlanGrid.units}, oldest first; none where it is left out. */
  readonly units: readonly number[];
  /** Tables that its units write. */
  readonly tables: readonly string[];
  /** Who carries it out, where that is not the warehouse's own SQL, and what that means. */
  readonly engine: { readonly name: string; readonly note: string } | undefined;
  /** Why it runs, a sentence. */
  readonly reason: string;
  /** What its being left out means. */
  readonly left: string | undefined;
}

export interface PlanGridUnit {
  readonly id: string;
  readonly task: TaskId;
  readonly label: string;
  /** ISO instants in UTC; the end is not included. */
  readonly start: string;
  readonly end: string;
  /** Outside the range that was selected, because a window reaches there. */
  readonly widened: boolean;
  readonly reason: string;
}

/** What the workspace knows of a task that a plan does not say. */
export interface TaskNames {
  readonly zone: ZoneName;
  readonly dag: string;
  readonly name: string;
  /** What its operator says of its session beside the connection. */
  readonly session: readonly string[];
  /** The scheduler that its units are given to, by its name in `backfill.yaml`. */
  readonly carriedBy?: string | undefined;
}

/** `without`: downstream tasks that were left out by hand. */
export function planGrid(
  plan: Plan,
  namesOf: (task: TaskId) => TaskNames,
  purpose: PlanPurpose,
  without: readonly TaskId[] = [],
  stamp = 0,
): PlanGrid {
  const selected = plan.units.filter(({ reasons }) => reasons.some(({ kind }) => kind === 'selected'));
  const from = Math.min(...selected.map(({ start }) => start));
  const to = Math.max(...selected.map(({ next }) => next));
  const summaries = planSummary(plan);
  // An undo goes back the way that its run came; the eye finds the tasks where they stood.
  const order = purpose.kind === 'undo' ? summaries.toReversed() : summaries;
  const rows = [
    ...order.map((summary) => rowOf(plan, summary, namesOf, purpose)),
    ...without.map((task) => leftOut(task, namesOf(task))),
  ];
  const carriers = new Map(summaries.map(({ task }) => [task, namesOf(task).carriedBy]));
  return {
    stamp,
    title: `${plural(plan.units.length, 'unit')} of ${plural(summaries.length, 'task')}${aims(purpose)}`,
    purpose,
    units: plan.units.map((unit) => ({
      id: unit.id,
      task: unit.task,
      label: formatInterval(unit.data, namesOf(unit.task).zone),
      start: toIso(unit.start),
      end: toIso(unit.data.end > unit.start ? unit.data.end : unit.next),
      widened: unit.start >= to || unit.next <= from,
      reason:
        purpose.kind === 'undo'
          ? `run ${purpose.run} changed it`
          : unit.reasons.map((reason) => reasonInWords(reason, namesOf(unit.task).zone)).join('; '),
    })),
    rows: underPipelines(rows),
    details: summaries.flatMap(({ task }) => {
      const { session } = namesOf(task);
      if (purpose.kind === 'undo' || session.length === 0) return [];
      return [detailLine('session', `${task} is sent with ${session.join(', ')}`)];
    }),
    findings: plan.findings,
    startable: plan.units.length > 0 && plan.findings.every(({ severity }) => severity !== 'error'),
    scheduler: [...carriers.values()].find((name) => name !== undefined),
    previewable: plan.units.some(
      ({ task, executor }) => executor.kind === 'warehouse' && carriers.get(task) === undefined,
    ),
  };
}

function rowOf(
  plan: Plan,
  { task, reasons }: TaskSummary,
  namesOf: (task: TaskId) => TaskNames,
  purpose: PlanPurpose,
): PlanGridRow {
  const { dag, name, zone, carriedBy } = namesOf(task);
  const startOf = (at: number): number => plan.units[at]?.start ?? 0;
  const units = [...(plan.byTask.get(task) ?? [])].sort((a, b) => startOf(a) - startOf(b));
  const executor = plan.units[units[0] ?? -1]?.executor;
  const wider = plan.widened
    .filter((widened) => widened.task === task)
    .map((widened) => `it runs for ${daysInWords(widened, zone)}, because ${widened.because}`);
  const why =
    purpose.kind === 'undo'
      ? [`run ${purpose.run} changed it`]
      : reasons.map((reason) => (reason === 'selected' ? 'you selected it' : reason));
  return {
    task,
    dag,
    name,
    units,
    tables: [...new Set(units.flatMap((at) => plan.units[at]?.slices.map(({ table }) => table) ?? []))],
    engine: carriedBy === undefined ? elsewhere(executor) : byScheduler(carriedBy, executor),
    reason: sentence([...why, ...wider].join('; ')),
    left: undefined,
  };
}

type Engine = NonNullable<PlanGridRow['engine']>;

const elsewhere = (executor: PlanUnit['executor'] | undefined): Engine | undefined =>
  executor === undefined || executor.kind === 'warehouse'
    ? undefined
    : { name: executor.kind === 'airflow' ? 'Airflow' : 'elsewhere', note: capital(executor.reason) };

function byScheduler(scheduler: string, executor: PlanUnit['executor'] | undefined): Engine {
  const because = executor === undefined || executor.kind === 'warehouse' ? '' : `${executor.reason}: `;
  return { name: 'Airflow', note: capital(`${because}run by the Airflow ${scheduler}, compared after, not held`) };
}

const leftOut = (task: TaskId, { dag, name }: TaskNames): PlanGridRow => ({
  task,
  dag,
  name,
  units: [],
  tables: [],
  engine: undefined,
  reason: '',
  left: 'left out: its slices of these days stay stale',
});

function underPipelines(rows: readonly PlanGridRow[]): readonly PlanGridRow[] {
  const groups = new Map<string, PlanGridRow[]>();
  for (const row of rows) groups.set(row.dag, [...(groups.get(row.dag) ?? []), row]);
  return [...groups.values()].flat();
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const sentence = (text: string): string => `${capital(text)}.`;

function aims(purpose: PlanPurpose): string {
  switch (purpose.kind) {
    case 'run':
      return '';
    case 'proof':
      return ', each run twice; nothing is kept';
    case 'undo':
      return `, put back to their rows of before run ${purpose.run}`;
  }
}
