import { afterEach, beforeEach, expect, test } from 'vitest';
import { carriedExecutor } from '../../src/core/run/carried/carried-executor.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { CancelSignal } from '../../src/core/run/unit/cancel-signal.ts';
import type { Clock } from '../../src/core/run/unit/clock.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../src/core/run/unit/unit-outcome.ts';
import type { DeployedDag } from '../../src/core/scheduler/port/scheduler.ts';
import { SchedulerError } from '../../src/core/scheduler/port/scheduler-error.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type FakeScheduler, fakeScheduler } from '../support/fake-scheduler.ts';
import { mortal } from '../support/mortal.ts';
import { freshDatabase, job, neverAborted, scalar, sql } from '../support/warehouse-fixture.ts';

const dag: DeployedDag = {
  id: 'shop',
  paused: false,
  active: true,
  importErrors: false,
  schedule: '@daily',
  maxActiveRuns: 16,
  tasks: ['sales', 'totals'].map((id) => ({ id, operator: 'PythonOperator', pool: 'default_pool', poolSlots: 1 })),
};
const dayMs = 86_400_000;
const days = ['2026-11-01', '2026-11-02', '2026-11-03'] as const;
const at = (day: string) => instant(Date.parse(`${day}T00:00:00Z`));
const quickClock: Clock = {
  now: () => instant(Date.now()),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 10))),
};

let warehouse: Warehouse;
let scheduler: FakeScheduler;
const fails = new Set<string>();
beforeEach(async () => {
  warehouse = await openWarehouse(await freshDatabase());
  fails.clear();
  await sql(
    warehouse,
    'create table orders (id int primary key, day date, amount int)',
    "insert into orders select n, '2026-11-01'::date + n % 3, n from generate_series(1, 30) n",
    'create table sales (id int primary key, day date, amount int)',
    'create table totals (day date primary key, amount bigint)',
  );
  scheduler = airflow();
});
afterEach(() => warehouse.close());

const airflow = (): FakeScheduler =>
  fakeScheduler([dag], async (task, { start }) => {
    const day = new Date(start).toISOString().slice(0, 10);
    if (fails.has(`${task} ${day}`)) throw new Error('not now');
    const from = task === 'sales' ? 'select id, day, amount from orders' : 'select day, sum(amount) from sales';
    const rest = task === 'sales' ? '' : 'group by day';
    await sql(
      warehouse,
      `delete from ${task} where day = '${day}'`,
      `insert into ${task} ${from} where day = '${day}' ${rest}`,
    );
  });

/** The units of a range in the order of a plan. */
const unitsOf = (run: string): readonly UnitJob[] =>
  days.flatMap((day) =>
    dag.tasks.map(({ id }): UnitJob => {
      const interval = { start: at(day), end: instant(at(day) + dayMs) };
      const [from, to] = [interval.start, interval.end].map((one) => new Date(one).toISOString());
      const [slice] = job().slices;
      const range = { first: at(days[0]), last: at(days[2]), units: 6, maxActiveRuns: 2 };
      return {
        ...job({ statements: [], options: { leaseMs: 60_000 } }),
        run,
        unit: `shop.${id}@${day}`,
        task: `shop.${id}`,
        interval,
        statements: [],
        slices: slice === undefined ? [] : [{ ...slice, table: id, from, to }],
        carried: { scheduler: 'fake', dag: 'shop', task: id, range },
      };
    }),
  );

const open = (on = warehouse, through = scheduler, owner = 'me'): UnitExecutor =>
  carriedExecutor(through, on, { clock: quickClock, owner }, relationalExecutor(on, { clock: quickClock, owner }));

const again = (outcome: UnitOutcome): boolean =>
  outcome.state === 'busy' || (outcome.state === 'failed' && outcome.error.retryable);

