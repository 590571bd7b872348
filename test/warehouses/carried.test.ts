import { afterEach, beforeEach, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { carriedExecutor } from '../../src/core/run/carried/carried-executor.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { CancelSignal } from '../../src/core/run/unit/cancel-signal.ts';
import type { Clock } from '../../src/core/run/unit/clock.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../src/core/run/unit/unit-outcome.ts';
import type { DeployedDag, TaskInstance } from '../../src/core/scheduler/port/scheduler.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type FakeScheduler, fakeScheduler, skipped, throughHook } from '../support/fake-scheduler.ts';
import { mortal } from '../support/mortal.ts';
import { freshDatabase, job, neverAborted, scalar, sql } from '../support/warehouse-fixture.ts';

const dag: DeployedDag = {
  id: 'shop',
  paused: false,
  active: true,
  importErrors: false,
  schedule: '@daily',
  maxActiveRuns: 16,
  tasks: ['sales', 'other'].map((id) => ({ id, operator: 'PythonOperator', pool: 'default_pool', poolSlots: 1 })),
};
const [from, to] = ['2026-11-01', '2026-11-02'].map((day) => instant(Date.parse(`${day}T00:00:00Z`))) as [never, never];
const scheduledRun = {
  id: 'scheduled',
  state: 'success',
  logicalDate: from,
  interval: { start: from, end: to },
  note: undefined,
} as const;

/** Waits are short: what is waited for here goes on by being looked at. */
const quickClock: Clock = {
  now: () => instant(Date.now()),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 20))),
};

let connection: PostgresConnection;
let warehouse: Warehouse;
let scheduler: FakeScheduler;
/** What the task does at each of its executions. */
let work: (tries: number) => Promise<void>;
const rebuild = async (): Promise<void> => {
  await sql(
    warehouse,
    "delete from sales where day >= '2026-11-01' and day < '2026-11-02'",
    "insert into sales select id, day, amount from orders where day >= '2026-11-01' and day < '2026-11-02'",
  );
};
beforeEach(async () => {
  connection = await freshDatabase();
  warehouse = await openWarehouse(connection);
  await sql(
    warehouse,
    'create table orders (id int primary key, day date, amount int)',
    'create table sales (id int primary key, day date, amount int)',
    "insert into orders select n, '2026-11-01'::date + n % 2, n from generate_series(1, 20) n",
    'insert into sales select id, day, amount - 1 from orders',
  );
  work = rebuild;
  scheduler = fakeScheduler([dag], async (_task, _interval, tries) => work(tries));
});
afterEach(() => warehouse.close());

const carriedJob = (parts: Partial<UnitJob> & { options?: UnitJob['options'] } = {}): UnitJob => ({
  ...job({ statements: [], options: { leaseMs: 60_000 } }),
  statements: [],
  carried: { scheduler: 'fake', dag: 'shop', task: 'sales' },
  ...parts,
});
const execute = (
  asked: UnitJob,
  how: {
    readonly on?: Warehouse;
    readonly as?: string;
    readonly signal?: CancelSignal;
    readonly through?: FakeScheduler;
  } = {},
  said: string[] = [],
): Promise<UnitOutcome> => {
  const { on = warehouse, as = 'me', signal = neverAborted, through = scheduler } = how;
  const env = { clock: quickClock, owner: as };
  return carriedExecutor(through, on, env, relationalExecutor(on, env)).execute(asked, signal, [], (state) =>
    said.push(state),
  );
};
const table = () => scalar(warehouse, 'select sum(amount * id) from sales');
const clean = () =>
  scalar(warehouse, "select sum(case when day = '2026-11-01' then amount else amount - 1 end * id) from orders");
const leftOpen = async () =>
  Promise.all(
    ['claims', 'leases', 'carried'].map((name) => scalar(warehouse, `select count(*) from backfill_ledger.${name}`)),
  );

