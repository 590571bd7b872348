import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { carriedExecutor } from '../../src/core/run/carried/carried-executor.ts';
import { judgeObservations } from '../../src/core/run/observed/judge-observations.ts';
import { lookBack } from '../../src/core/run/observed/look-back.ts';
import type { Observation } from '../../src/core/run/observed/observation.ts';
import { SeenClients } from '../../src/core/run/observed/seen-clients.ts';
import { seenSince } from '../../src/core/run/observed/seen-since.ts';
import { takeWatch } from '../../src/core/run/observed/watch.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { DagRun, Scheduler, TaskInstance } from '../../src/core/scheduler/port/scheduler.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { fakeScheduler } from '../support/fake-scheduler.ts';
import { lawRuns } from '../support/laws.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { freshDatabase, job, neverAborted, realClock } from '../support/warehouse-fixture.ts';

const dayMs = 86_400_000;
const [monday, tuesday, wednesday] = ['2026-11-02', '2026-11-03', '2026-11-04'] as const;
type Day = typeof monday | typeof tuesday | typeof wednesday;
const intervalOf = (day: Day) => {
  const start = Date.parse(`${day}T00:00:00Z`);
  return { start: instant(start), end: instant(start + dayMs) };
};

const setup = `
  create table sales (id int, day date, loaded_at timestamptz default now(), due date, shop text);
  create table other (id int, day date);
  insert into sales select n, '2026-10-01'::date + n, now(), '2026-10-01'::date + n, 'a' from generate_series(1, 60) n`;

/** Sends each text as one transaction; text with a `;` at its end is sent as it is. */
type Send = (...transactions: readonly string[]) => Promise<void>;

/** A session of somebody else than the product. */
async function asClient(connection: PostgresConnection, name: string, work: (send: Send) => Promise<void>) {
  const { host, port, database, user, password } = connection;
  const client = new pg.Client({ host, port, database, user, password, ssl: false, application_name: name });
  await client.connect();
  try {
    await work(async (...transactions) => {
      for (const text of transactions) await client.query(text);
    });
  } finally {
    await client.end();
  }
}

const fill = (day: Day) =>
  `insert into sales (id, day, due, shop) select n, '${day}', date '2026-10-05' + n * 7, 'b' from generate_series(1, 8) n`;
const empty = (day: Day) => `delete from sales where day = '${day}'`;

describe('a task whose tables no file says', () => {
  let workspace: DagWorkspace;
  let connection: PostgresConnection;
  let warehouse: Warehouse;

  beforeAll(async () => {
    workspace = await dagWorkspace(
      setup,
      'from airflow.operators.python import PythonOperator\nimport loads\nPythonOperator(task_id="load", python_callable=loads.sales)',
    );
    connection = { ...(await freshDatabase()), database: String(workspace.databases[0]) };
    warehouse = await openWarehouse(connection);
  });
  afterAll(async () => {
    await warehouse.close();
    workspace.close();
  });

  const runs = async (work: (day: Day) => Promise<void>, ...days: readonly Day[]) => {
    const deployed = {
      ...{ id: 'd', paused: false, active: true, importErrors: false, schedule: '@daily', maxActiveRuns: 16 },
      tasks: [{ id: 'load', operator: 'PythonOperator', pool: 'default_pool', poolSlots: 1 }],
    };
    const scheduler = fakeScheduler([deployed], (_task, { start }) =>
      work(new Date(start).toISOString().slice(0, 10) as Day),
    );
    // Polls are short: what is waited for goes on by being looked at. The counters of the server need their time.
    const sleep = (ms: number) =>
      new Promise<void>((resolve) => setTimeout(resolve, ms >= 2000 || ms === 250 ? 20 : ms));
    const env = { clock: { now: realClock.now, sleep }, owner: 'me' };
    const outcomes = [];
    for (const day of days) {
      const carried = { scheduler: 'fake', dag: 'd', task: 'load', uncompared: 'which tables it writes is not known' };
      const unit = {
        ...job({ statements: [], options: { leaseMs: 60_000 } }),
        ...{ run: `run-${day}`, unit: `d.load@${day}T00:00:00Z`, task: 'd.load', slices: [], carried },
        interval: intervalOf(day),
      };
      const executor = carriedExecutor(scheduler, warehouse, env, relationalExecutor(warehouse, env));
      outcomes.push(await executor.execute(unit, neverAborted, [], () => {}));
    }
    return outcomes;
  };

  test('is watched while it runs; two runs tell its table and its column, and --declare says so in backfill.yaml', async () => {
    expect((await workspace.cli(['observe', 'd.load'])).out).toContain(
      'd.load was not watched yet: name your Airflow under schedulers in backfill.yaml and have it run from here',
    );
    const work = (day: Day) => asClient(connection, 'loader', (send) => send(empty(day), fill(day)));
    const [first] = await runs(work, monday);
    expect(first).toMatchObject({
      state: 'not-compared',
      notes: [
        'observed while it ran, whoever wrote it: public.sales (+8 −1 rows by its counters); backfill observe d.load says what that tells of the task',
      ],
    });
    const once = await workspace.cli(['observe', 'd.load']);
    expect(once).toMatchObject({ code: 1, out: expect.stringContaining('public.sales: it was seen in 1 run only') });
    await runs(work, tuesday);
    const twice = await workspace.cli(['observe', 'd.load', '--declare']);
    expect(twice.err).toBe('');
    expect(twice.out).toContain(
      'public.sales: in 2 runs all 16 written rows had day inside of the interval (delete and insert)',
    );
    expect(twice.out).toContain('backfill.yaml says so now: public.sales');
    const shown = JSON.parse((await workspace.cli(['show', '.', '--format', 'json'])).out);
    expect(shown.pipelines[0].tasks[0].writes).toMatchObject([{ table: 'public.sales', column: 'day' }]);
  });
});

