import { afterEach, beforeEach, expect, test } from 'vitest';
import { carriedExecutor } from '../../src/core/run/carried/carried-executor.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { Clock } from '../../src/core/run/unit/clock.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../src/core/run/unit/unit-outcome.ts';
import type { DeployedDag } from '../../src/core/scheduler/port/scheduler.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import type { Session, Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type FakeScheduler, fakeScheduler, type Hook, throughHook } from '../support/fake-scheduler.ts';
import { mortal } from '../support/mortal.ts';
import { freshDatabase, job, neverAborted, scalar, sql } from '../support/warehouse-fixture.ts';

/** Two tasks behind a sensor that no plan has, and one behind the first of them. */
const edges: Readonly<Record<string, readonly string[]>> = { wait: ['sales', 'other'], sales: ['report'] };
const dag: DeployedDag = {
  id: 'shop',
  paused: false,
  active: true,
  importErrors: false,
  schedule: '@daily',
  maxActiveRuns: 16,
  tasks: ['wait', 'sales', 'other', 'report'].map((id) => ({
    id,
    operator: id === 'wait' ? 'ExternalTaskSensor' : 'PythonOperator',
    pool: 'default_pool',
    poolSlots: 1,
    downstream: edges[id] ?? [],
  })),
};
const made = 'backfill_assistant__2026-11-01T00:00:00Z';
const start = instant(Date.parse('2026-11-01T00:00:00Z'));

let connection: PostgresConnection;
let warehouse: Warehouse;
let second: Warehouse;
let scheduler: FakeScheduler;
let slept: number[];
const clock: Clock = {
  now: () => instant(Date.now()),
  sleep: (ms) => {
    slept.push(ms);
    return new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5)));
  },
};

const behind = "update sales s set amount = o.amount - 1 from orders o where o.id = s.id and s.day = '2026-11-01'";
const airflow = (): FakeScheduler =>
  fakeScheduler([dag], async (task) => {
    if (task === 'sales')
      await sql(
        warehouse,
        "delete from sales where day = '2026-11-01'",
        "insert into sales select id, day, amount from orders where day = '2026-11-01'",
      );
  });
beforeEach(async () => {
  connection = await freshDatabase();
  warehouse = await openWarehouse(connection);
  second = await openWarehouse(connection);
  await sql(
    warehouse,
    'create table orders (id int primary key, day date, amount int)',
    'create table sales (id int primary key, day date, amount int)',
    "insert into orders select n, '2026-11-01'::date, n from generate_series(1, 10) n",
    'insert into sales select id, day, amount - 1 from orders',
  );
  scheduler = airflow();
  slept = [];
});
afterEach(async () => {
  await warehouse.close();
  await second.close();
});

const unit = (task: string, run = 'run-1'): UnitJob => ({
  ...job({ statements: [], options: { leaseMs: 60_000 } }),
  run,
  unit: `shop.${task}@2026-11-01T00:00:00Z`,
  task: `shop.${task}`,
  statements: [],
  ...(task === 'sales' ? {} : { slices: [] }),
  carried: {
    scheduler: 'fake',
    dag: 'shop',
    task,
    ...(task === 'sales' ? {} : { uncompared: 'nobody knows what it writes' }),
  },
});
/** Until nobody else has it. */
async function execute(asked: UnitJob, on = warehouse, through = scheduler, owner = 'me'): Promise<UnitOutcome> {
  const env = { clock, owner };
  for (;;) {
    const executor = carriedExecutor(through, on, env, relationalExecutor(on, env));
    const outcome = await executor.execute(asked, neverAborted, []);
    if (outcome.state !== 'busy' && !(outcome.state === 'failed' && outcome.error.retryable)) return outcome;
  }
}
const states = async () =>
  Object.fromEntries((await scheduler.instances('shop', made)).map((one) => [one.task, one.state]));
const allDone = { wait: 'success', sales: 'success', other: 'success', report: 'success' };
const leftBehind = () =>
  scalar(warehouse, 'select count(*) from sales join orders using (id) where sales.amount <> orders.amount');