test('a task of a run that exists is run there once, and its rows are compared, recorded and kept for an undo', async () => {
  scheduler.addRun('shop', scheduledRun);
  const said: string[] = [];
  const outcome = await execute(carriedJob(), {}, said);
  expect(outcome).toMatchObject({
    state: 'changed',
    slices: [{ table: 'sales', changed: 10, added: 0, removed: 0, method: 'key' }],
  });
  expect(scheduler.executions).toEqual(['shop scheduled sales']);
  expect(scheduler.made).toEqual([]);
  expect(said).toEqual(['fake: queued', 'fake: running, try 2', 'fake: success, try 2']);
  expect((await scheduler.run('shop', 'scheduled'))?.note).toBe('Backfill Assistant, run run-1, by me');
  expect(await table()).toBe(await clean());
  expect(await leftOpen()).toEqual(['0', '0', '0']);
  const ledger = sqlLedgerStore(warehouse);
  expect(await ledger.changedSlices('run-1')).toMatchObject([{ kept: 10, rowsBefore: 10 }]);
  await ledger.close();
  // The same unit of the same run is done; another run finds nothing to change, and keeps no rows for it.
  expect(await execute(carriedJob())).toMatchObject({ state: 'done-before' });
  expect(await execute(carriedJob({ run: 'run-2' }))).toMatchObject({ state: 'unchanged' });
  expect(scheduler.executions).toHaveLength(2);
  expect(await scalar(warehouse, "select count(*) from backfill_ledger.before_rows where run = 'run-2'")).toBe('0');
});

test('where there is no run one is made with both bounds, and only the task of the unit runs in it', async () => {
  expect(await execute(carriedJob())).toMatchObject({ state: 'changed' });
  expect(scheduler.made).toMatchObject([
    { id: 'backfill_assistant__2026-11-01T00:00:00Z', logicalDate: from, interval: { start: from, end: to } },
  ]);
  expect(scheduler.executions).toEqual(['shop backfill_assistant__2026-11-01T00:00:00Z sales']);
});

test('what one run does for all is done in another run than that of its interval, made where there is none', async () => {
  const at = { start: to, end: instant(to + 86_400_000) };
  const carried = { scheduler: 'fake', dag: 'shop', task: 'sales', at };
  expect(await execute(carriedJob({ carried }))).toMatchObject({ state: 'changed' });
  expect(scheduler.made).toMatchObject([{ logicalDate: to, interval: at }]);
  expect(scheduler.executions).toEqual(['shop backfill_assistant__2026-11-02T00:00:00Z sales']);
});

test('a task that only marks a place has run when its scheduler has ended it, at once by its kind, else when that is clear', async () => {
  const marking = { ...dag, tasks: dag.tasks.map((task) => ({ ...task, operator: 'EmptyOperator' })) };
  scheduler = fakeScheduler([marking], async () => {});
  scheduler.addRun('shop', scheduledRun);
  const carried = { scheduler: 'fake', dag: 'shop', task: 'sales' };
  const tries = async () => (await scheduler.instances('shop', 'scheduled', 'sales'))[0]?.tryNumber;
  expect(await execute(carriedJob({ carried: { ...carried, marks: true } }))).toMatchObject({ state: 'unchanged' });
  expect(await tries()).toBe(2);
  // A class of the user's that is made of it has another name.
  expect(await execute(carriedJob({ run: 'run-2', carried }))).toMatchObject({
    state: 'unchanged',
    notes: ['fake ended it in the moment in which it began, each of three times: it does nothing there'],
  });
  expect(await tries()).toBe(5);
});

test('a task that was scheduled and then marked as a success has not run, and is cleared once more', async () => {
  scheduler.addRun('shop', scheduledRun);
  let marks = 0;
  let marked: TaskInstance | undefined;
  const through: FakeScheduler = {
    ...throughHook(scheduler, () => {}),
    instances: async (...of) => {
      if (marked !== undefined) return [marked];
      const [one] = await scheduler.instances(...of);
      if (one?.state === 'queued' && marks === 0) {
        marks = 1;
        marked = { ...one, state: 'success', tryNumber: 2, startedAt: from, endedAt: from };
        return [marked];
      }
      // A try that was counted stays counted.
      return one === undefined ? [] : [{ ...one, tryNumber: one.tryNumber + marks }];
    },
    clear: async (...of) => {
      if (marked !== undefined) await scheduler.stop(...of);
      marked = undefined;
      await scheduler.clear(...of);
    },
  };
  expect(await execute(carriedJob(), { through })).toMatchObject({ state: 'changed' });
  expect(scheduler.executions).toHaveLength(1);
  expect(await table()).toBe(await clean());
});

