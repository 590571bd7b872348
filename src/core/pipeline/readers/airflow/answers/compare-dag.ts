import { parseCron } from '../../../../time/schedules/cron.ts';
import type { IntervalShape, Schedule } from '../../../../time/schedules/schedule.ts';
import type { Pipeline, Task } from '../../../model/model.ts';
import type { SerializedDag, SerializedTask } from './airflow-answer.ts';
import { type SerializedAsset, timetableAssets, timetableSchedule } from './timetable-schedule.ts';

/** One fact that the static reading and the real Airflow see differently. */
export type DagDifference =
  | { readonly kind: 'task-missing'; readonly task: SerializedTask }
  | { readonly kind: 'task-extra'; readonly task: Task }
  | { readonly kind: 'edge-missing'; readonly from: string; readonly to: string }
  | { readonly kind: 'edge-extra'; readonly from: string; readonly to: string }
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | { readonly kind: 'start-date' }
  | { readonly kind: 'end-date' }
  | { readonly kind: 'zone' }
  | { readonly kind: 'catchup' };

/** What the real Airflow says otherwise; empty when it confirms the reading. Edges to other DAGs are not its business. */
export function compareDag(pipeline: Pipeline, dag: SerializedDag): readonly DagDifference[] {
  const differences: DagDifference[] = [];
  const own = new Map(pipeline.tasks.map((task) => [task.name, task]));
  const real = new Map(dag.tasks.map((task) => [task.id, task]));
  for (const task of dag.tasks) if (!own.has(task.id)) differences.push({ kind: 'task-missing', task });
  for (const task of pipeline.tasks) if (!real.has(task.name)) differences.push({ kind: 'task-extra', task });
  const nameOf = new Map(pipeline.tasks.map(({ id, name }) => [id, name]));
  const edges = new Map<string, readonly [from: string, to: string]>();
  for (const { from, to, kind } of pipeline.edges) {
    const [source, target] = [nameOf.get(from), nameOf.get(to)];
    if (kind === 'order' && source !== undefined && target !== undefined)
      edges.set(edgeKey(source, target), [source, target]);
  }
  const realEdges = new Set<string>();
  for (const { id, downstream } of dag.tasks)
    for (const to of downstream) {
      realEdges.add(edgeKey(id, to));
      if (!edges.has(edgeKey(id, to))) differences.push({ kind: 'edge-missing', from: id, to });
    }
  for (const [key, [from, to]] of edges) if (!realEdges.has(key)) differences.push({ kind: 'edge-extra', from, to });
  const schedule = timetableSchedule(dag.timetable, dag.zone ?? pipeline.zone);
  if (!sameSchedule(pipeline.schedule.value, schedule) || !sameAssets(pipeline.schedule.value, dag))
    differences.push({ kind: 'schedule', schedule });
  if (pipeline.anchor.startDate !== dag.startDate) differences.push({ kind: 'start-date' });
  if (pipeline.anchor.endDate !== dag.endDate) differences.push({ kind: 'end-date' });
  if (dag.zone !== undefined && dag.zone !== pipeline.zone) differences.push({ kind: 'zone' });
  if (dag.catchup !== pipeline.catchup.value) differences.push({ kind: 'catchup' });
  return differences;
}

/** No task id holds a line break. */
const edgeKey = (from: string, to: string): string => `${from}\n${to}`;

/** Whether two schedules give the same runs. */
export function sameSchedule(a: Schedule, b: Schedule): boolean {
  if (a.kind === 'cron' && b.kind === 'cron')
    return a.zone === b.zone && sameShape(a.intervals, b.intervals) && ticksOf(a) === ticksOf(b);
  if (a.kind === 'delta' && b.kind === 'delta')
    return (
      sameShape(a.intervals, b.intervals) &&
      a.step.months === b.step.months &&
      a.step.days * dayMs + a.step.ms === b.step.days * dayMs + b.step.ms
    );
  return a.kind === b.kind;
}

/** An asset is told by its name or its URI. */
function sameAssets(schedule: Schedule, { timetable }: SerializedDag): boolean {
  const real = timetableAssets(timetable);
  if (schedule.kind !== 'assets' || real.length === 0) return true;
  const isNamed = (asset: string): boolean => real.some(({ name, uri }) => asset === name || asset === uri);
  const isRead = ({ name, uri }: SerializedAsset): boolean =>
    schedule.assets.some((asset) => asset === name || asset === uri);
  return schedule.assets.every(isNamed) && real.every(isRead);
}

const dayMs = 86_400_000;

const sameShape = (a: IntervalShape, b: IntervalShape): boolean =>
  typeof a === 'object' && typeof b === 'object' ? a.before === b.before : a === b;

/** Presets and other spellings of one expression are the same; so are several in another order. */
function ticksOf({ expression, others = [] }: Extract<Schedule, { kind: 'cron' }>): string {
  const read = [expression, ...others].map((text) => {
    const { cron } = parseCron(text);
    return cron === undefined ? text : JSON.stringify(cron);
  });
  return [...new Set(read)].sort().join('\n');
}