/** As a run goes: one unit after the other, and none behind one that did not end well. */
async function drive(
  executor: UnitExecutor,
  jobs: readonly UnitJob[],
  signal: CancelSignal = neverAborted,
  said: string[] = [],
): Promise<readonly string[]> {
  executor.expect?.(jobs);
  const ended: string[] = [];
  const blocked = new Set<number>();
  for (const unit of jobs) {
    if (signal.aborted || blocked.has(unit.interval.start)) continue;
    let outcome = await executor.execute(unit, signal, [], (state) => said.push(state));
    while (again(outcome)) outcome = await executor.execute(unit, signal, [], (state) => said.push(state));
    ended.push(`${unit.unit} ${outcome.state}`);
    if (outcome.state === 'failed') blocked.add(unit.interval.start);
  }
  await executor.end?.();
  return ended;
}

const tables = async () =>
  `${await scalar(warehouse, 'select sum(amount * id) from sales')} ${await scalar(warehouse, "select string_agg(day || ':' || amount, ' ' order by day) from totals")}`;
const clean = '9455 2026-11-01:165 2026-11-02:145 2026-11-03:155';
const leftOpen = async () =>
  Promise.all(
    ['claims', 'leases', 'carried'].map((name) => scalar(warehouse, `select count(*) from backfill_ledger.${name}`)),
  );

test('the runs of a range are made in one go, and each unit is compared and recorded as by itself', async () => {
  const ended = await drive(open(), unitsOf('run-1'));
  expect(ended).toEqual(unitsOf('run-1').map(({ unit }) => `${unit} changed`));
  expect(scheduler.backfills).toEqual(
    [{ dag: 'shop', first: at(days[0]), last: at(days[2]), units: 6, maxActiveRuns: 2 }].map(
      ({ units: _, ...backfill }) => expect.objectContaining(backfill),
    ),
  );
  expect(scheduler.made).toEqual([]);
  expect(scheduler.executions.toSorted()).toEqual(
    days.flatMap((day) => dag.tasks.map(({ id }) => `shop backfill__${day}T00:00:00.000Z ${id}`)).toSorted(),
  );
  expect((await scheduler.run('shop', `backfill__${days[1]}T00:00:00.000Z`))?.note).toBe(
    'Backfill Assistant, run run-1, by me',
  );
  expect(await tables()).toBe(clean);
  expect(await leftOpen()).toEqual(['0', '0', '0']);
});

/** What stands against one backfill by the time that it is made. */
const against: Readonly<Record<string, { readonly prepare: () => Promise<unknown>; readonly why: RegExp }>> = {
  'rows that a guard may hold': {
    prepare: () => sql(warehouse, "insert into sales values (1, '2026-11-01', 0)"),
    why: /rows of .* already/,
  },
  'a run of one of its dates': {
    prepare: async () => {
      const [logicalDate, end] = [at(days[1]), at(days[2])];
      const interval = { start: logicalDate, end };
      scheduler.addRun('shop', { id: 'by hand', state: 'success', logicalDate, interval, note: undefined });
    },
    why: /runs are there by now/,
  },
  'a backfill that is refused': {
    prepare: async () => {
      scheduler.backfill = async () => {
        throw new SchedulerError('conflict', 'Another one is at work.', false);
      };
    },
    why: /Another one is at work/,
  },
};

test.each(Object.entries(against))('with %s they are made one by one, which is said', async (_, { prepare, why }) => {
  await prepare();
  const said: string[] = [];
  await drive(open(), unitsOf('run-1'), neverAborted, said);
  expect(said.filter((state) => state.startsWith('its runs are made one by one'))).toEqual([
    expect.stringMatching(why),
  ]);
  expect(scheduler.backfills).toEqual([]);
  expect(scheduler.executions).toHaveLength(6);
  expect(await tables()).toBe(clean);
  expect(await leftOpen()).toEqual(['0', '0', '0']);
});

test('what is behind a task that failed waits, and runs once when the run is gone on with', async () => {
  fails.add('sales 2026-11-02');
  expect(await drive(open(), unitsOf('run-1'))).toEqual([
    'shop.sales@2026-11-01 changed',
    'shop.totals@2026-11-01 changed',
    'shop.sales@2026-11-02 failed',
    'shop.sales@2026-11-03 changed',
    'shop.totals@2026-11-03 changed',
  ]);
  fails.clear();
  const left = unitsOf('run-1').slice(2, 4);
  expect(await drive(open(), left)).toEqual(['shop.sales@2026-11-02 changed', 'shop.totals@2026-11-02 changed']);
  expect(scheduler.executions.filter((one) => one.endsWith('totals'))).toHaveLength(3);
  expect(await tables()).toBe(clean);
  expect(await leftOpen()).toEqual(['0', '0', '0']);
});