test('a run of that date over another interval is refused by name', async () => {
  scheduler.addRun('shop', { ...scheduledRun, interval: { start: from, end: from } });
  expect(await execute(carriedJob())).toMatchObject({
    state: 'failed',
    error: {
      retryable: false,
      message: expect.stringContaining('works on 2026-11-01T00:00:00Z to 2026-11-01T00:00:00Z'),
    },
  });
  expect(scheduler.executions).toEqual([]);
  expect(await leftOpen()).toEqual(['0', '0', '0']);
});

test('a task that fails says its last lines and where its log is; the next try is compared with what was there first', async () => {
  scheduler.addRun('shop', scheduledRun);
  work = async () => {
    await sql(warehouse, "delete from sales where day = '2026-11-01'");
    throw new Error('half');
  };
  expect(await execute(carriedJob())).toMatchObject({
    state: 'failed',
    error: {
      retryable: false,
      message: expect.stringContaining(
        'it failed in fake, at try 2; its log ends with:\n  Traceback\n  ValueError: no rows',
      ),
      remedy: expect.stringContaining('memory/shop/scheduled/sales'),
    },
  });
  work = rebuild;
  expect(await execute(carriedJob())).toMatchObject({
    state: 'changed',
    slices: [{ before: { rows: 10 }, changed: 10, added: 0 }],
  });
});

test('what a guard finds is there already: it is held with the way back, and let through without a second execution', async () => {
  scheduler.addRun('shop', scheduledRun);
  work = async () => {
    await sql(warehouse, "delete from sales where day = '2026-11-01' and id > 4");
  };
  expect(await execute(carriedJob())).toMatchObject({
    state: 'held',
    code: 'shrunk',
    reason: 'sales has shrunk from 10 to 2 rows, by more than 50 %.',
    remedy: expect.stringContaining('backfill undo run-1 --unit'),
  });
  const ledger = sqlLedgerStore(warehouse);
  expect(await ledger.changedSlices('run-1')).toMatchObject([{ kept: 10 }]);
  await ledger.close();
  const accepted = carriedJob();
  expect(await execute({ ...accepted, options: { ...accepted.options, holdShrinkPercent: undefined } })).toMatchObject({
    state: 'changed',
    slices: [{ removed: 8 }],
  });
  expect(scheduler.executions).toHaveLength(1);
  expect(await leftOpen()).toEqual(['0', '0', '0']);
});

test('a unit whose tables nobody knows, or no connection reaches, is run and not compared, with the reason', async () => {
  scheduler.addRun('shop', scheduledRun);
  const carried = { scheduler: 'fake', dag: 'shop', task: 'sales', uncompared: 'which tables it writes is not known' };
  expect(await execute(carriedJob({ slices: [], carried }))).toMatchObject({
    state: 'not-compared',
    reason: 'run by fake, not compared: which tables it writes is not known',
  });
  const [slice] = job().slices;
  const away = slice === undefined ? [] : [{ ...slice, table: 'lake.sales' }];
  expect(await execute(carriedJob({ run: 'run-2', slices: away }))).toMatchObject({
    state: 'not-compared',
    reason: expect.stringContaining('lake.sales is not in postgres://'),
  });
  expect(await scalar(warehouse, "select string_agg(state, ',') from backfill_ledger.units")).toBe('done,done');
});

