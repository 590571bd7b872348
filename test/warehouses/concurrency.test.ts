import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RelationalExecutor, relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../src/core/run/unit/unit-outcome.ts';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import type { Session } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { withFault } from '../support/fault-injection.ts';
import { type Line, openProxy } from '../support/faults/faulty-proxy.ts';
import {
  type Fixture,
  job,
  neverAborted,
  openFixture,
  realClock,
  scalar,
  shopTables,
  sql,
} from '../support/warehouse-fixture.ts';

let fixture: Fixture;
const executors: RelationalExecutor[] = [];
let runs = 0;

function runner(owner: string, warehouse = fixture.warehouse): RelationalExecutor {
  const executor = relationalExecutor(warehouse, { clock: realClock, owner });
  executors.push(executor);
  return executor;
}

const value = (query: string) => scalar(fixture.warehouse, query);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Deletes and inserts with a pause between, so that two of them would meet. */
const slow = (seconds: number, insert = job().statements[1]?.text as string): readonly string[] => [
  job().statements[0]?.text as string,
  `select pg_sleep(${seconds})`,
  insert,
];

beforeAll(async () => {
  fixture = await openFixture('postgres');
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await Promise.all(executors.splice(0).map((executor) => executor.close()));
  runs += 10;
  await sql(fixture.warehouse, 'drop table if exists orders, sales', ...shopTables);
  await sql(fixture.warehouse, 'alter table sales drop constraint sales_pkey');
});

async function untilDone(executor: RelationalExecutor, unit: UnitJob): Promise<UnitOutcome> {
  for (;;) {
    const outcome = await executor.execute(unit, neverAborted);
    const again = outcome.state === 'busy' || (outcome.state === 'failed' && outcome.error.retryable);
    if (!again) return outcome;
    await sleep(50);
  }
}

describe('two writers', () => {
  test('of one slice leave ten rows, not twenty', async () => {
    await sql(fixture.warehouse, "delete from sales where day = '2026-11-01'");
    const units = ['a', 'b', 'c'].map((owner, index) =>
      untilDone(runner(owner), job({ run: `r${runs + index}`, statements: slow(0.2) })),
    );
    const outcomes = await Promise.all(units);
    expect(outcomes.map(({ state }) => state).sort()).toEqual(['changed', 'unchanged', 'unchanged']);
    expect(await value("select count(*) from sales where day = '2026-11-01'")).toBe('10');
  });

  test.each([
    ['make one index', 'create index if not exists made on orders (amount)'],
    ['make one table', 'create table if not exists made (id int)'],
    ['make one function anew', "create or replace function made() returns int language sql as 'select 1'"],
    ['give one right', 'grant select on orders to public'],
  ])('that %s meet, and the later one may try again', async (_what, statement) => {
    await sql(fixture.warehouse, 'drop table if exists made');
    await sql(fixture.warehouse, "create or replace function made() returns int language sql as 'select 2'");
    const units = ['a', 'b', 'c'].map((owner, index) =>
      untilDone(
        runner(owner),
        job({
          run: `r${runs + index}`,
          slices: [],
          statements: ['select pg_sleep(0.2)', statement, 'select pg_sleep(0.2)'],
        }),
      ),
    );
    for (const { state } of await Promise.all(units)) expect(['changed', 'unchanged']).toContain(state);
  });

  test('are told apart by who holds the claim, month against day', async () => {
    const month = job({
      run: `r${runs}`,
      unit: 'month',
      statements: [
        "delete from sales where day >= '2026-11-01' and day < '2026-12-01'",
        'select pg_sleep(1)',
        "insert into sales select * from orders where day >= '2026-11-01'",
      ],
      slices: [{ ...job().slices[0], to: '2026-12-01T00:00:00.000Z' }] as UnitJob['slices'],
    });
    const first = runner('anna').execute(month, neverAborted);
    await sleep(300);
    expect(await runner('ben').execute(job({ run: `r${runs + 1}` }), neverAborted)).toMatchObject({
      state: 'busy',
      owner: expect.stringContaining('anna'),
    });
    expect(await first).toMatchObject({ state: 'unchanged' });
    expect(await untilDone(runner('ben'), job({ run: `r${runs + 1}` }))).toMatchObject({ state: 'unchanged' });
  });

  test('of neighbouring days do not wait for each other', async () => {
    const next = job({
      run: `r${runs + 1}`,
      statements: [
        "delete from sales where day = '2026-11-02'",
        "insert into sales select * from orders where day = '2026-11-02'",
      ],
      slices: [
        { ...job().slices[0], from: '2026-11-02T00:00:00.000Z', to: '2026-11-03T00:00:00.000Z' },
      ] as UnitJob['slices'],
    });
    const first = runner('anna').execute(job({ run: `r${runs}`, statements: slow(1) }), neverAborted);
    await sleep(200);
    let firstDone = false;
    void first.then(() => {
      firstDone = true;
    });
    expect(await runner('ben').execute(next, neverAborted)).toMatchObject({ state: 'unchanged' });
    expect(firstDone).toBe(false);
    expect(await first).toMatchObject({ state: 'unchanged' });
  });

  test('of one slice whose bounds are on different columns count as overlapping', async () => {
    const first = runner('anna').execute(job({ run: `r${runs}`, statements: slow(0.7) }), neverAborted);
    await sleep(200);
    const other = job({
      run: `r${runs + 1}`,
      slices: [{ ...job().slices[0], column: 'id', from: '2030-01-01', to: '2030-01-02' }] as UnitJob['slices'],
    });
    expect(await runner('ben').execute(other, neverAborted)).toMatchObject({ state: 'busy' });
    await first;
  });

  test('one of them outside the ledger: a table lock keeps it out', async () => {
    const unit = runner('anna').execute(
      job({ run: `r${runs}`, statements: slow(0.7), options: { lockTable: true } }),
      neverAborted,
    );
    await sleep(250);
    const foreign = await fixture.warehouse.connect('unit');
    const written = foreign.query("insert into sales select * from orders where day = '2026-11-01'");
    expect(await unit).toMatchObject({ state: 'unchanged' });
    await written;
    await foreign.close();
  });
});

