import { beforeEach, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { runPlan } from '../../src/core/run/order/run-plan.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import { vacuumAfter } from '../../src/core/run/relational/vacuum-after.ts';
import { defaultRunOptions } from '../../src/core/run/unit/run-options.ts';
import type { UnitOptions } from '../../src/core/run/unit/unit-job.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { WarehouseError } from '../../src/core/warehouse/port/warehouse-error.ts';
import { planOf } from '../support/fake-run.ts';
import {
  engines,
  job,
  neverAborted,
  openFixture,
  realClock,
  scalar,
  sql,
  useFixture,
} from '../support/warehouse-fixture.ts';

describe.each(engines)('after a run on %s', (engine) => {
  const fixture = useFixture(engine);
  let runs = 0;
  const dead = () => scalar(fixture.warehouse, "select pg_stat_get_dead_tuples('sales'::regclass) > 900");

  beforeEach(async () => {
    await sql(
      fixture.warehouse,
      'drop table if exists sales, orders',
      'create table orders (id int primary key, day date not null, amount numeric)',
      'create table sales (id int primary key, day date not null, amount numeric) with (autovacuum_enabled = off)',
      "insert into orders select n, '2026-11-01', n from generate_series(1, 1000) n",
      "insert into sales select n, '2026-11-01', 0 from generate_series(1, 1000) n",
    );
  });

  async function run(options: Partial<UnitOptions>, vacuum?: 'advise' | 'run' | 'off', warehouse = fixture.warehouse) {
    const id = `r${++runs}`;
    const plan = planOf([{ task: 'shop', index: 0, slices: [] }]);
    const [unit = ''] = plan.units.map((one) => one.id);
    const executor = relationalExecutor(warehouse, { clock: realClock, owner: 'me' });
    const ledger = sqlLedgerStore(warehouse);
    const jobs = new Map([[unit, job({ run: id, unit, options })]]);
    const result = await runPlan(
      {
        run: id,
        title: id,
        createdBy: 'me',
        plan,
        jobs,
        refused: new Map(),
        options: { ...defaultRunOptions, vacuum },
      },
      { executor, ledger, clock: realClock, signal: neverAborted, onEvent: () => undefined },
    );
    await Promise.all([ledger.close(), executor.close()]);
    return result;
  }

  test('that locked its table VACUUM is advised, with the table and why', async () => {
    const { outcome, notes } = await run({ lockTable: true });
    expect(outcome).toBe('done');
    expect(notes).toEqual([
      expect.stringMatching(
        /^public\.sales holds \d+ dead rows, and the lock of its units keeps autovacuum away; to free them: VACUUM \(ANALYZE\) public\.sales;$/,
      ),
    ]);
    expect(await dead()).toBe('t');
  });

  test('without a lock it is left to the server, where that has autovacuum', async () => {
    expect((await run({})).notes).toHaveLength(engine === 'pglite' ? 1 : 0);
  });

  test('it is run where that is asked for', async () => {
    const { notes } = await run({}, 'run');
    expect(notes).toEqual([
      expect.stringMatching(/^VACUUM \(ANALYZE\) public\.sales was run: it held \d+ dead rows\.$/),
    ]);
    expect(await dead()).toBe('f');
  });

  test('it is neither where it is switched off, nor where little was left', async () => {
    expect((await run({ lockTable: true }, 'off')).notes).toEqual([]);
    const [slice] = job().slices;
    const slices = slice === undefined ? [] : [{ ...slice, table: 'orders' }];
    const unit = job({ slices, options: { lockTable: true } });
    expect(await vacuumAfter(fixture.warehouse, [unit], 'advise', neverAborted)).toEqual([]);
  });

  test('a VACUUM that fails is said, and fails no run', async () => {
    const failing: Warehouse = {
      ...fixture.warehouse,
      connect: async (purpose) => {
        const session = await fixture.warehouse.connect(purpose);
        return {
          query: (text, values) => {
            if (text.startsWith('vacuum')) throw new WarehouseError('timeout', 'a lock is held', true);
            return session.query(text, values);
          },
          cancel: () => session.cancel(),
          close: () => session.close(),
        };
      },
    };
    const { outcome, notes } = await run({}, 'run', failing);
    expect(outcome).toBe('done');
    expect(notes).toEqual([expect.stringMatching(/VACUUM \(ANALYZE\) public\.sales failed: a lock is held$/)]);
    const gone: Warehouse = {
      ...fixture.warehouse,
      connect: async () => {
        throw new WarehouseError('connection', 'gone', true);
      },
    };
    expect(await vacuumAfter(gone, [job()], 'advise', neverAborted)).toEqual([]);
    expect(await vacuumAfter(gone, [job()], 'run', neverAborted)).toEqual([expect.stringContaining('gone')]);
  });

  test('a cancelled run looks at nothing any more, and unknown tables are passed over', async () => {
    expect(await vacuumAfter(fixture.warehouse, [job()], 'run', AbortSignal.abort())).toEqual([]);
    const [slice] = job().slices;
    const nowhere = job({ slices: slice === undefined ? [] : [{ ...slice, table: 'no."where' }] });
    expect(await vacuumAfter(fixture.warehouse, [nowhere], 'advise', neverAborted)).toEqual([]);
  });
});

test('dead rows of partitions count together', async () => {
  const fixture = await openFixture('postgres');
  await sql(
    fixture.warehouse,
    'create schema "My mart"',
    'create table "My mart".parts (id int, day date not null) partition by range (day)',
    ...['01', '02'].map(
      (day) =>
        `create table "My mart".parts_${day} partition of "My mart".parts for values from ('2026-11-${day}') to ('2026-11-${Number(day) + 1}') with (autovacuum_enabled = off)`,
    ),
  );
  const writer = await fixture.warehouse.connect('unit');
  await writer.query(
    'insert into "My mart".parts select n, date \'2026-11-01\' + n % 2 from generate_series(1, 1000) n',
  );
  await writer.query('update "My mart".parts set id = id + 1');
  await writer.close();
  const [slice] = job().slices;
  const unit = job({
    slices: slice === undefined ? [] : [{ ...slice, table: '"My mart".parts' }],
    options: { lockTable: true },
  });
  expect(await vacuumAfter(fixture.warehouse, [unit], 'advise', neverAborted)).toEqual([
    expect.stringContaining('"My mart".parts holds 1000 dead rows'),
  ]);
  await fixture.close();
});