test('a cancel stops the task there and says whether that was seen', async () => {
  scheduler.addRun('shop', scheduledRun);
  const stop = new AbortController();
  work = () => new Promise(() => {});
  const hanging = throughHook(scheduler, () => {});
  // Looking at a task that hangs must not hang.
  const looking: FakeScheduler = {
    ...hanging,
    instances: async (...of) =>
      Promise.race([hanging.instances(...of), new Promise<never>((_, no) => setTimeout(no, 200))]).catch(async () => {
        stop.abort();
        return [
          {
            task: 'sales',
            mapIndex: -1,
            state: 'running',
            tryNumber: 2,
            maxTries: 1,
            startedAt: from,
            endedAt: undefined,
          },
        ];
      }),
    stop: async () => {
      looking.instances = async () => [
        { task: 'sales', mapIndex: -1, state: 'failed', tryNumber: 2, maxTries: 1, startedAt: from, endedAt: to },
      ];
    },
    logTail: async () => ['Task killed!'],
  };
  expect(await execute(carriedJob(), { signal: stop.signal, through: looking })).toMatchObject({
    state: 'cancelled',
    confirmed: true,
  });
  expect(await leftOpen()).toEqual(['0', '0', '1']);
});

/** As the DAG is deployed where a sensor stands before the task. */
const waiting: DeployedDag = {
  ...dag,
  tasks: [
    { id: 'wait', operator: 'ExternalTaskSensor', pool: 'default_pool', poolSlots: 1, downstream: ['start'] },
    { id: 'start', operator: 'EmptyOperator', pool: 'default_pool', poolSlots: 1, downstream: ['sales'] },
    ...dag.tasks,
  ],
};

test('what its scheduler skips is said to be skipped, with what was skipped before it, and no version is recorded', async () => {
  scheduler = fakeScheduler([waiting], async () => rebuild());
  scheduler.addRun('shop', scheduledRun);
  await scheduler.setState('shop', 'scheduled', 'start', 'skipped');
  const reason =
    'fake skipped it and did not run it, by a branch, a short circuit or the rules of what it follows (skipped in its run too: start); its rows are as they were';
  expect(await execute(carriedJob())).toMatchObject({
    state: 'left-out',
    reason,
    slices: [{ before: { rows: 10 }, after: { rows: 10 } }],
    notes: [],
  });
  expect(scheduler.executions).toEqual([]);
  expect(await scalar(warehouse, "select state || ': ' || message from backfill_ledger.units")).toBe(
    `skipped: ${reason}`,
  );
  expect(await scalar(warehouse, 'select count(*) from backfill_ledger.versions')).toBe('0');
  expect(await leftOpen()).toEqual(['0', '0', '0']);
  // It is at its end in this run; another run finds it as due as it was.
  await scheduler.setState('shop', 'scheduled', 'start', 'success');
  expect(await execute(carriedJob({ run: 'run-2' }))).toMatchObject({ state: 'changed' });
  expect(scheduler.executions).toHaveLength(1);
});

test('a task that says that it is to be skipped, of which nobody knows the tables, or which has written all the same', async () => {
  scheduler.addRun('shop', scheduledRun);
  work = async () => {
    throw skipped;
  };
  const begun = 'fake began it, and the task said that it is to be skipped';
  expect(await execute(carriedJob())).toMatchObject({
    state: 'left-out',
    reason: `${begun}; its rows are as they were`,
  });
  // What a guard would hold of a task that has emptied its rows.
  await sql(warehouse, "delete from sales where day = '2026-11-01'");
  expect(await execute(carriedJob({ run: 'run-2' }))).toMatchObject({ state: 'left-out' });
  const carried = { scheduler: 'fake', dag: 'shop', task: 'sales', uncompared: 'which tables it writes is not known' };
  expect(await execute(carriedJob({ run: 'run-3', slices: [], carried }))).toMatchObject({
    state: 'left-out',
    reason: `${begun}; not compared: which tables it writes is not known`,
  });
  work = async () => {
    await rebuild();
    throw skipped;
  };
  expect(await execute(carriedJob({ run: 'run-4' }))).toMatchObject({
    state: 'changed',
    slices: [{ added: 10 }],
    notes: [`${begun}; its rows are others than before all the same`],
  });
});