describe('a run of before', () => {
  let server: PostgresServer;
  let connection: PostgresConnection;
  let warehouse: Warehouse;
  beforeAll(async () => {
    server = await startPostgres(['track_commit_timestamp=on']);
    const { host, port, user, password } = server;
    connection = { ...(await freshDatabase()), host, port, user, password, database: 'postgres' };
    warehouse = await openWarehouse(connection);
    await asClient(connection, 'setup', (send) => send(setup));
  });
  afterAll(async () => {
    await warehouse.close();
    await server.stop();
  });

  /** What is told of the newest of some runs, which are over. */
  const back = async (days: readonly Day[], beside: readonly { dag: string; run: string; task: string }[] = []) => {
    const instances = new Map<string, TaskInstance>();
    const runs: DagRun[] = [];
    for (const day of days) {
      const startedAt = instant(Date.now());
      await asClient(connection, 'loader', (send) => send('begin', empty(day), fill(day), 'commit'));
      const endedAt = instant(Date.now());
      const interval = intervalOf(day);
      runs.push({ id: `run-${day}`, state: 'success', logicalDate: interval.start, interval, note: undefined });
      const ended = { task: 'load', mapIndex: -1, state: 'success', tryNumber: 1, maxTries: 1, startedAt, endedAt };
      instances.set(`run-${day}`, ended);
    }
    const scheduler: Scheduler = {
      ...fakeScheduler([], async () => {}),
      runs: async () => runs,
      instances: async (_dag, run) => [
        ...(instances.get(run) === undefined ? [] : [instances.get(run) as TaskInstance]),
      ],
      atWork: async () => beside,
    };
    const session = await warehouse.connect('unit');
    const seen = await lookBack({ dag: 'd', name: 'load', task: 'd.load' }, scheduler, session, realClock, () => {});
    await session.close();
    if ('wrong' in seen) throw new Error(seen.wrong);
    return seen;
  };

  test('is told by commit times: three of them make its table clear, and work beside it none', async () => {
    const seen = [];
    for (const day of [monday, tuesday]) seen.push(await back([day]));
    expect(judgeObservations(seen)).toMatchObject([{ kind: 'not clear', reason: 'it was seen in 2 runs only' }]);
    seen.push(await back([wednesday]));
    expect(judgeObservations(seen)).toMatchObject([
      { table: 'public.sales', kind: 'clear', slice: { column: 'day' }, rows: 24, mode: 'not counted' },
    ]);
    const shared = await back([wednesday], [{ dag: 'd', run: 'run-2026-11-04', task: 'audit' }]);
    expect(shared.beside).toEqual(['d.audit']);
    expect(judgeObservations([...seen.slice(0, 2), shared])).toMatchObject([
      { kind: 'not clear', reason: expect.stringContaining('d.audit ran at the same time') },
    ]);
  });

  test('cannot be looked at on a server that keeps none, which is said with what helps', async () => {
    const plain = await openWarehouse(await freshDatabase());
    const session = await plain.connect('unit');
    const scheduler = fakeScheduler([], async () => {});
    const asked = { dag: 'd', name: 'load', task: 'd.load' };
    expect(await lookBack(asked, scheduler, session, realClock, () => {})).toMatchObject({
      wrong: expect.stringContaining('does not keep when transactions were committed'),
      hint: expect.stringContaining('track_commit_timestamp = on'),
    });
    await session.close();
    await plain.close();
  });
});

