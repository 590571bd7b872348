import type { JobOptions } from '../core/run/jobs/prepare-jobs.ts';
import type { JobRefusal } from '../core/run/unit/job-refusal.ts';
import type { Config } from './config/config.ts';
import { connectionForAirflowId } from './config/resolve-connection.ts';

/** How units run by `backfill.yaml`; `settings` are the session settings of the connection that they run on. */
export const unitOptions = (
  { run, diff, connections }: Config,
  settings: Readonly<Record<string, string>>,
  connection?: string,
): JobOptions => ({
  compare: run.compare,
  samples: run.samples,
  floatTolerance: diff.floatTolerance,
  holdShrinkPercent: run.holdShrinkPercent,
  keepBeforeRows: run.keepBeforeRows,
  earlyCutoff: run.earlyCutoff,
  lockTable: run.lockTable,
  tableConcurrency: run.tableConcurrency,
  connectionConcurrency: connection === undefined ? undefined : connections.get(connection)?.concurrency,
  lockTimeoutMs: run.lockTimeoutMs,
  statementTimeoutMs: run.statementTimeoutMs,
  leaseMs: run.leaseMs,
  settings,
});

/**
 * Refuses tasks whose Airflow connection id means another connection than the run's, or none at all where the run's
 * connection says which ids mean it.
 */
export function refuseElsewhere(
  config: Config,
  runsOn: string,
): (airflowId: string | undefined) => JobRefusal | undefined {
  return (airflowId) => {
    const meant = airflowId === undefined ? undefined : connectionForAirflowId(config, airflowId);
    if (airflowId === undefined || meant === runsOn) return undefined;
    if (meant === undefined) {
      const listed = config.connections.get(runsOn)?.airflowIds ?? [];
      if (listed.length === 0) return undefined;
      return {
        code: 'other-connection',
        message: `its connection ${airflowId} is not among the airflowIds of ${runsOn} (${listed.join(', ')}), on which this run is`,
        remedy: `add ${airflowId} to the airflowIds of the connection that it means in ${config.file}`,
        at: undefined,
      };
    }
    return {
      code: 'other-connection',
      message: `its connection ${airflowId} means ${meant}, and this run is on ${runsOn}`,
      remedy: `run it by itself with --connection ${meant}`,
      at: undefined,
    };
  };
}
