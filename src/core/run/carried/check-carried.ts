import { marksOnly } from '../../lineage/workspace/marks-only.ts';
import { onlyPasses } from '../../lineage/workspace/order-edges.ts';
import type { Pipeline } from '../../pipeline/model/model.ts';
import type { Plan, UnitId } from '../../plan/model/plan.ts';
import { matchDag } from '../../scheduler/match/match-dag.ts';
import type { DagRun, DeployedDag, Scheduler } from '../../scheduler/port/scheduler.ts';
import { plural } from '../../text/plural.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { PreparedJobs } from '../jobs/prepare-jobs.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { wholeRange } from './ranges/whole-range.ts';
import { otherInterval, otherIntervalHint, runInterval } from './runs/find-run.ts';
import { unmetWaits } from './unmet-waits.ts';

/** Jobs of a plan after its scheduler was asked about them, and what a person should know before they are given to it. */
export interface CheckedJobs extends PreparedJobs {
  readonly notes: readonly string[];
}

export interface CheckContext {
  readonly pipelines: readonly Pipeline[];
  /** Units that will be side by side at the most. */
  readonly concurrency: number;
}

/**
 * Asks the scheduler about the units that it would be given, before anything runs: whether their DAGs are deployed as they are
 * here and may run, whether there is a run of each date or one may be made, and what else goes on there. Throws
 * {@link SchedulerError}.
 */
export async function checkCarried(
  scheduler: Scheduler,
  plan: Plan,
  prepared: PreparedJobs,
  { pipelines, concurrency }: CheckContext,
): Promise<CheckedJobs> {
  const jobs = new Map(prepared.jobs);
  const refused = new Map(prepared.refused);
  const notes: string[] = [];
  const byDag = new Map<string, UnitJob[]>();
  for (const job of prepared.jobs.values()) {
    if (job.carried === undefined) continue;
    const known = byDag.get(job.carried.dag);
    if (known === undefined) byDag.set(job.carried.dag, [job]);
    else known.push(job);
  }
  for (const [id, given] of byDag) {
    const pipeline = pipelines.find((one) => one.id === id && one.format === 'airflow');
    const deployed = await scheduler.dag(id);
    const stops = pipeline === undefined ? [] : matchDag(pipeline, deployed).filter((difference) => difference.stops);
    const [first] = stops;
    if (pipeline === undefined || deployed === undefined || first !== undefined) {
      const message = first?.message ?? `${id} is not deployed there`;
      for (const job of given) refuse(job, message, first?.remedy ?? 'deploy its file');
      continue;
    }
    const placed = await inSomeRun(scheduler, plan, given, id);
    for (const job of placed) jobs.set(job.unit, job);
    const asked = { pipeline, deployed, given: placed, jobs: prepared.jobs, concurrency };
    const told = await checkRuns(scheduler, plan, asked);
    for (const job of told.ranged) jobs.set(job.unit, job);
    for (const { job, message, remedy } of told.refusals) refuse(job, message, remedy);
    notes.push(...told.notes);
  }
  return { jobs, refused, notes };

  function refuse({ unit }: UnitJob, message: string, remedy: string): void {
    const refusal: JobRefusal = {
      code: 'not-runnable',
      message: `${scheduler.description.name}: ${message}`,
      remedy,
      at: undefined,
    };
    refused.set(unit, refusal);
    jobs.delete(unit);
  }
}

/**
 * What one run does for all is to be done in the run of its newest interval. Where there is none, and the plan has other runs of
 * the DAG, it is done in the newest of those: whichever run does it, its table is the same.
 */
async function inSomeRun(
  scheduler: Scheduler,
  plan: Plan,
  given: readonly UnitJob[],
  dag: string,
): Promise<readonly UnitJob[]> {
  const forAll = new Set(plan.units.flatMap(({ id, standsForAll }) => (standsForAll === true ? [id] : [])));
  const others = given.filter(({ unit }) => !forAll.has(unit)).map(({ interval }) => interval);
  const [newest] = [...others].sort((a, b) => b.start - a.start);
  if (newest === undefined) return given;
  const placed: UnitJob[] = [];
  for (const job of given) {
    const { carried, interval, unit } = job;
    const isOwn =
      carried === undefined ||
      !forAll.has(unit) ||
      (await scheduler.runs(dag, interval.start, interval.start)).length > 0;
    placed.push(isOwn ? job : { ...job, carried: { ...carried, at: newest } });
  }
  return placed;
}

interface GivenDag {
  readonly pipeline: Pipeline;
  readonly deployed: DeployedDag;
  readonly given: readonly UnitJob[];
  /** All jobs of the plan, also those of our own engine. */
  readonly jobs: ReadonlyMap<UnitId, UnitJob>;
  readonly concurrency: number;
}