const leftOpen = async () =>
  Promise.all(
    ['claims', 'leases', 'carried'].map((name) => scalar(warehouse, `select count(*) from backfill_ledger.${name}`)),
  );
const timesRun = () =>
  ['wait', 'sales', 'other', 'report'].map(
    (task) => scheduler.executions.filter((one) => one.endsWith(` ${task}`)).length,
  );

/** Between two of these the scheduler has the same. */
const changes = (call: string, moment: 'before' | 'after'): boolean =>
  ['createRun', 'endRun', 'setDone', 'note', 'clear'].includes(call) && (moment === 'after' || call === 'createRun');

test('a run that is made is settled before anything runs there, and its note says who made it and no more', async () => {
  const calls: string[] = [];
  const through = throughHook(scheduler, (call, moment) => {
    if (moment === 'before') calls.push(call);
  });
  expect(await execute(unit('sales'), warehouse, through)).toMatchObject({ state: 'changed', notes: [] });
  expect(calls.filter((call) => ['createRun', 'endRun', 'setDone', 'clear'].includes(call))).toEqual([
    'createRun',
    'endRun',
    ...Array.from({ length: 4 }, () => 'setDone'),
    'endRun',
    'clear',
  ]);
  expect((await scheduler.run('shop', made))?.note).toBe('Backfill Assistant, run run-1, by me');
  expect(timesRun()).toEqual([0, 1, 0, 0]);
  expect(await states()).toEqual(allDone);
});

/** What becomes of a run between the death of who made it and whoever comes next. */
const meanwhile: Readonly<Record<string, () => Promise<void>>> = {
  nothing: async () => {},
  'its head start is over, and some of it begins by itself': async () => {
    for (let step = 0; step < 3; step++) await scheduler.goOn('shop', made);
  },
  'it goes all through by itself': async () => {
    for (let step = 0; step < 12; step++) await scheduler.goOn('shop', made);
  },
  'somebody has the task run there': async () => {
    if ((await scheduler.run('shop', made)) === undefined) return;
    await scheduler.clear('shop', made, 'sales').catch(() => {});
    for (let step = 0; step < 2; step++) await scheduler.goOn('shop', made);
  },
};

test.each([
  ['nothing', 'sales', 'other'],
  ['nothing', 'other', 'sales'],
  ...Object.keys(meanwhile).flatMap((kind) => (kind === 'nothing' ? [] : [[kind, 'other', 'sales'] as const])),
] as const)(
  'killed at any step of the unit that makes a run, then %s: gone on with, %s first, nothing is left out',
  async (kind, ...order) => {
    // So that the ledger is there.
    await execute(unit('sales', 'first'));
    let at = 0;
    for (let alive = false; !alive; at++) {
      await sql(warehouse, behind);
      scheduler = airflow();
      const { on, through, died } = mortal(warehouse, scheduler, at, changes);
      const env = { clock, owner: 'killed' };
      await carriedExecutor(through, on, env, relationalExecutor(on, env))
        .execute(unit('sales', `run-${at}`), neverAborted, [])
        .catch(() => {});
      alive = !died();
      await meanwhile[kind]?.();
      await sql(warehouse, 'update backfill_ledger.leases set expires_at = now()');
      for (const task of [...order, 'report']) {
        const outcome = await execute(unit(task, `run-${at}`), second, scheduler, 'next');
        const well = task === 'sales' ? ['changed', 'done-before'] : ['not-compared'];
        // What it did before anybody had looked at its rows is no difference any more.
        const blind = kind === 'nothing' || task !== 'sales' ? [] : ['unchanged'];
        expect([at, task, [...well, ...blind]]).toEqual([at, task, expect.arrayContaining([outcome.state])]);
      }
      expect([at, await states()]).toEqual([at, allDone]);
      if (kind === 'nothing') expect([at, timesRun()]).toEqual([at, [0, 1, 1, 1]]);
      expect([at, await leftBehind()]).toEqual([at, '0']);
      expect([at, await leftOpen()]).toEqual([at, ['0', '0', '0']]);
    }
    expect(at).toBeGreaterThan(8);
  },
  300_000,
);

