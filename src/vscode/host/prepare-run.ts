import type { Plan } from '../../core/plan/model/plan.ts';
import { type PreparedJobs, prepareJobs } from '../../core/run/jobs/prepare-jobs.ts';
import { encodeRunDocument } from '../../core/run/stored/run-document.ts';
import { defaultRunOptions } from '../../core/run/unit/run-options.ts';
import { instant } from '../../core/time/zones/instant.ts';
import { newRunId } from '../../node/run-id.ts';
import { refuseElsewhere, unitOptions } from '../../node/run-setup.ts';
import type { LiveState } from './live-workspace.ts';
import type { PageOptions, PreparedAnswer } from './workspace-api.ts';

export interface PrepareOptions {
  /** The one that a run uses, also where this is for a preview on another one. */
  readonly connection: string;
  /** Session settings of the connection that is opened. */
  readonly settings: Readonly<Record<string, string>>;
  readonly options: Partial<PageOptions>;
  readonly concurrency: number;
  readonly stopAtFirstFailure: boolean;
}

/** The jobs of a plan as they would run on a connection; `run` names them. */
export function jobsOf(
  { facts, config }: LiveState,
  plan: Plan,
  run: string,
  { connection, settings, options }: Pick<PrepareOptions, 'connection' | 'settings' | 'options'>,
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
      options: { ...byFile, ...options, samples, floatTolerance },
    },
    refuseElsewhere(config, connection, process.env),
  );
}

/** Everything that the run thread needs, and the ledger keeps, of a plan on a connection. */
export function prepareRun(state: LiveState, plan: Plan, title: string, options: PrepareOptions): PreparedAnswer {
  const run = newRunId(instant(Date.now()));
  const { jobs, refused } = jobsOf(state, plan, run, options);
  const { concurrency, stopAtFirstFailure } = options;
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
