import type { Plan } from '../../../core/plan/model/plan.ts';
import { checkCarried } from '../../../core/run/carried/check-carried.ts';
import type { CarriedBy } from '../../../core/run/jobs/make-carried-job.ts';
import { type PlaceOfTask, type PreparedJobs, prepareJobs } from '../../../core/run/jobs/prepare-jobs.ts';
import { encodeRunDocument } from '../../../core/run/stored/run-document.ts';
import { defaultRunOptions } from '../../../core/run/unit/run-options.ts';
import type { SchedulerConfig } from '../../../core/scheduler/port/scheduler-config.ts';
import { instant } from '../../../core/time/zones/instant.ts';
import { newRunId } from '../../../node/run-id.ts';
import { placesOf, unitOptions } from '../../../node/run-setup.ts';
import { openScheduler } from '../../../orchestrators/open.ts';
import type { WorldAnswer } from '../run-api.ts';
import { schedulerAnswer } from '../scheduler-answer.ts';
import type { PageOptions, PreparedAnswer } from '../workspace-api.ts';
import type { LiveState } from './live-workspace.ts';

export interface PrepareOptions {
  /** The one that a run uses, also where this is for a preview on another one. */
  readonly connection: string;
  /** Session settings of the connection that is opened. */
  readonly settings: Readonly<Record<string, string>>;
  readonly options: Partial<PageOptions>;
  readonly concurrency: number;
  readonly stopAtFirstFailure: boolean;
  readonly carriedBy: CarriedBy | undefined;
  /** Opened and asked about what it is given. */
  readonly scheduler: SchedulerConfig | undefined;
}

/** The jobs of a plan as they would run on a connection; `run` names them. */
export function jobsOf(
  { facts, config }: LiveState,
  plan: Plan,
  run: string,
  {
    connection,
    settings,
    options,
    carriedBy,
  }: Pick<PrepareOptions, 'connection' | 'settings' | 'options' | 'carriedBy'>,
): PreparedJobs {
  // On a clone too the statements of a preview run as the scheduler would run them.
  const scheduled = { ...config.connections.get(connection)?.settings, ...settings };
  const byFile = unitOptions(config, scheduled, connection);
  const { samples = byFile.samples, floatTolerance = byFile.floatTolerance } = options;
  return prepareJobs(
    plan,
    facts,
    config.declared,
    {
      run,
      variables: config.variables,
      params: config.params,
      carriedBy,
      options: { ...byFile, ...options, samples, floatTolerance },
    },
    inDatabase(placesOf(config, connection, process.env)),
  );
}

/** The page shows locks, traces and proofs of a database: tasks of a lake beside it are left to the command line. */
export const inDatabase =
  (placeOf: PlaceOfTask): PlaceOfTask =>
  (asked) => {
    const given = placeOf(asked);
    if (given === undefined || !('place' in given) || given.place.kind !== 'lake') return given;
    return {
      code: 'not-runnable',
      message: `it writes files of ${given.place.connection}, a connection of Spark, and those are worked on from the command line`,
      remedy:
        'run the selection in a terminal of this folder: backfill run TASK --from DAY --to DAY --downstream --preview',
      at: undefined,
    };
  };

/**
 * Everything that the run thread needs, and the ledger keeps, of a plan on a connection. What its scheduler says against a unit
 * refuses that unit.
 */
export async function prepareRun(
  state: LiveState,
  plan: Plan,
  title: string,
  options: PrepareOptions,
): Promise<PreparedAnswer | WorldAnswer> {
  const run = newRunId(instant(Date.now()));
  const known = jobsOf(state, plan, run, options);
  const { concurrency, stopAtFirstFailure, scheduler } = options;
  const checked = await checkedBy(scheduler, state, plan, known, concurrency);
  if ('kind' in checked) return checked;
  const { jobs, refused } = checked;
  return {
    run,
    title,
    document: encodeRunDocument({
      plan,
      jobs,
      refused,
      options: {
        ...defaultRunOptions,
        keepBeforeDays: state.config.run.keepBeforeDays,
        vacuum: state.config.run.vacuum,
        concurrency,
        stopAtFirstFailure,
      },
    }),
  };
}

async function checkedBy(
  scheduler: SchedulerConfig | undefined,
  { facts }: LiveState,
  plan: Plan,
  known: PreparedJobs,
  concurrency: number,
): Promise<PreparedJobs | WorldAnswer> {
  if (scheduler === undefined) return known;
  try {
    return await checkCarried(await openScheduler(scheduler), plan, known, {
      pipelines: facts.pipelines,
      concurrency,
    });
  } catch (error) {
    return schedulerAnswer(error);
  }
}
