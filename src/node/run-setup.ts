import type { GivenPlace, JobOptions, PlaceOfTask, RunsHere } from '../core/run/jobs/prepare-jobs.ts';
import type { JobRefusal } from '../core/run/unit/job-refusal.ts';
import type { Config, ConnectionSpec } from './config/config.ts';
import { connectionFor, databaseOf, type Environment, ledgerOf, type TaskPlace } from './config/resolve-connection.ts';

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
      remedy: `${oneLedger(config, meant, runsOn)}run it by itself with --connection ${meant}`,
      at: undefined,
    };
  };
}

/** What makes one plan of a lake and a database; empty where that is not what keeps them apart. */
function oneLedger(config: Config, meant: string, runsOn: string): string {
  const [lake, ...others] = [meant, runsOn].filter((name) => isSpark(config, name));
  const database = [meant, runsOn].find((name) => name !== lake);
  return lake === undefined || others.length > 0
    ? ''
    : `write ledger: ${database} under ${lake} in ${config.file}, and both are run in one plan; or `;
}

/**
 * Where each task of a run is carried out: on the run's connection, or on another one that keeps its claims and records in the same
 * database. Refused as by {@link refuseElsewhere} where neither is meant.
 */
export function placesOf(config: Config, runsOn: string, env: Environment): PlaceOfTask {
  const elsewhere = refuseElsewhere(config, runsOn, env);
  const home = ledgerOf(config, runsOn);
  const isBeside = (name: string): boolean => name !== runsOn && ledgerOf(config, name) === home;
  const lakes = [...config.connections.values()].filter(({ name, engine }) => engine === 'spark' && isBeside(name));
  return ({ connection, database, speaksSpark }) => {
    const asked = { airflowId: connection, database };
    const meant = connection === undefined ? undefined : connectionFor(config, asked, env);
    if (meant !== undefined && isBeside(meant)) return placedOn(config, meant, true);
    if (meant === undefined && speaksSpark && lakes.length > 0 && !isSpark(config, runsOn))
      return onlyLake(config, lakes, connection);
    return elsewhere(connection, database) ?? placedOn(config, runsOn, false);
  };
}

/** Ids that operators of Spark have where nobody names one. */
const byDefault: ReadonlySet<string> = new Set(['spark_default', 'spark_sql_default']);

/** Where Spark SQL is carried out whose connection nobody lists: on the only lake that may be meant, and never in a database. */
function onlyLake(
  config: Config,
  lakes: readonly ConnectionSpec[],
  airflowId: string | undefined,
): GivenPlace | JobRefusal {
  const isUnnamed = airflowId === undefined || byDefault.has(airflowId);
  const may = lakes.filter(({ airflowIds }) => isUnnamed || airflowIds.length === 0);
  const [lake, ...others] = may;
  if (lake !== undefined && others.length === 0) return placedOn(config, lake.name, true);
  const names = (may.length === 0 ? lakes : may).map(({ name }) => name).join(', ');
  return {
    code: 'other-connection',
    message: `it is in Spark SQL, and its connection ${airflowId ?? '(none is named)'} is not among the airflowIds of ${names}`,
    remedy: `add ${airflowId ?? 'the one that its operator names'} to the airflowIds of the connection that it means in ${config.file}`,
    at: undefined,
  };
}

const isSpark = ({ connections }: Config, name: string): boolean => connections.get(name)?.engine === 'spark';

function placedOn(config: Config, connection: string, beside: boolean): GivenPlace {
  const place = isSpark(config, connection) ? ({ kind: 'lake', connection } as const) : ({ kind: 'database' } as const);
  const { settings = {}, concurrency } = config.connections.get(connection) ?? {};
  return beside ? { place, options: { settings, connectionConcurrency: concurrency } } : { place };
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