test('the sensor that a task waits for is named', async () => {
  scheduler = fakeScheduler([waiting], async () => rebuild());
  scheduler.addRun('shop', scheduledRun);
  await scheduler.setState('shop', 'scheduled', 'start', undefined);
  await scheduler.setState('shop', 'scheduled', 'wait', 'up_for_reschedule');
  const said: string[] = [];
  const through = throughHook(scheduler, async (call) => {
    if (call === 'health' && said.some((state) => state.includes('waits for')))
      await scheduler.setState('shop', 'scheduled', 'wait', 'success');
  });
  expect(await execute(carriedJob(), { through }, said)).toMatchObject({ state: 'changed' });
  expect(said).toContain('fake: not scheduled yet; waits for the sensor wait (up for reschedule)');
});

test('somebody who has it run again meanwhile is noticed, and what is recorded is what is there', async () => {
  scheduler.addRun('shop', scheduledRun);
  let again = true;
  const looked = throughHook(scheduler, () => {});
  const through: FakeScheduler = {
    ...looked,
    instances: async (...of) => {
      const found = await looked.instances(...of);
      if (again && found[0]?.state === 'success' && scheduler.executions.length === 1) {
        again = false;
        await scheduler.clear('shop', 'scheduled', 'sales');
      }
      return found;
    },
  };
  expect(await execute(carriedJob(), { through })).toMatchObject({ state: 'changed' });
  expect(scheduler.executions).toHaveLength(2);
  expect(await table()).toBe(await clean());
});

test('a clear that the end of its run overwrites is made once more, and is not waited for for ever', async () => {
  scheduler.addRun('shop', scheduledRun);
  scheduler.overwritten = 1;
  expect(await execute(carriedJob())).toMatchObject({ state: 'changed' });
  expect(scheduler.executions).toHaveLength(1);
});

test('of two runs at once one waits for the other', async () => {
  scheduler.addRun('shop', scheduledRun);
  const untilFree = async (run: string, as: string) => {
    let outcome = await execute(carriedJob({ run }), { as });
    while (outcome.state === 'busy') outcome = await execute(carriedJob({ run }), { as });
    return outcome.state;
  };
  const states = await Promise.all([untilFree('run-1', 'me'), untilFree('run-2', 'you')]);
  expect(states.toSorted()).toEqual(['changed', 'unchanged']);
  expect(scheduler.executions).toHaveLength(2);
});

test.each(['a run that exists', 'a run that is made'])(
  'killed anywhere and gone on with, the task of %s has run once',
  async (kind) => {
    const end = await clean();
    scheduler.addRun('shop', scheduledRun);
    // So that the ledger is there.
    await execute(carriedJob({ run: 'first' }));
    let at = 0;
    for (let alive = false; !alive; at++) {
      await sql(warehouse, 'update sales s set amount = o.amount - 1 from orders o where o.id = s.id');
      scheduler = fakeScheduler([dag], async () => rebuild());
      if (kind === 'a run that exists') scheduler.addRun('shop', scheduledRun);
      const unit = carriedJob({ run: `run-${at}` });
      const { on, through, died } = mortal(warehouse, scheduler, at);
      await execute(unit, { on, through, as: 'killed' }).catch(() => {});
      alive = !died();
      // Its lease ends, sooner than one waits in a test.
      await sql(warehouse, 'update backfill_ledger.leases set expires_at = now()');
      let outcome = await execute(unit, { as: 'next' });
      while (outcome.state === 'busy' || (outcome.state === 'failed' && outcome.error.retryable))
        outcome = await execute(unit, { as: 'next' });
      expect([at, outcome.state, scheduler.executions.length]).toEqual([
        at,
        outcome.state === 'done-before' ? 'done-before' : 'changed',
        1,
      ]);
      expect(await table()).toBe(end);
      expect(outcome).toMatchObject({ slices: [{ before: { rows: 10 }, changed: 10, added: 0 }] });
      expect(await leftOpen()).toEqual(['0', '0', '0']);
    }
    expect(at).toBeGreaterThan(20);
  },
);