/** What else goes on while the task runs. */
type Beside = 'nothing' | 'same table at once' | 'began before' | 'another table' | 'same table, any day';

describe('what was seen while a task ran', () => {
  let connection: PostgresConnection;
  let warehouse: Warehouse;
  beforeEach(async () => {
    connection = await freshDatabase();
    warehouse = await openWarehouse(connection);
    await asClient(connection, 'setup', (send) => send(setup));
    return () => warehouse.close();
  });

  /** The task and what goes on beside it, watched. */
  async function observed(day: Day, beside: Beside, parts: 'one transaction' | 'several'): Promise<Observation> {
    const session = await warehouse.connect('unit');
    const task = (wait: number) =>
      asClient(connection, 'task', async (send) => {
        const texts = [empty(day), `select pg_sleep(${wait})`, fill(day)];
        await send(...(parts === 'several' ? texts : ['begin', ...texts, 'commit']));
      });
    const writes = (table: string, when: string, wait: number) =>
      asClient(connection, 'somebody', (send) =>
        send('begin', `insert into ${table} (id, day) values (1, '${when}')`, `select pg_sleep(${wait})`, 'commit'),
      );
    let early: Promise<void> | undefined;
    if (beside === 'began before') {
      early = writes('sales', day, 0.6);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    const watch = await takeWatch(session);
    const clients = new SeenClients(session, watch);
    let over = false;
    const work = (async () => {
      const others: Promise<void>[] = [task(0.15), ...(early === undefined ? [] : [early])];
      if (beside === 'same table at once') others.push(writes('sales', day, 0.1));
      if (beside === 'another table') others.push(writes('other', day, 0.1));
      if (beside === 'same table, any day') others.push(writes('sales', '2026-10-20', 0));
      await Promise.all(others);
      over = true;
    })();
    while (!over) {
      await clients.look();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await work;
    const seen = await seenSince(session, watch, clients, realClock);
    await session.close();
    const unit = { run: `run-${day}`, unit: `d.load@${day}`, task: 'd.load', interval: intervalOf(day) };
    return { ...unit, at: realClock.now(), how: 'watched', beside: [], ...seen };
  }

  test('is clear of the task’s own table and column only, whoever else writes; and is clear where nobody else does', async () => {
    const beside = fc.constantFrom<Beside>(
      'nothing',
      'same table at once',
      'began before',
      'another table',
      'same table, any day',
    );
    const parts = fc.constantFrom('one transaction' as const, 'several' as const);
    await fc.assert(
      fc.asyncProperty(fc.tuple(beside, beside, beside), parts, async (besides, how) => {
        const seen: Observation[] = [];
        for (const [index, day] of [monday, tuesday, wednesday].entries())
          seen.push(await observed(day, besides[index] ?? 'nothing', how));
        const verdicts = judgeObservations(seen);
        for (const one of verdicts) {
          if (one.kind !== 'clear') continue;
          expect(one).toMatchObject({
            table: 'public.sales',
            slice: { kind: 'column', column: 'day', of: 'interval' },
          });
          expect(one.rows).toBe(8 * one.runs);
        }
        if (besides.filter((one) => one === 'nothing').length >= 2)
          expect(verdicts).toContainEqual(expect.objectContaining({ table: 'public.sales', kind: 'clear' }));
        if (besides.every((one) => one !== 'nothing'))
          expect(verdicts).not.toContainEqual(expect.objectContaining({ kind: 'clear' }));
      }),
      { numRuns: lawRuns(8) },
    );
  });
});