test('a cancel ends the runs that nobody went on with, and what is left is run when the run is gone on with', async () => {
  const stop = new AbortController();
  const executor = open();
  const jobs = unitsOf('run-1');
  executor.expect?.(jobs);
  expect(await executor.execute(jobs[0] as UnitJob, stop.signal, [], () => {})).toMatchObject({ state: 'changed' });
  stop.abort();
  await executor.end?.();
  for (const day of days)
    expect(['success', 'failed']).toContain((await scheduler.run('shop', `backfill__${day}T00:00:00.000Z`))?.state);
  const before = scheduler.executions.length;
  const ended = await drive(open(), jobs.slice(1));
  expect(ended).toEqual(jobs.slice(1).map(({ unit }) => `${unit} changed`));
  expect(scheduler.executions.length - before).toBeLessThanOrEqual(5);
  expect(await tables()).toBe(clean);
  expect(await leftOpen()).toEqual(['0', '0', '0']);
});

test('what was skipped because its run was ended is set aside before what follows it is run', async () => {
  const passing = { id: 'start', operator: 'EmptyOperator', pool: 'default_pool', poolSlots: 1, downstream: ['sales'] };
  scheduler.dags.set('shop', { ...dag, tasks: [passing, ...dag.tasks] });
  const stop = new AbortController();
  const executor = open();
  const jobs = unitsOf('run-1');
  executor.expect?.(jobs);
  expect(await executor.execute(jobs[0] as UnitJob, stop.signal, [], () => {})).toMatchObject({ state: 'changed' });
  await executor.end?.();
  const last = `backfill__${days[2]}T00:00:00.000Z`;
  // Had it not begun with its place by then.
  await scheduler.setState('shop', last, 'start', 'skipped');
  expect((await scheduler.instances('shop', last)).map(({ state }) => state)).toEqual([
    'skipped',
    'skipped',
    'skipped',
  ]);
  expect(await drive(open(), jobs.slice(1))).toEqual(jobs.slice(1).map(({ unit }) => `${unit} changed`));
  expect((await scheduler.run('shop', last))?.note).toBe('Backfill Assistant, run run-1, by me');
  expect(await tables()).toBe(clean);
  expect(await leftOpen()).toEqual(['0', '0', '0']);
});

test('of two runs at once over the same range one waits for the other, and one backfill is made', async () => {
  const states = await Promise.all([
    drive(open(), unitsOf('run-1')),
    drive(open(warehouse, scheduler, 'you'), unitsOf('run-2')),
  ]);
  expect(states.flat().filter((state) => !/ (changed|unchanged)$/.test(state))).toEqual([]);
  expect(scheduler.backfills.length).toBeLessThanOrEqual(1);
  expect(await tables()).toBe(clean);
  expect(await leftOpen()).toEqual(['0', '0', '0']);
});

test('killed anywhere and gone on with, each task of each run has run once', async () => {
  // So that the ledger is there.
  await drive(open(), unitsOf('first'));
  let step = 0;
  for (let alive = false; !alive; step += process.env.LAWS_TIMES === undefined ? 31 : 1) {
    await sql(warehouse, 'truncate sales', 'truncate totals');
    scheduler = airflow();
    const jobs = unitsOf(`run-${step}`);
    const { on, through, died } = mortal(warehouse, scheduler, step);
    await drive(open(on, through, 'killed'), jobs).catch(() => {});
    alive = !died();
    await sql(warehouse, 'update backfill_ledger.leases set expires_at = now()');
    const ended = await drive(open(warehouse, scheduler, 'next'), jobs);
    expect([step, ended.filter((state) => !/ (changed|done-before)$/.test(state))]).toEqual([step, []]);
    expect([step, scheduler.executions.length]).toEqual([step, 6]);
    expect(await tables()).toBe(clean);
    expect(await leftOpen()).toEqual(['0', '0', '0']);
  }
  expect(step).toBeGreaterThan(40);
}, 600_000);
