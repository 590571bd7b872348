import { expect } from 'vitest';
import type { Scheduler } from '../../../src/core/scheduler/port/scheduler.ts';
import { isActive } from '../../../src/core/scheduler/port/task-state.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import type { AirflowServer } from '../../support/airflow-server.ts';
import { madeRun } from '../../support/made-run.ts';
import { type RunningCli, startCli } from '../../support/running-cli.ts';
import type { StormDag } from './draw-storm.ts';
import { stormDays, stormRows } from './storm-files.ts';

/** Where a storm goes over. */
export interface StormPlace {
  readonly airflow: AirflowServer;
  readonly scheduler: Scheduler;
  /** Folder of the built command line. */
  readonly bundle: string;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly connection: string;
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const dayMs = 86_400_000;
const runId = /run (\d{8}-\d{6}-\w{6}): /;
/** A run that has to be resumed more often than this goes round in a circle. */
const mostResumes = 20;

/** The runs that a scheduler would have made by then. */
export async function runsThere({ scheduler }: StormPlace, dag: StormDag): Promise<void> {
  for (const day of stormDays.slice(0, dag.there)) {
    const start = instant(Date.parse(`${day}T00:00:00Z`));
    const interval = { start, end: instant(start + dayMs) };
    await madeRun(scheduler, dag.id, { id: `before__${day}`, logicalDate: start, interval, note: 'by hand' });
  }
}

/** Runs the days of DAGs at once while all kinds of things befall each, and all of them together. */
export async function storm(place: StormPlace, dags: readonly StormDag[], seed: number): Promise<void> {
  const begun = dags.map(() => deferred());
  // Without its API nothing begins, which is said and no storm.
  const all = Promise.all(begun.map(({ promise }) => promise)).then(() => thunder(place, seed));
  // Whoever is through early is asked when the API is back.
  await Promise.all(
    dags.map(async (dag, index) => {
      const said = await weather(place, dag, begun[index]?.resolve ?? (() => {}));
      await all;
      await quiet(place, dag, said);
    }),
  );
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Runs the days of a DAG while its strikes befall it, and goes on with what is left until nothing is; gives what was said. */
async function weather(place: StormPlace, dag: StormDag, begun: () => void): Promise<readonly string[]> {
  const { query } = place;
  const has = (strike: StormDag['strikes'][number]): boolean => dag.strikes.includes(strike);
  const given = dag.tasks.filter(({ kind }) => kind !== 'sql');
  const victim = given[Math.floor((dag.delays[0] ?? 0) / 7) % given.length]?.name ?? 't0';
  const cli = (...words: readonly string[]): RunningCli =>
    startCli(place.bundle, place, ...words, '--connection', place.connection, '--yes');
  const days = ['--from', stormDays[0], '--to', '2026-10-22', '--now', '2026-11-29T12:00Z', '--concurrency', '2'];
  if (has('fails once') || has('fails for ever'))
    await query(`insert into storm.faults values ('${dag.id}.${victim}', ${has('fails for ever') ? 1_000_000 : 1})`);
  const started = [cli('run', dag.id, ...days), ...(has('two at once') ? [cli('run', dag.id, ...days)] : [])];
  // What is paused before it has begun is refused, which is said and no storm.
  const own = deferred();
  const besides = own.promise.then(() => beside(place, dag, victim));
  const said: string[] = [];
  // Of two at once one may be told that the other is at it, which it hears from the API too.
  const named = started.map((process) => process.until(runId).catch(() => undefined));
  void Promise.all(named).then(() => {
    begun();
    own.resolve();
  });
  const runs = await Promise.all(
    started.map(async (process, index): Promise<number> => {
      const run = await named[index];
      if (has('killed') && index === 0) {
        await sleep(dag.delays[1] ?? 0);
        process.kill('SIGKILL');
      }
      let ended = await process.ended();
      said.push(ended.output);
      if (run === undefined) {
        expect(ended.output).toMatch(/overlap|another run|at work/i);
        return 0;
      }
      for (let tries = 0; ended.code !== 0; tries++) {
        if (tries === mostResumes) throw new Error(`${dag.id} did not come to its end:\n${said.join('\n----\n')}`);
        if (has('fails for ever')) await query(`delete from storm.faults where task = '${dag.id}.${victim}'`);
        const again = cli('resume', run);
        if (has('killed') && tries === 0) {
          await sleep(dag.delays[2] ?? 0);
          again.kill('SIGKILL');
        }
        ended = await again.ended();
        said.push(ended.output);
      }
      return 1;
    }),
  );
  expect(runs, said.join('\n')).toContain(1);
  await besides;
  return said;
}

/** What others do meanwhile. */
async function beside({ airflow, scheduler }: StormPlace, dag: StormDag, victim: string): Promise<void> {
  const [, , , delay = 0] = dag.delays;
  if (dag.strikes.includes('paused')) {
    await sleep(delay);
    await airflow.pause(dag.id, true);
    await sleep(6000);
    await airflow.pause(dag.id, false);
  }
  if (dag.strikes.includes('cleared')) {
    await sleep(delay);
    const start = instant(Date.parse(`${stormDays[0]}T00:00:00Z`));
    const [run] = await scheduler.runs(dag.id, start, start).catch(() => []);
    // Its run may not be there yet, or may be at work just now.
    if (run !== undefined) await scheduler.clear(dag.id, run.id, victim).catch(() => {});
  }
}

/** Nothing is left queued or running, and ledger and Airflow say the same. */
async function quiet({ scheduler, query }: StormPlace, dag: StormDag, said: readonly string[]): Promise<void> {
  const first = instant(Date.parse(`${stormDays[0]}T00:00:00Z`));
  for (let tries = 0; ; tries++) {
    const there = await scheduler.runs(dag.id, first, instant(first + dayMs));
    const tasks = await Promise.all(
      there.flatMap(({ id }) => dag.tasks.map(({ name }) => scheduler.instances(dag.id, id, name))),
    );
    const isQuiet =
      there.every(({ state }) => state === 'success' || state === 'failed') && !tasks.flat().some(isActive);
    if (isQuiet) {
      expect(there, said.join('\n')).toHaveLength(dag.tasks.every(({ kind }) => kind === 'sql') ? dag.there : 2);
      for (const instances of tasks) expect(instances.map(({ state }) => state)).toEqual(['success']);
      break;
    }
    if (tries > 60) throw new Error(`${dag.id} does not come to rest: ${JSON.stringify(tasks.flat())}`);
    await sleep(1000);
  }
  const units = await query(
    `select unit, state from backfill_ledger.units where unit like '${dag.id}.%' and run in
      (select run from backfill_ledger.runs where not exists (select from backfill_ledger.units u
        where u.run = runs.run and u.state not in ('changed', 'unchanged', 'skipped', 'done')))`,
  );
  expect(units.length, said.join('\n')).toBeGreaterThanOrEqual(dag.tasks.length * stormDays.length);
  for (const table of ['claims', 'carried'])
    expect(
      await query(`select unit from backfill_ledger.${table} where unit like '${dag.id}.%'`),
      `${table} of ${dag.id}:\n${said.join('\n')}`,
    ).toEqual([]);
}

/** What a storm left in the tables of a DAG. */
export const rowsOf = async ({ query }: Pick<StormPlace, 'query'>, dag: StormDag) => (await query(stormRows(dag)))[0];

/** What befalls all of them at once: its API is away for a while, and its scheduler is. */
async function thunder({ airflow }: StormPlace, seed: number): Promise<void> {
  await sleep(3000 + (seed % 5) * 1000);
  await airflow.restartApi();
  await sleep(3000);
  await airflow.stopScheduler();
  await sleep(4000);
  await airflow.startScheduler();
}