test.each([
  ['of the same process', () => warehouse],
  ['of another process', () => second],
])(
  'a unit %s that comes at any step of the making waits as long as it has to, and neither ends the other',
  async (_, on) => {
    let at = 0;
    for (let over = false; !over; at++) {
      await sql(warehouse, behind);
      scheduler = airflow();
      let steps = 0;
      let other: Promise<UnitOutcome> | undefined;
      const hook: Hook = async () => {
        if (steps++ !== at) return;
        other = execute(unit('other', `run-${at}`), on(), scheduler, 'you');
        // As far as it comes: to its end, or to where it has to wait.
        await Promise.race([other, new Promise((resolve) => setTimeout(resolve, 100))]);
      };
      const outcome = await execute(unit('sales', `run-${at}`), warehouse, throughHook(scheduler, hook));
      over = other === undefined;
      expect([at, outcome.state]).toEqual([at, 'changed']);
      if (!over) expect([at, (await other)?.state]).toEqual([at, 'not-compared']);
      expect([at, timesRun()]).toEqual([at, [0, 1, over ? 0 : 1, 0]]);
      expect([at, await states()]).toEqual([at, allDone]);
      expect(scheduler.made).toHaveLength(1);
    }
    expect(at).toBeGreaterThan(8);
  },
  300_000,
);

test('who stood still while making a run, and lost its connection, does not go on with it once another has', async () => {
  let looks = 0;
  const open: Session[] = [];
  const frozen: Warehouse = {
    ...warehouse,
    connect: async (purpose) => {
      const session = await warehouse.connect(purpose);
      open.push(session);
      return session;
    },
  };
  let thawed = false;
  const late: string[] = [];
  const through = throughHook(scheduler, async (call, moment) => {
    if (thawed && moment === 'before') late.push(call);
    // In the midst of what it sets aside, before it looks once more.
    if (call !== 'run' || moment !== 'before' || ++looks !== 4) return;
    for (const session of open) await session.close();
    expect(await execute(unit('other'), second, scheduler, 'you')).toMatchObject({ state: 'not-compared' });
    await scheduler.clear('shop', made, 'other');
    thawed = true;
  });
  const env = { clock, owner: 'me' };
  const outcome = await carriedExecutor(through, frozen, env, relationalExecutor(frozen, env)).execute(
    unit('sales'),
    neverAborted,
    [],
  );
  expect(outcome.state).toBe('failed');
  expect(late.filter((call) => ['endRun', 'setDone', 'note', 'clear'].includes(call))).toEqual([]);
  expect(thawed).toBe(true);
});

test('what begins by itself before its maker has settled the run is no loss to figures that were taken before', async () => {
  const through = throughHook(scheduler, async (call, moment) => {
    if (call !== 'createRun' || moment !== 'after') return;
    for (let step = 0; step < 12; step++) await scheduler.goOn('shop', made);
  });
  expect(await execute(unit('sales'), warehouse, through)).toMatchObject({
    state: 'changed',
    slices: [{ changed: 10 }],
    notes: [],
  });
  expect(await execute(unit('other'))).toMatchObject({
    notes: expect.arrayContaining([expect.stringContaining('had begun its run by itself')]),
  });
});

test('what has begun by itself in a run that nobody has settled is ended, waited for and said', async () => {
  await scheduler.createRun('shop', {
    id: made,
    logicalDate: start,
    interval: unit('sales').interval,
    note: 'Backfill Assistant, run run-1, by killed; its tasks are not set aside yet',
  });
  for (let step = 0; step < 12; step++) await scheduler.goOn('shop', made);
  expect(await execute(unit('sales'))).toMatchObject({
    state: 'unchanged',
    notes: [expect.stringContaining('fake had begun its run by itself before its tasks were set aside')],
  });
  expect(slept).toContain(10_000);
  expect(await execute(unit('sales', 'later'))).toMatchObject({ state: 'unchanged', notes: [] });
});