async function checkRuns(
  scheduler: Scheduler,
  plan: Plan,
  dag: GivenDag,
): Promise<{
  readonly refusals: readonly { readonly job: UnitJob; readonly message: string; readonly remedy: string }[];
  /** Those whose runs are made in one go. */
  readonly ranged: readonly UnitJob[];
  readonly notes: readonly string[];
}> {
  const { pipeline, deployed, given } = dag;
  const refusals: { job: UnitJob; message: string; remedy: string }[] = [];
  const dates = given.map((job) => runInterval(job).start);
  const runs = await scheduler.runs(pipeline.id, instant(Math.min(...dates)), instant(Math.max(...dates)));
  const there = new Set(deployed.tasks.map(({ id }) => id));
  const made = new Set<Instant>();
  for (const job of given) {
    const { carried } = job;
    const interval = runInterval(job);
    const ofDate = runs.filter((run) => (run.logicalDate ?? run.interval?.start) === interval.start);
    const fits = ofDate.find((run) => run.interval?.start === interval.start && run.interval.end === interval.end);
    const [other] = ofDate;
    if (!there.has(carried?.task ?? ''))
      refusals.push({
        job,
        message: `${pipeline.id} is deployed without ${carried?.task}`,
        remedy: 'deploy the file of this workspace',
      });
    else if (fits === undefined && other !== undefined)
      refusals.push({ job, message: otherInterval(pipeline.id, other, interval), remedy: otherIntervalHint });
    else if (fits === undefined) {
      const missing = unplanned(plan, dag, interval.start);
      if (missing.length === 0) made.add(interval.start);
      else
        refusals.push({
          job,
          message: `there is no run of ${pipeline.id} for ${toIso(interval.start)}, and one that is made would count ${missing.join(', ')} as done, which the plan does not have`,
          remedy: `plan all tasks of ${pipeline.id}, or have the run made there first`,
        });
    }
  }
  const whole = refusals.length > 0 ? undefined : await wholeRange(scheduler, { ...dag, plan, runs });
  const ranged =
    whole === undefined || 'because' in whole
      ? []
      : given.flatMap((job) => (job.carried ? [{ ...job, carried: { ...job.carried, range: whole.range } }] : []));
  return { refusals, ranged, notes: await notesOf(scheduler, dag, runs, made, whole) };
}

/** Tasks of the DAG that do something, and that the plan does not have for this date. */
function unplanned(plan: Plan, { pipeline, deployed, jobs }: GivenDag, date: Instant): readonly string[] {
  const planned = new Set<string>();
  const passing = new Set<string>();
  for (const task of pipeline.tasks) {
    if (onlyPasses(task)) passing.add(task.name);
    const positions = plan.byTask.get(task.id) ?? [];
    const isPlanned = positions.some((position) => {
      const unit = plan.units[position];
      return unit !== undefined && (unit.data.start === date || unit.standsForAll === true) && jobs.has(unit.id);
    });
    if (isPlanned) planned.add(task.name);
  }
  return deployed.tasks.flatMap(({ id }) => (planned.has(id) || passing.has(id) ? [] : [id]));
}

/** Operators that decide which of the tasks behind them are run. */
const chooses = /branch|short_?circuit/i;

async function notesOf(
  scheduler: Scheduler,
  { pipeline, deployed, given }: GivenDag,
  runs: readonly DagRun[],
  made: ReadonlySet<Instant>,
  whole: Awaited<ReturnType<typeof wholeRange>>,
): Promise<readonly string[]> {
  const { name } = scheduler.description;
  const notes: string[] = [];
  const waits = pipeline.tasks.filter((task) => onlyPasses(task) && !marksOnly(task)).map((task) => task.name);
  const none = `${name} has no run of ${pipeline.id} for ${plural(made.size, 'date')} of the plan`;
  if (whole !== undefined && 'range' in whole)
    notes.push(
      `${none}: made as one backfill, ${plural(whole.range.maxActiveRuns, 'run')} at a time; Airflow starts each task when those before it in its run have ended well`,
    );
  else if (made.size > 0) {
    const why = whole === undefined ? '' : `; not as one backfill, because ${whole.because}`;
    const passed = waits.length === 0 ? '' : `; ${waits.join(', ')} count as done in them, and are not waited for`;
    const choosing = pipeline.tasks.filter(({ operator }) => chooses.test(operator)).map((task) => task.name);
    const ways = choosing.filter((task) => waits.includes(task));
    const all = ways.length === 0 ? '' : `: what ${ways.join(', ')} would leave out is run as well`;
    notes.push(`${none}: made before their first task${passed}${all}${why}`);
  }
  notes.push(...(await unmetWaits(scheduler, pipeline, waits, given, runs)));
  const own = new Set(runs.map(({ id }) => id));
  const others = (await scheduler.activeRuns(pipeline.id)).filter(({ id }) => !own.has(id));
  // Runs of a backfill have places of their own, and come behind all others.
  const maxActiveRuns = whole !== undefined && 'range' in whole ? undefined : deployed.maxActiveRuns;
  if (maxActiveRuns !== undefined && others.length >= maxActiveRuns)
    notes.push(
      `${pipeline.id} has ${others.length} runs queued or running in ${name} and places for ${maxActiveRuns}: those come first`,
    );
  else if (maxActiveRuns !== undefined && new Set(given.map(({ interval }) => interval.start)).size >= maxActiveRuns)
    notes.push(
      `${pipeline.id} has places for ${maxActiveRuns} runs in ${name}: with as many of this plan side by side its scheduled runs wait; --concurrency bounds them`,
    );
  const tasks = new Set(given.map(({ carried }) => carried?.task));
  const pools = new Set(deployed.tasks.flatMap(({ id, pool }) => (tasks.has(id) ? [pool] : [])));
  for (const pool of pools) {
    const state = await scheduler.pool(pool);
    if (state !== undefined && state.open <= 0)
      notes.push(`the pool ${pool} in ${name} has no place of its ${state.slots} free: what takes them comes first`);
  }
  return notes;
}