test('a reader never sees an empty slice while it is replaced', async () => {
  await sql(fixture.warehouse, "update orders set amount = amount + 1 where day = '2026-11-01'");
  const unit = runner('anna').execute(job({ run: `r${runs}`, statements: slow(0.5) }), neverAborted);
  let done = false;
  void unit.finally(() => {
    done = true;
  });
  const seen = new Set<string>();
  while (!done) seen.add(String(await value("select count(*) from sales where day = '2026-11-01'")));
  expect(await unit).toMatchObject({ state: 'changed' });
  expect([...seen]).toEqual(['10']);
});

test('a runner that froze past its lease is fenced, and its late start writes nothing', async () => {
  const thaw: { release?: () => void } = {};
  const frozen = new Promise<void>((resolve) => {
    thaw.release = resolve;
  });
  // Frozen after its claim was committed and before its own transaction begins.
  let begins = 0;
  const sleepy = {
    ...fixture.warehouse,
    connect: async (purpose: 'unit' | 'heartbeat' | 'ledger') => {
      const session = await fixture.warehouse.connect(purpose);
      const wrapped: Session = {
        query: async (text, values) => {
          if (purpose === 'heartbeat' || (text.startsWith('begin') && ++begins === 2)) await frozen;
          return session.query(text, values);
        },
        cancel: () => session.cancel(),
        close: () => session.close(),
      };
      return wrapped;
    },
  };
  await sql(fixture.warehouse, 'update orders set amount = 1 where id = 10');
  const late = runner('late', sleepy).execute(job({ run: `r${runs}`, options: { leaseMs: 300 } }), neverAborted);
  await sleep(900);
  await sql(fixture.warehouse, 'update orders set amount = 2 where id = 10');
  expect(await runner('other').execute(job({ run: `r${runs + 1}` }), neverAborted)).toMatchObject({ state: 'changed' });
  await sql(fixture.warehouse, 'update orders set amount = 3 where id = 10');
  thaw.release?.();
  expect(await late).toMatchObject({ state: 'failed', error: { kind: 'conflict', retryable: true } });
  expect(await value('select amount from sales where id = 10')).toBe('2.00');
});

