import { marksOnly } from '../../../lineage/workspace/marks-only.ts';
import { onlyPasses } from '../../../lineage/workspace/order-edges.ts';
import type { Pipeline } from '../../../pipeline/model/model.ts';
import type { Plan, PlanUnit, UnitId } from '../../../plan/model/plan.ts';
import { edgeFinder } from '../../../scheduler/commands/edge-finder.ts';
import type { DagRun, DeployedDag, Scheduler } from '../../../scheduler/port/scheduler.ts';
import { plural } from '../../../text/plural.ts';
import type { Instant } from '../../../time/zones/instant.ts';
import { toIso } from '../../../time/zones/iso.ts';
import { type CarriedRange, tableCap, type UnitJob } from '../../unit/unit-job.ts';
import { runInterval } from '../runs/find-run.ts';
import { sideBySide } from './side-by-side.ts';

export interface RangeQuestion {
  readonly plan: Plan;
  readonly pipeline: Pipeline;
  readonly deployed: DeployedDag;
  /** All units of the DAG that the scheduler is given. */
  readonly given: readonly UnitJob[];
  /** Its runs from the first to the last date of those. */
  readonly runs: readonly DagRun[];
  /** Units that may be side by side. */
  readonly concurrency: number;
}

/**
 * Whether the scheduler may make all runs of a DAG in one go, which then run by its own order: only where that is the plan's, so
 * that nothing runs which the plan would keep back. `because`: why not, where it comes near; `undefined`: it does not.
 */
export async function wholeRange(
  scheduler: Scheduler,
  question: RangeQuestion,
): Promise<{ readonly range: CarriedRange } | { readonly because: string } | undefined> {
  const { given, runs, deployed, pipeline, concurrency } = question;
  const dates = [...new Set(given.map((job) => runInterval(job).start))].sort((a, b) => a - b);
  const [first] = dates;
  const last = dates.at(-1);
  if (first === undefined || last === undefined || dates.length < 2 || runs.length > 0) return undefined;
  const because = unlike(question, dates);
  if (because !== undefined) return { because };
  const ids = new Map(pipeline.tasks.map(({ id, name }) => [name, id]));
  const isBefore = edgeFinder(new Map(pipeline.tasks.map((task) => [task.id, { task, pipeline }])));
  const names = deployed.tasks.map(({ id }) => id);
  const wide = sideBySide(names, (one, other) => isBefore(ids.get(one) ?? '', ids.get(other) ?? ''));
  const places = Math.floor(concurrency / wide);
  if (places < 1)
    return { because: `${wide} of its tasks would run side by side, and ${plural(concurrency, 'unit')} may` };
  const planned = { first, last };
  const there = await scheduler.backfillDates(pipeline.id, planned);
  // Airflow 2 has none to ask for; that is nothing to be said each time.
  if (there === undefined)
    return scheduler.description.major === 2 ? undefined : { because: 'a backfill of it is refused there' };
  const other = [
    ...dates.filter((date) => !there.includes(date)),
    ...there.filter((date) => !dates.includes(date)),
  ].sort((a, b) => a - b)[0];
  if (other !== undefined)
    return {
      because: `a backfill of these dates would ${there.includes(other) ? 'also' : 'not'} make the one of ${toIso(other)}`,
    };
  const maxActiveRuns = Math.min(places, dates.length, deployed.maxActiveRuns ?? places);
  return { range: { ...planned, units: given.length, maxActiveRuns } };
}

/** States in which tasks before it end without which it does not start. */
const strictRules = new Set(['all_success', 'none_failed', 'none_failed_min_one_success']);

/** What would not be as with runs that are made one by one. */
function unlike(question: RangeQuestion, dates: readonly Instant[]): string | undefined {
  const { plan, pipeline, deployed, given, concurrency } = question;
  const jobs = new Map(given.map((job) => [job.unit, job]));
  for (const { id, triggerRule = 'a rule that is not told', dependsOnPast } of deployed.tasks) {
    const task = pipeline.tasks.find(({ name }) => name === id);
    if (!strictRules.has(triggerRule)) return `${id} starts by ${triggerRule}, also where a task before it failed`;
    if (dependsOnPast === true) return `${id} waits for the run before its own`;
    const own = given.filter(({ carried }) => carried?.task === id);
    if (own.length === dates.length || (task !== undefined && marksOnly(task))) continue;
    if (own.length > 0) return `${id} is not planned for all of its dates`;
    if (task !== undefined && onlyPasses(task)) return `${id} would wait or branch anew`;
    return plan.units.some((unit) => unit.task === task?.id) ? `${id} runs from here` : `${id} is not in the plan`;
  }
  for (const { task, carried, slices, options } of given) {
    if (carried?.at !== undefined) return `${task} is done once for all dates`;
    if (carried?.locksItself === true) return `${task} claims its rows by itself`;
    const isBounded = options.connectionConcurrency !== undefined || slices.some((slice) => tableCap(slice, options));
    if (isBounded) return `units of ${task} side by side are bounded`;
    if (slices.some(({ turn }) => turn !== undefined)) return `${task} fills its table anew for each date`;
    if (carried?.uncompared !== undefined && concurrency === 1) return `${task} is watched, one unit at a time`;
  }
  const units = plan.units.filter(({ id }) => jobs.has(id));
  const once = units.find(({ standsForAll }) => standsForAll === true);
  if (once !== undefined) return `${once.task} is done once for all dates`;
  return waitsElsewhere(question, units, jobs) ?? sharedTable(plan, jobs);
}

/** Airflow starts a task when those before it in its own run have ended, and knows of nothing else to wait for. */
function waitsElsewhere(
  { plan, pipeline }: RangeQuestion,
  units: readonly PlanUnit[],
  jobs: ReadonlyMap<UnitId, UnitJob>,
): string | undefined {
  const isBefore = edgeFinder(new Map(pipeline.tasks.map((task) => [task.id, { task, pipeline }])));
  for (const { task, data, waitsFor } of units) {
    for (const range of waitsFor) {
      const positions = (plan.byTask.get(range.task) ?? []).slice(range.first, range.last + 1);
      const others = positions.flatMap((at) => plan.units[at] ?? []);
      if (others.some(({ id }) => !jobs.has(id))) return `${task} waits for ${range.task}, which is not in its runs`;
      if (others.some((other) => other.data.start !== data.start))
        return `${task} waits for other dates of ${range.task}`;
      if (!isBefore(range.task, task)) return `${task} waits for ${range.task}, and no arrow of the DAG says so`;
    }
  }
  return undefined;
}

/** Rows that two units write are told apart only where one is looked at before the other one begins. */
function sharedTable(plan: Plan, jobs: ReadonlyMap<UnitId, UnitJob>): string | undefined {
  const byTable = new Map<string, { readonly from: number; readonly to: number; readonly column: string }[]>();
  const own = new Set<string>();
  for (const { id, slices } of plan.units) {
    for (const { table, column = '', from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } of slices) {
      if (jobs.has(id)) own.add(table);
      const known = byTable.get(table);
      if (known === undefined) byTable.set(table, [{ from, to, column }]);
      else known.push({ from, to, column });
    }
  }
  return [...own].find((table) => {
    const sorted = [...(byTable.get(table) ?? [])].sort((a, b) => a.from - b.from);
    return sorted.some(({ from, column }, index) => {
      const before = sorted[index - 1];
      return before !== undefined && (before.to > from || before.column !== column);
    });
  }) === undefined
    ? undefined
    : 'several of its units write the same rows';
}
