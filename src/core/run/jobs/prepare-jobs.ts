import type { DeclaredFacts } from '../../lineage/facts/declared-facts.ts';
import type { TaskFacts } from '../../lineage/facts/facts.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import { inDatabaseOf } from '../../lineage/workspace/in-database-of.ts';
import { namesOfWorkspace } from '../../lineage/workspace/names-of-workspace.ts';
import type { Pipeline, Task, TaskId } from '../../pipeline/model/model.ts';
import type { Plan, PlanUnit, UnitId } from '../../plan/model/plan.ts';
import { renderTemplate } from '../../template/render/render.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { UnitJob, UnitOptions, UnitPlace } from '../unit/unit-job.ts';
import { type CarriedBy, isCarried, makeCarriedJob } from './make-carried-job.ts';
import { isRefusal, type JobSetting, makeJob } from './make-job.ts';
import { runElsewhere } from './run-elsewhere.ts';
import { scheduledWriters } from './scheduled-writers.ts';
import { asWritten } from './slices/as-written.ts';
import { refillers } from './slices/refillers.ts';
import { withTurns } from './slices/with-turns.ts';
import { taskContext } from './task-context.ts';

export interface PreparedJobs {
  readonly jobs: ReadonlyMap<UnitId, UnitJob>;
  readonly refused: ReadonlyMap<UnitId, JobRefusal>;
}

/** `lockTable` that is not said: where a scheduler writes the table too. */
export type JobOptions = Omit<UnitOptions, 'lockTable'> & { readonly lockTable: boolean | undefined };

/** Why a task whose operator names this connection, and this database in place of the connection's own, is not run here. */
export type RunsHere = (connectionId: string | undefined, database: string | undefined) => JobRefusal | undefined;

/** Where a task's operator says that it runs. */
export interface AskedPlace {
  readonly connection: string | undefined;
  readonly database: string | undefined;
  /** All of its statements are Spark's. */
  readonly speaksSpark: boolean;
}

/** Where a unit is run, and how the sessions of that connection are set; without that as the run's own. */
export interface GivenPlace {
  readonly place: UnitPlace;
  readonly options?: Pick<JobOptions, 'settings' | 'connectionConcurrency'> | undefined;
}

/** The place of a task among those of a run, or why it has none; `undefined`: where its run is, wherever that will be. */
export type PlaceOfTask = (asked: AskedPlace) => GivenPlace | JobRefusal | undefined;

function renderedDatabase(
  database: string,
  unit: PlanUnit,
  { task, pipeline }: { readonly task: Task; readonly pipeline: Pipeline },
  setting: Pick<JobSetting, 'variables' | 'params'>,
): string | JobRefusal {
  const rendered = renderTemplate(database, taskContext(task, pipeline, unit.data, setting));
  if (rendered.ok) return rendered.text;
  return {
    code: 'not-rendered',
    message: `${task.id}: its database ${database} cannot be rendered: ${rendered.reason}`,
    remedy: 'write the name of the database, or give the value under variables or params in backfill.yaml',
    at: task.session?.database?.at,
  };
}

/**
 * Makes every job of a plan before the first one runs, so that what cannot be rendered is known at once.
 * `placeOf` refuses tasks whose Airflow connection id, or whose own database, means none that this run is on.
 */
export function prepareJobs(
  plan: Plan,
  facts: WorkspaceFacts,
  declared: DeclaredFacts,
  setting: Omit<JobSetting, 'codeHash' | 'options'> & {
    readonly options: JobOptions;
    /** Absent: no scheduler is given anything. */
    readonly carriedBy?: CarriedBy | undefined;
  },
  placeOf: PlaceOfTask,
): PreparedJobs {
  const jobs = new Map<UnitId, UnitJob>();
  const refused = new Map<UnitId, JobRefusal>();
  const make = (unit: PlanUnit): UnitJob | JobRefusal => {
    const known = facts.tasks.get(unit.task);
    const taskFacts = facts.facts.get(unit.task);
    if (known === undefined || taskFacts === undefined) {
      return { code: 'not-runnable', message: `there is no task ${unit.task}`, remedy: 'plan again', at: undefined };
    }
    const { carriedBy } = setting;
    const isGiven = isCarried(unit, known, carriedBy);
    const given = placeOfUnit(unit, known);
    // What a scheduler runs may be anywhere.
    if (given !== undefined && isRefusal(given) && !isGiven) return given;
    const placed = given === undefined || isRefusal(given) ? undefined : given;
    const here = inDatabaseOf(facts, unit.task);
    const names = namesOfWorkspace(facts);
    const otherWriters = (table: string) =>
      (here.tables.get(names(table))?.writers ?? []).filter((id) => id !== unit.task);
    const source = {
      facts: taskFacts,
      declared: declared.get(unit.task),
      sources: facts.sources,
      otherWriters,
      refilledBy: refillers(here),
      ...known,
    };
    const options = optionsOf(unit.task, taskFacts, placed?.options);
    const made =
      isGiven && carriedBy !== undefined
        ? makeCarriedJob(unit, source, { ...setting, codeHash: '', options }, carriedBy)
        : makeJob(unit, source, { codeHash: plan.codeHashes.get(unit.task) ?? '', ...setting, options });
    if (placed === undefined || isRefusal(made)) return made;
    const { place } = placed;
    return { ...(place.kind === 'lake' ? asWritten(made, facts) : made), place };
  };
  const placeOfUnit = (unit: PlanUnit, known: { readonly task: Task; readonly pipeline: Pipeline }) => {
    if (unit.executor.kind !== 'warehouse') return undefined;
    const { connection, database } = unit.executor;
    const rendered = database === undefined ? undefined : renderedDatabase(database, unit, known, setting);
    if (typeof rendered === 'object') return rendered;
    const { sql, session } = known.task;
    const speaksSpark = sql.length > 0 && sql.every(({ dialect }) => dialect === 'spark');
    const found = placeOf({ connection, database: rendered, speaksSpark });
    return found === undefined || !isRefusal(found) ? found : { ...found, at: found.at ?? session?.database?.at };
  };
  const known = new Map<TaskId, UnitOptions>();
  const optionsOf = (task: TaskId, { writes }: TaskFacts, ofPlace: GivenPlace['options']): UnitOptions => {
    const found = known.get(task);
    if (found !== undefined) return found;
    const byDefault = () => writes.some(({ table }) => scheduledWriters(inDatabaseOf(facts, task), table).length > 0);
    const batchMs = setting.options.batchMs ?? declared.get(task)?.batchMs;
    const options = { ...setting.options, ...ofPlace, lockTable: setting.options.lockTable ?? byDefault(), batchMs };
    known.set(task, options);
    return options;
  };
  for (const unit of plan.units) {
    const made = make(unit);
    if (isRefusal(made)) refused.set(unit.id, made);
    else jobs.set(unit.id, made);
  }
  if (jobs.size > 0) return { jobs: withTurns(jobs), refused };
  // Then there is no run that could be told of it.
  const told = [...refused].map(
    ([unit, refusal]) => [unit, { ...refusal, remedy: withoutRun(refusal.remedy) }] as const,
  );
  return { jobs, refused: new Map(told) };
}

const withoutRun = (remedy: string): string => (remedy === runElsewhere.inRun ? runElsewhere.alone : remedy);
