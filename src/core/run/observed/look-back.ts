import type { Scheduler } from '../../scheduler/port/scheduler.ts';
import { standingOf } from '../../scheduler/port/task-state.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import { keepsCommitTimesSql, rowsCommitted, userTablesSql } from '../../warehouse/dialects/postgres/observed-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { Clock } from '../unit/clock.ts';
import type { Observation, ObservedTable } from './observation.ts';
import { writtenIn } from './written-in.ts';

/** Runs are looked for this far back. */
const backMs = 62 * 86_400_000;
/** Tables that are not reached within this time are said to be not looked at. */
const limitMs = 300_000;

export interface LookedBack {
  readonly dag: string;
  /** Name inside of the DAG. */
  readonly name: string;
  /** Its id in the workspace. */
  readonly task: string;
}

/**
 * What was committed to the database while the newest run of a task that ended well was at work; nothing is run. Only a server that
 * keeps commit times can tell, and nobody can tell any more who was connected or what was deleted. In words: why there is nothing
 * to be told. Throws `SchedulerError` and `WarehouseError`.
 */
export async function lookBack(
  { dag, name, task }: LookedBack,
  scheduler: Scheduler,
  session: Session,
  clock: Clock,
  report: (state: string) => void,
): Promise<Observation | { readonly wrong: string; readonly hint: string }> {
  if ((await session.query(keepsCommitTimesSql)).rows[0]?.[0] !== 'on')
    return {
      wrong: 'the server does not keep when transactions were committed, so a run that is over cannot be looked at',
      hint: `have it run from here: it is watched then; or set track_commit_timestamp = on, restart the server and wait for its next run`,
    };
  const now = clock.now();
  const found = await newestRun(dag, name, scheduler, now);
  if (found === undefined)
    return {
      wrong: `${scheduler.description.name} has no run of the last ${backMs / 86_400_000} days in which ${task} ended well`,
      hint: 'have it run from here: it is watched then',
    };
  const { run, interval, from, to } = found;
  const others = (await scheduler.atWork(from, to)).filter(
    (one) => one.run !== run || one.dag !== dag || one.task !== name,
  );
  const tables: ObservedTable[] = [];
  const names = (await session.query(userTablesSql)).rows.map(([table]) => String(table));
  for (const [index, table] of names.entries()) {
    report(`looking at ${table} (${index + 1} of ${names.length})`);
    if (clock.now() - now > limitMs) {
      tables.push({ ...notLookedAt, table });
      continue;
    }
    const seen = await writtenIn(session, table, undefined, rowsCommitted(from, to));
    if (seen.rows !== 0) tables.push(seen);
  }
  return {
    run,
    unit: `${task} in ${run}`,
    task,
    interval,
    at: now,
    how: 'commit times',
    tables,
    clients: [],
    unseen: undefined,
    beside: [...new Set(others.map((one) => `${one.dag}.${one.task}`))],
  };
}

const notLookedAt: Omit<ObservedTable, 'table'> = {
  counted: undefined,
  rows: undefined,
  all: false,
  transactions: 0,
  older: false,
  columns: [],
  givenUp: `not reached within ${limitMs / 60_000} minutes`,
};

async function newestRun(dag: string, name: string, scheduler: Scheduler, now: Instant) {
  const runs = await scheduler.runs(dag, instant(now - backMs), now);
  for (const { id, interval } of [...runs].reverse()) {
    if (interval === undefined) continue;
    const instances = await scheduler.instances(dag, id, name);
    const [started, ended] = [instances.map(({ startedAt }) => startedAt), instances.map(({ endedAt }) => endedAt)];
    if (standingOf(instances) !== 'success' || [...started, ...ended].includes(undefined)) continue;
    const from = instant(Math.min(...started.map(Number)));
    return { run: id, interval, from, to: instant(Math.max(...ended.map(Number))) };
  }
  return undefined;
}