test('a lease that ran out does not help while the transaction is open, and the heartbeat renews it', async () => {
  const unit = runner('anna').execute(
    job({ run: `r${runs}`, statements: slow(4), options: { leaseMs: 2500 } }),
    neverAborted,
  );
  await sleep(3200);
  expect(await value('select bool_and(expires_at > clock_timestamp()) from backfill_ledger.leases')).toBe('t');
  await sql(fixture.warehouse, "update backfill_ledger.leases set expires_at = '2000-01-01'");
  expect(await runner('ben').execute(job({ run: `r${runs + 1}` }), neverAborted)).toMatchObject({ state: 'busy' });
  expect(await unit).toMatchObject({ state: 'unchanged' });
});

test('a connection that goes silent is given up when the server has ended it, and the unit can be run again', async () => {
  await sql(fixture.warehouse, "update orders set amount = amount + 1 where day = '2026-11-01'");
  const silenced = new Set<Line>();
  const proxy = await openProxy((fixture.connection as PostgresConnection).port ?? 0, ({ text, moment, line }) => {
    if (!text.startsWith('insert into sales') || moment === 'before' || silenced.size > 0) return;
    silenced.add(line);
    line.freeze();
  });
  const warehouse = await openWarehouse({ ...(fixture.connection as PostgresConnection), port: proxy.port });
  const unit = job({ run: `r${runs}`, options: { leaseMs: 500 } });
  expect(await runner('anna', warehouse).execute(unit, neverAborted)).toMatchObject({
    state: 'failed',
    error: { kind: 'connection', retryable: true, message: expect.stringContaining('has ended this connection') },
  });
  expect(await runner('anna', warehouse).execute(unit, neverAborted)).toMatchObject({ state: 'changed' });
  expect(silenced.size).toBe(1);
  await warehouse.close();
  await proxy.close();
});

test('a claim of a dead process is taken over when its lease has run out, not before', async () => {
  const dying = withFault(fixture.warehouse, Number.POSITIVE_INFINITY, 'before', async () => {});
  let begins = 0;
  const dead = {
    ...dying.warehouse,
    connect: async (purpose: 'unit' | 'heartbeat' | 'ledger') => {
      if (purpose === 'heartbeat') throw new Error('dead');
      const session = await fixture.warehouse.connect(purpose);
      const query: Session['query'] = async (text, values) => {
        if (text.startsWith('begin') && ++begins === 2) {
          await session.close();
          return new Promise(() => undefined);
        }
        return session.query(text, values);
      };
      return { query, cancel: () => session.cancel(), close: () => session.close() };
    },
  };
  void runner('dead', dead).execute(job({ run: `r${runs}`, options: { leaseMs: 1200 } }), neverAborted);
  await expect.poll(() => value('select count(*) from backfill_ledger.claims')).toBe('1');
  expect(await runner('ben').execute(job({ run: `r${runs + 1}` }), neverAborted)).toMatchObject({
    state: 'busy',
    owner: expect.stringMatching(/^dead \(run r\d+, [^)]+\), whose lease ends in [12] s unless it is alive$/),
  });
  expect(await runner('dead again').execute(job({ run: `r${runs}` }), neverAborted)).toMatchObject({
    state: 'busy',
    owner: expect.stringMatching(/\), an earlier process of this run, whose lease ends in [12] s unless it is alive$/),
  });
  expect(await untilDone(runner('ben'), job({ run: `r${runs + 1}` }))).toMatchObject({ state: 'unchanged' });
  expect(await value('select count(*) from backfill_ledger.claims')).toBe('0');
});

