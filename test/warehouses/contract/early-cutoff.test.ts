import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../../src/core/ledger/sql-ledger-store.ts';
import { staleInWords, staleSlices } from '../../../src/core/ledger/stale-slices.ts';
import { relationalExecutor } from '../../../src/core/run/relational/relational-executor.ts';
import type { UnitExecutor } from '../../../src/core/run/unit/unit-executor.ts';
import {
  engines,
  type Fixture,
  job,
  neverAborted,
  openFixture,
  readsOrders,
  realClock,
  scalar,
  shopTables,
  sql,
} from '../../support/warehouse-fixture.ts';

describe.each(engines)('early cutoff on %s', (engine) => {
  let fixture: Fixture;
  let executor: UnitExecutor;
  let runs = 0;
  /** The unit as one that is in its plan because of what it reads. */
  const run = (parts: Parameters<typeof job>[0] = {}) =>
    executor.execute(job({ run: `run-${++runs}`, inputs: [readsOrders], cutsOff: true, ...parts }), neverAborted);
  const change = (...statements: readonly string[]) => sql(fixture.warehouse, ...statements);
  const rows = () => scalar(fixture.warehouse, "select string_agg(sales::text, ' ' order by id) from sales");
  const causes = async (parts: Parameters<typeof job>[0] = {}) => {
    const outcome = await run(parts);
    return 'slices' in outcome
      ? outcome.slices.flatMap((slice) => slice.causes.map(({ kind }) => kind))
      : outcome.state;
  };

  beforeAll(async () => {
    fixture = await openFixture(engine);
    executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
    await run();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    await change('drop table if exists sales, orders cascade', ...shopTables);
    await change('delete from backfill_ledger.versions');
    await run();
  });

  test('a unit that would see what it saw is not run, and leaves nothing but its state', async () => {
    const versions = await scalar(fixture.warehouse, 'select count(*) from backfill_ledger.versions');
    expect(await run({ run: 'again' })).toMatchObject({
      state: 'skipped',
      reason: expect.stringMatching(/^inputs unchanged since \d{4}-\d\d-\d\dT.*Z, when run \S+ made what is there$/),
    });
    expect(await scalar(fixture.warehouse, 'select count(*) from backfill_ledger.versions')).toBe(versions);
    expect(await scalar(fixture.warehouse, "select state from backfill_ledger.units where run = 'again'")).toBe(
      'skipped',
    );
    expect(
      await scalar(
        fixture.warehouse,
        'select (select count(*) from backfill_ledger.claims) + (select count(*) from backfill_ledger.leases)',
      ),
    ).toBe('0');
  });

  test('a unit that was asked for runs, and so does every unit where the cutoff is off', async () => {
    expect(await run({ cutsOff: false })).toMatchObject({ state: 'unchanged' });
    expect(await run({ options: { earlyCutoff: false } })).toMatchObject({ state: 'unchanged' });
    // That run recorded no contents, so the next one cannot tell.
    expect(await run()).toMatchObject({ state: 'unchanged' });
    expect(await run()).toMatchObject({ state: 'skipped' });
  });

  test.each([
    ['a changed row', ['update orders set amount = amount + 1 where id = 12']],
    ['a new row', ["insert into orders values (99, '2026-11-01', 1)"]],
    ['a row less', ['delete from orders where id = 12']],
    ['two values that change places', ['update orders set amount = 33 - amount where id in (10, 12)']],
  ])('%s of an input that no run of ours wrote makes it run', async (_, statements) => {
    await change(...statements);
    expect(await run()).toMatchObject({ state: 'changed', slices: [{ causes: [{ kind: 'input' }] }] });
    expect(await run()).toMatchObject({ state: 'skipped' });
  });

  test('what a unit that was asked for read is recorded where it is small, so that its next change has its cause', async () => {
    const asked = { cutsOff: false };
    await run(asked);
    await change('update orders set amount = amount + 1 where id = 12');
    expect(await causes(asked)).toEqual(['input']);
    const adds = [
      `insert into sales select id + 1 + (select max(id) from sales), day, amount from orders where day = '2026-11-01'`,
    ];
    const slices = job().slices.map((slice) => ({ ...slice, again: { addsRows: true, column: undefined } }));
    const journal = { ...asked, statements: adds, slices, options: { holdShrinkPercent: undefined } };
    await run(journal);
    expect(await causes(journal)).toEqual(['adds-again']);
    expect(await causes({ ...journal, readsMore: true })).toEqual(['unrecorded']);
  });

  test('what a unit that was asked for read is not recorded where a pass over it would be long, or the cutoff is off', async () => {
    const asked = { cutsOff: false };
    const off = { ...asked, options: { earlyCutoff: false } };
    await run(off);
    await change('update orders set amount = amount + 1 where id = 12');
    expect(await causes(off)).toEqual(['unrecorded-input']);
    await change("insert into orders select n, '2020-01-01', n from generate_series(1001, 201000) n");
    await run(asked);
    await change('update orders set amount = amount + 1 where id = 12');
    expect(await causes(asked)).toEqual(['unrecorded-input']);
  });

  test('a row outside the read window does not make it run', async () => {
    await change("update orders set amount = 0 where day <> '2026-11-01'");
    expect(await run()).toMatchObject({ state: 'skipped' });
  });

  test('a unit that was found up to date is not stale by a slice that was rewritten beside what it reads', async () => {
    const made = `run-${runs}`;
    const loads = (amount: number, name: string) =>
      run({
        run: name,
        unit: 'shop.orders@2026-10-31',
        task: 'shop.orders',
        statements: [`update orders set amount = ${amount} where day = '2026-10-31'`],
        slices: job().slices.map((slice) => ({ ...slice, table: 'orders', from: '2026-10-31T00:00:00.000Z' })),
        inputs: [],
        cutsOff: false,
      });
    const ledger = sqlLedgerStore(fixture.warehouse);
    const stale = async () =>
      staleSlices(await ledger.newestVersions(), new Map()).map(
        ({ version, reasons }) => `${version.target}: ${reasons.map(staleInWords).join()}`,
      );
    await loads(1, 'first');
    expect(await run({ run: 'reader' })).toMatchObject({ state: 'skipped' });
    expect(await stale()).toEqual([]);
    await loads(2, 'second');
    expect(await stale()).toEqual(['public.sales: public.orders was rewritten since by shop.orders@2026-10-31']);
    expect(await run()).toMatchObject({ state: 'skipped' });
    expect(await stale()).toEqual([]);
    await loads(1, 'third');
    expect(await stale()).toEqual([]);
    // What was found later is no part of what the run read: its own record stands without it.
    await change("delete from backfill_ledger.versions where run = 'second'");
    expect((await ledger.units(made)).map(({ state }) => state)).toEqual(['unchanged']);
    await ledger.close();
  });

  test('an input that changed and changed back is what it was', async () => {
    await change('update orders set amount = amount + 1 where id = 12');
    await change('update orders set amount = amount - 1 where id = 12');
    expect(await run()).toMatchObject({ state: 'skipped' });
  });

  /** Runs the unit, with changes of others committed just before and just after its first statement that reads. */
  const runAmid = async (before: readonly string[], after: readonly string[]) => {
    const reads = job().statements[1]?.text;
    const connect: Fixture['warehouse']['connect'] = async (purpose) => {
      const session = await fixture.warehouse.connect(purpose);
      const query: typeof session.query = async (text, values) => {
        if (text !== reads) return session.query(text, values);
        await change(...before);
        const result = await session.query(text, values);
        await change(...after);
        return result;
      };
      return { query, cancel: () => session.cancel(), close: () => session.close() };
    };
    const amid = relationalExecutor({ ...fixture.warehouse, connect }, { clock: realClock, owner: 'amid' });
    const one = job({ run: `run-${++runs}`, inputs: [readsOrders], cutsOff: true });
    const outcome = await amid.execute(one, neverAborted);
    await amid.close();
    return outcome;
  };
  const content = () =>
    scalar(
      fixture.warehouse,
      "select inputs->0->'content'->>'rows' from backfill_ledger.versions order by id desc limit 1",
    );

  // The one session of PGlite is the unit's own while it runs.
  describe.runIf(engine === 'postgres')('with others at work', () => {
    test('rows that came in while it ran and went later are not taken for those that it read', async () => {
      await change('update orders set amount = amount + 1 where id = 12');
      const add = "insert into orders values (77, '2026-11-01', 7)";
      expect(await runAmid([add], [])).toMatchObject({ state: 'changed', slices: [{ added: 1, changed: 1 }] });
      expect(await content()).toBeNull();
      await change('delete from orders where id = 77');
      expect(await run()).toMatchObject({ state: 'changed', slices: [{ removed: 1 }] });
      expect(await content()).toBe('10');
      expect(await run()).toMatchObject({ state: 'skipped' });
    });

    test('what others do elsewhere does not make it run again', async () => {
      await change('update orders set amount = amount + 1 where id = 12');
      const elsewhere = "update orders set amount = 0 where day > '2026-11-01'";
      expect(await runAmid([elsewhere], [elsewhere])).toMatchObject({ state: 'changed' });
      expect(await content()).toBe('10');
      expect(await run()).toMatchObject({ state: 'skipped' });
    });
  });

  test('a unit that reads its own earlier rows is left out too, but not where it wrote what it reads', async () => {
    const own = { table: 'sales', column: 'day', from: '2026-10-31T00:00:00.000Z', to: '2026-11-01T00:00:00.000Z' };
    expect(await run({ inputs: [own] })).toMatchObject({ state: 'unchanged' });
    expect(await run({ inputs: [own] })).toMatchObject({ state: 'skipped' });
    const all = { ...own, to: '2026-11-02T00:00:00.000Z' };
    await change('update orders set amount = amount + 1 where id = 12');
    expect(await run({ inputs: [all] })).toMatchObject({ state: 'changed' });
    expect(await content()).toBeNull();
    expect(await run({ inputs: [all] })).toMatchObject({ state: 'unchanged' });
    expect(await run({ inputs: [all] })).toMatchObject({ state: 'skipped' });
  });

  test('rows that somebody else changed in its own slice are put right', async () => {
    const before = await rows();
    await change('update sales set amount = 0 where id = 12');
    expect(await causes()).toEqual(['outside']);
    expect(await rows()).toBe(before);
  });

  test('a failed child is not forgotten when its parent comes out as it was', async () => {
    await change('update orders set amount = amount + 1 where id = 12');
    expect(await run({ statements: ['select 1/0'] })).toMatchObject({ state: 'failed' });
    expect(await run()).toMatchObject({ state: 'changed' });
  });

  test.each([
    ['code', { codeHash: 'code-2' }, ['code']],
    ['settings', { options: { settings: { timezone: 'Asia/Tokyo' } } }, ['statements', 'settings']],
  ])('other %s makes it run, and is named when rows differ', async (_, parts, expected) => {
    expect(await run(parts)).toMatchObject({ state: 'unchanged' });
    await change('delete from backfill_ledger.versions');
    await run();
    const statements = [
      "delete from sales where day = '2026-11-01'",
      "insert into sales select id, day, amount * 2 from orders where day = '2026-11-01'",
    ];
    expect(await causes({ ...parts, statements })).toEqual(expected);
  });

  test('the same code for another interval or with other variables makes it run, and is named', async () => {
    const parts = {
      slices: job().slices.map((slice) => ({ ...slice, column: undefined, from: undefined, to: undefined })),
    };
    const statements = (factor: number) => [
      'delete from sales',
      `insert into sales select id, day, amount * ${factor} from orders`,
    ];
    const inputs = [{ table: 'orders', column: undefined, from: undefined, to: undefined }];
    await run({ ...parts, inputs, statements: statements(2) });
    expect(await run({ ...parts, inputs, statements: statements(2) })).toMatchObject({ state: 'skipped' });
    expect(await causes({ ...parts, inputs, statements: statements(3) })).toEqual(['statements']);
  });

  test('a change of a function, a trigger, a default or a setting of the database makes it run', async () => {
    await change(
      'create or replace function twice(n numeric) returns numeric language plpgsql as $$ begin return n * 2; end $$',
    );
    const statements = [
      "delete from sales where day = '2026-11-01'",
      "insert into sales (id, day, amount) select id, day, twice(amount) from orders where day = '2026-11-01'",
    ];
    await run({ statements });
    expect(await run({ statements })).toMatchObject({ state: 'skipped' });
    await change(
      'create or replace function twice(n numeric) returns numeric language plpgsql as $$ begin return n * 3; end $$',
    );
    expect(await causes({ statements })).toEqual(['definitions']);
    expect(await run({ statements })).toMatchObject({ state: 'skipped' });
    await change('alter table sales alter column amount set default 7');
    expect(await run({ statements })).toMatchObject({ state: 'unchanged' });
    expect(await run({ statements })).toMatchObject({ state: 'skipped' });
    await change('create rule quiet as on delete to sales where false do instead nothing');
    expect(await run({ statements })).toMatchObject({ state: 'unchanged' });
  });

  test('a column whose days are written in a way of its own is not asked for days', async () => {
    await change(
      'drop table if exists raw',
      'create table raw (id int, dt text, unix int)',
      "insert into raw select id, to_char(day, 'YYYYMMDD'), extract(epoch from day)::int from orders",
    );
    for (const column of ['dt', 'unix']) {
      const inputs = [{ ...readsOrders, table: 'raw', column }];
      await run({ inputs });
      expect(await run({ inputs })).toMatchObject({ state: 'skipped' });
      await change("update raw set id = id + 1 where dt = '20261101'");
      expect(await run({ inputs })).toMatchObject({ state: 'unchanged' });
    }
  });

  test('in a session that is not in UTC the days of a window are others', async () => {
    await change(
      'drop table if exists clicks',
      'create table clicks (id int, at timestamptz)',
      "insert into clicks values (1, '2026-10-31 20:00+00')",
    );
    const inputs = [{ ...readsOrders, table: 'clicks', column: 'at' }];
    const options = { settings: { timezone: 'Asia/Tokyo' } };
    await run({ inputs, options });
    expect(await run({ inputs, options })).toMatchObject({ state: 'skipped' });
    await change('update clicks set id = 2');
    expect(await run({ inputs, options })).toMatchObject({ state: 'unchanged' });
  });

  test('a task that sets what names mean, and an input that may hide rows, are not left out', async () => {
    const statements = ["set search_path = 'public'", ...job().statements.map(({ text }) => text)];
    await run({ statements });
    expect(await run({ statements })).toMatchObject({ state: 'unchanged' });
    await change('alter table orders enable row level security');
    await run();
    expect(await run()).toMatchObject({ state: 'unchanged' });
  });

  test('a task that reads the clock runs, unless its load times are declared', async () => {
    const statements = [
      "delete from sales where day = '2026-11-01'",
      "insert into sales select id, day, amount from orders where day = '2026-11-01' and day < now()",
    ];
    await run({ statements });
    expect(await run({ statements })).toMatchObject({ state: 'unchanged' });
    const slices = job().slices.map((slice) => ({ ...slice, volatile: ['amount'] }));
    await run({ statements, slices });
    expect(await run({ statements, slices })).toMatchObject({ state: 'skipped' });
  });

  test('another task on the same slice does not count as a change of its code', async () => {
    await change("update sales set amount = 0 where day = '2026-11-01'");
    const statements = ["update sales set amount = 1 where day = '2026-11-01'"];
    await run({ task: 'shop.other', unit: 'shop.other@1', codeHash: 'other', statements });
    expect(await causes()).toEqual(['outside']);
  });

  test('another schema makes it run', async () => {
    await change('alter table sales add column note text');
    const statements = [
      "delete from sales where day = '2026-11-01'",
      "insert into sales select id, day, amount from orders where day = '2026-11-01'",
    ];
    expect(await run({ statements })).toMatchObject({ state: 'unchanged' });
  });

  test('equal inputs and other rows mean that the task is not deterministic', async () => {
    const statements = [
      "delete from sales where day = '2026-11-01'",
      "insert into sales select id, day, amount + extract(microseconds from clock_timestamp()) + random() * 1000 from orders where day = '2026-11-01'",
    ];
    await run({ statements });
    expect(await causes({ statements })).toEqual(['not-deterministic']);
  });

  test('the first run of a slice says so', async () => {
    await change('delete from backfill_ledger.versions', 'update orders set amount = 7 where id = 10');
    expect(await causes()).toEqual(['first-run']);
  });

  test('an input that cannot be summed up is not taken for equal', async () => {
    await change('update orders set amount = amount + 1 where id = 12');
    const inputs = [{ table: 'no_such_table', column: undefined, from: undefined, to: undefined }];
    expect(await run({ inputs })).toMatchObject({ state: 'changed' });
    expect(await run({ inputs })).toMatchObject({ state: 'unchanged' });
  });

  test('a view is read like a table, and a day of a date column is taken whole', async () => {
    await change("create view recent as select * from orders where day >= '2026-11-01'");
    const inputs = [
      { ...readsOrders, table: 'recent', from: '2026-11-01T05:00:00.000Z', to: '2026-11-01T06:00:00.000Z' },
    ];
    await run({ inputs });
    expect(await run({ inputs })).toMatchObject({ state: 'skipped' });
    await change('update orders set amount = amount + 1 where id = 12');
    expect(await run({ inputs })).toMatchObject({ state: 'changed' });
  });

  test('a table that is read whole counts whole', async () => {
    const inputs = [{ table: 'orders', column: undefined, from: undefined, to: undefined }];
    await run({ inputs });
    expect(await run({ inputs })).toMatchObject({ state: 'skipped' });
    await change("update orders set amount = amount + 1 where day = '2026-10-31'");
    expect(await run({ inputs })).toMatchObject({ state: 'unchanged' });
  });
});
