import type { JobOptions, RunsHere } from '../core/run/jobs/prepare-jobs.ts';
import type { JobRefusal } from '../core/run/unit/job-refusal.ts';
import type { Config } from './config/config.ts';
import { connectionFor, databaseOf, type Environment, type TaskPlace } from './config/resolve-connection.ts';

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
 * connection says which ids mean it, and tasks that name another database than the run's.
 */
export function refuseElsewhere(config: Config, runsOn: string, env: Environment): RunsHere {
  return (airflowId, database) => {
    if (database !== undefined && database !== databaseOf(config, runsOn, env))
      return otherDatabase(config, runsOn, { airflowId, database }, env);
    const meant = airflowId === undefined ? undefined : connectionFor(config, { airflowId, database }, env);
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

function otherDatabase(config: Config, runsOn: string, place: TaskPlace, env: Environment): JobRefusal {
  const { airflowId, database } = place;
  const here = databaseOf(config, runsOn, env);
  const meant = connectionFor(config, place, env);
  const where =
    here === undefined ? `${config.file} does not say which database ${runsOn} is` : `this run is in ${here}`;
  const ids = airflowId === undefined ? '' : ` and airflowIds: [${airflowId}]`;
  const remedy =
    meant !== undefined
      ? `run it by itself with --connection ${meant}`
      : here === undefined
        ? `write database: ${database} under ${runsOn} in ${config.file} if it is that, else add a connection with database: ${database}${ids}`
        : `add a connection with database: ${database}${ids} to ${config.file}, and run it by itself with --connection and its name`;
  return {
    code: 'other-connection',
    message: `it runs in the database ${database}, and ${where} (connection ${runsOn})`,
    remedy,
    at: undefined,
  };
}
