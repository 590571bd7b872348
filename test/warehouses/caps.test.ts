import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { runPlan } from '../../src/core/run/order/run-plan.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { RunEvent } from '../../src/core/run/unit/run-event.ts';
import { defaultRunOptions } from '../../src/core/run/unit/run-options.ts';
import type { UnitJob, UnitOptions } from '../../src/core/run/unit/unit-job.ts';
import type { Session } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { planOf } from '../support/fake-run.ts';
import { job, neverAborted, realClock, scalar, shopTables, sql, useFixture } from '../support/warehouse-fixture.ts';

const fixture = useFixture('postgres');
let gate: Session;
let runs = 0;

beforeAll(async () => {
  gate = await fixture.warehouse.connect('unit');
});
beforeEach(async () => {
  runs += 10;
  await sql(fixture.warehouse, 'drop table if exists orders, sales, other', ...shopTables);
  await sql(fixture.warehouse, 'create table other (id int primary key, day date not null, amount numeric(10, 2))');
});

const value = (query: string) => scalar(fixture.warehouse, query);
const runner = (owner: string) => relationalExecutor(fixture.warehouse, { clock: realClock, owner });

/** A unit on one day of a table that waits at the gate. */
function gated(
  day: number,
  options: Partial<UnitOptions>,
  table = 'sales',
  slice: Partial<UnitJob['slices'][number]> = {},
): UnitJob {
  const [from, to] = [`2026-11-0${day}`, `2026-11-0${day + 1}`];
  return job({
    run: `r${runs}`,
    unit: `${table}@${day}`,
    statements: [
      'select pg_advisory_xact_lock_shared(424242)',
      `delete from ${table} where day >= '${from}' and day < '${to}'`,
      `insert into ${table} select * from orders where day >= '${from}' and day < '${to}'`,
    ],
    slices: [
      { ...job().slices[0], table, from: `${from}T00:00:00.000Z`, to: `${to}T00:00:00.000Z`, ...slice },
    ] as UnitJob['slices'],
    options,
  });
}

const claims = () => value('select count(*) from backfill_ledger.claims');
const close = () => gate.query('select pg_advisory_lock(424242)');
const open = () => gate.query('select pg_advisory_unlock(424242)');

describe('two runners', () => {
  test.each([
    ['of one table', { tableConcurrency: 1 }, {}, 'public.sales'],
    ['of the slice’s own table', {}, { concurrency: 1 }, 'public.sales'],
    ['of the connection', { connectionConcurrency: 1 }, {}, 'this connection'],
    ['of a table that is locked', { lockTable: true }, {}, 'public.sales'],
  ])('do not exceed the limit %s', async (_what, options, slice, words) => {
    const [anna, ben] = [runner('anna'), runner('ben')];
    await close();
    const first = anna.execute(gated(1, options, 'sales', slice), neverAborted);
    await expect.poll(claims).toBe('1');
    expect(await ben.execute(gated(2, options, 'sales', slice), neverAborted)).toMatchObject({
      state: 'full',
      reason: expect.stringMatching(new RegExp(`1 unit at a time on ${words}: now anna`)),
    });
    const elsewhere = ben.execute(gated(2, options, 'other', slice), neverAborted);
    if (words === 'this connection') expect(await elsewhere).toMatchObject({ state: 'full' });
    else await expect.poll(claims).toBe('2');
    await open();
    expect(await first).toMatchObject({ state: 'unchanged' });
    await elsewhere;
    expect(await ben.execute(gated(2, options, 'sales', slice), neverAborted)).toMatchObject({ state: 'unchanged' });
    await Promise.all([anna.close(), ben.close()]);
  });

  test('count a unit whose lease ran out while its transaction is open, and not one that is gone', async () => {
    const [anna, ben] = [runner('anna'), runner('ben')];
    const options = { tableConcurrency: 1 };
    await close();
    const first = anna.execute(gated(1, options), neverAborted);
    await expect
      .poll(() => value("select count(*) from pg_locks where locktype = 'advisory' and not granted"))
      .toBe('1');
    await sql(fixture.warehouse, "update backfill_ledger.leases set expires_at = '2000-01-01'");
    expect(await ben.execute(gated(2, options), neverAborted)).toMatchObject({ state: 'full' });
    await open();
    expect(await first).toMatchObject({ state: 'unchanged' });
    await sql(
      fixture.warehouse,
      "insert into backfill_ledger.claims (fence, run, unit, owner) values (-1, 'dead', 'sales@9', 'gone')",
      "insert into backfill_ledger.claim_slices values (-1, 'public.sales', 'day', '2026-11-09', '2026-11-10')",
      "insert into backfill_ledger.leases values (-1, '2000-01-01')",
    );
    expect(await ben.execute(gated(2, options), neverAborted)).toMatchObject({ state: 'unchanged' });
    expect(await claims()).toBe('0');
    await Promise.all([anna.close(), ben.close()]);
  });

  test('each with a run of its own keep to it together, and both come to their end', async () => {
    const days = Array.from({ length: 8 }, (_, index) => index + 1);
    await sql(
      fixture.warehouse,
      "insert into orders select 1000 + n, date '2026-11-01' + n % 8, 0 from generate_series(0, 79) n",
    );
    const limits: Partial<UnitOptions> = { tableConcurrency: 2, holdShrinkPercent: undefined };
    const start = async (run: string, mine: readonly number[], events: RunEvent[]) => {
      const warehouse = await openWarehouse(fixture.connection);
      const ledger = sqlLedgerStore(warehouse);
      const plan = planOf(mine.map((index) => ({ task: run, index, slices: [] })));
      // Every row remembers how many claims there were when it was written.
      const jobs = plan.units.map(({ id }, index): [string, UnitJob] => {
        const one = gated(mine[index] ?? 0, limits);
        const statements = one.statements.map(({ text }) =>
          text.replace('select *', 'select id, day, (select count(*) from backfill_ledger.claims)'),
        );
        return [id, { ...job({ ...one, run, unit: id, statements, options: limits }) }];
      });
      const executor = relationalExecutor(warehouse, { clock: realClock, owner: run });
      const prepared = { run, title: run, createdBy: run, plan, jobs: new Map(jobs), refused: new Map() };
      const result = await runPlan(
        { ...prepared, options: { ...defaultRunOptions, backoffMs: 20 } },
        { executor, ledger, clock: realClock, signal: neverAborted, onEvent: (event) => events.push(event) },
      );
      await ledger.close();
      await warehouse.close();
      return result;
    };
    await close();
    const events: RunEvent[] = [];
    const both = Promise.all([
      start(
        `a${runs}`,
        days.filter((day) => day % 2 === 0),
        events,
      ),
      start(
        `b${runs}`,
        days.filter((day) => day % 2 === 1),
        events,
      ),
    ]);
    // Two wait at the gate, and each run that has a third to offer says that it waits.
    await expect.poll(() => events.some(({ kind }) => kind === 'unit-retrying')).toBe(true);
    expect(await claims()).toBe('2');
    await open();
    for (const result of await both) expect(result).toMatchObject({ outcome: 'done' });
    expect(Number(await value('select max(amount) from sales where id >= 1000'))).toBeLessThanOrEqual(2);
    expect(await value('select count(*) from sales where id >= 1000')).toBe('80');
  });
});