describe('cancel', () => {
  test('ends the statement on the server, which confirms it, and leaves nothing behind', async () => {
    const controller = new AbortController();
    const executor = runner('anna');
    const unit = executor.execute(job({ run: `r${runs}`, statements: slow(60) }), controller.signal);
    await sleep(400);
    controller.abort();
    expect(await unit).toMatchObject({ state: 'cancelled', confirmed: true });
    expect(
      await value(
        "select count(*) from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid() and state = 'active'",
      ),
    ).toBe('0');
    expect(await value('select count(*) from sales')).toBe('30');
    expect(await executor.execute(job({ run: `r${runs}` }), neverAborted)).toMatchObject({ state: 'unchanged' });
  });

  test('before anything was sent sends nothing', async () => {
    const aborted = AbortSignal.abort();
    expect(await runner('anna').execute(job({ run: `r${runs}` }), aborted)).toMatchObject({
      state: 'cancelled',
      confirmed: true,
    });
  });
});

describe('waiting', () => {
  test('for a lock ends with a retryable time-out, and the old rows stand', async () => {
    const blocker = await fixture.warehouse.connect('unit');
    await blocker.query('begin');
    await blocker.query('lock table sales in access exclusive mode');
    const outcome = await runner('anna').execute(
      job({ run: `r${runs}`, options: { lockTimeoutMs: 300 } }),
      neverAborted,
    );
    expect(outcome).toMatchObject({ state: 'failed', error: { kind: 'timeout', sqlState: '55P03', retryable: true } });
    await blocker.query('rollback');
    await blocker.close();
    expect(await value('select count(*) from backfill_ledger.claims')).toBe('0');
  });

  test('in a ring is a retryable conflict', async () => {
    const other = await fixture.warehouse.connect('unit');
    await other.query('create table if not exists gate (n int)');
    await other.query('begin');
    await other.query('lock table gate in access exclusive mode');
    const unit = runner('anna').execute(
      job({ run: `r${runs}`, statements: [...job().statements.map(({ text }) => text), 'select count(*) from gate'] }),
      neverAborted,
    );
    await sleep(500);
    const ring = other.query('lock table sales in access exclusive mode').then(
      () => undefined,
      () => undefined,
    );
    const outcome = await unit;
    await ring;
    await other.query('rollback');
    await other.close();
    if (outcome.state === 'failed')
      expect(outcome.error).toMatchObject({ kind: 'conflict', sqlState: '40P01', retryable: true });
    else expect(outcome.state).toBe('unchanged');
  });

  test('too long for a statement is a time-out that is not tried again', async () => {
    const outcome = await runner('anna').execute(
      job({ run: `r${runs}`, statements: slow(60), options: { statementTimeoutMs: 300 } }),
      neverAborted,
    );
    expect(outcome).toMatchObject({ state: 'failed', error: { kind: 'timeout', sqlState: '57014', retryable: false } });
  });
});

test('units side by side on one table see no escape in each other', async () => {
  const days = Array.from({ length: 12 }, (_, index) => `2026-12-${String(index + 1).padStart(2, '0')}`);
  await sql(
    fixture.warehouse,
    "insert into orders select 1000 + n, date '2026-12-01' + n % 12, n from generate_series(1, 1200) n",
  );
  const executor = runner('anna');
  const outcomes = await Promise.all(
    days.map((day, index) => {
      const end = `2026-12-${String(index + 2).padStart(2, '0')}`;
      const predicate = `day >= '${day}' and day < '${end}'`;
      return untilDone(
        executor,
        job({
          run: `r${runs}`,
          unit: day,
          // Inserting and updating leaves a doubt, so the rest of the table is looked at as well.
          statements: [
            `delete from sales where ${predicate}`,
            `insert into sales select * from orders where ${predicate}`,
            `update sales set amount = amount + 1 where ${predicate}`,
          ],
          slices: [
            { ...job().slices[0], from: `${day}T00:00:00.000Z`, to: `${end}T00:00:00.000Z` },
          ] as UnitJob['slices'],
        }),
      );
    }),
  );
  expect(outcomes.map(({ state }) => state)).toEqual(days.map(() => 'changed'));
});
