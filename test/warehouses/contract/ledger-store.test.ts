import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LedgerStore, UnitRecord } from '../../../src/core/ledger/ledger-store.ts';
import { sqlLedgerStore } from '../../../src/core/ledger/sql-ledger-store.ts';
import { relationalExecutor } from '../../../src/core/run/relational/relational-executor.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { openWarehouse } from '../../../src/warehouses/open.ts';
import {
  engines,
  type Fixture,
  job,
  neverAborted,
  openFixture,
  realClock,
  scalar,
  shopTables,
  sql,
} from '../../support/warehouse-fixture.ts';

const createdAt = instant(Date.parse('2026-11-05T06:07:08.123Z'));
const stored = (run: string) => ({
  run,
  createdAt,
  createdBy: 'anna',
  document: '{"version":1,"text":"ä\'\\\\"}',
  title: `title of ${run}`,
});
const record = (parts: Partial<UnitRecord> = {}): UnitRecord => ({
  unit: 'a',
  state: 'failed',
  attempts: 2,
  message: 'no',
  durationMs: 12,
  slices: [],
  ...parts,
});

describe.each(engines)('the ledger on %s', (engine) => {
  let fixture: Fixture;
  let store: LedgerStore;
  beforeAll(async () => {
    fixture = await openFixture(engine);
    store = sqlLedgerStore(fixture.warehouse);
    await sql(fixture.warehouse, ...shopTables);
  });
  afterAll(async () => {
    await store.close();
    await fixture.close();
  });

  test('keeps a run and its units in order', async () => {
    expect(await store.loadRun('none')).toBeUndefined();
    await store.saveRun(stored('one'), ['b', 'a', 'c']);
    expect(await store.loadRun('one')).toEqual(stored('one'));
    expect((await store.units('one')).map(({ unit, state, attempts }) => [unit, state, attempts])).toEqual([
      ['b', 'waiting', 0],
      ['a', 'waiting', 0],
      ['c', 'waiting', 0],
    ]);
    await store.recordUnit('one', record());
    expect((await store.units('one'))[1]).toEqual(record());
    expect((await store.listRuns(10)).find(({ run }) => run === 'one')).toEqual({
      run: 'one',
      title: 'title of one',
      createdAt,
      createdBy: 'anna',
      counts: { waiting: 2, failed: 1 },
      task: '',
      workedOnBy: undefined,
    });
  });

  test('says of which task a run is first, and who works on it now', async () => {
    const found = async () => (await store.listRuns(100)).find(({ run }) => run === 'worked-on');
    await store.saveRun(stored('worked-on'), ['shop.sales@2026-11-02T00:00:00Z', 'shop.sums@2026-11-02T00:00:00Z']);
    expect(await found()).toMatchObject({ task: 'shop.sales', workedOnBy: undefined });
    expect(await store.beginRun('worked-on', 'bob', [], 60_000)).toEqual([]);
    expect(await found()).toMatchObject({ workedOnBy: 'bob' });
    await store.endRun('worked-on');
    expect(await found()).toMatchObject({ workedOnBy: undefined });
  });

  test('the end of a run takes what a killed process of it left of a claim on a unit that another one has done', async () => {
    for (const run of ['left', 'beside']) {
      await store.saveRun(stored(run), ['done', 'open']);
      await sql(
        fixture.warehouse,
        `update backfill_ledger.units set state = 'changed' where run = '${run}' and unit = 'done'`,
      );
      for (const unit of ['done', 'open']) {
        await sql(
          fixture.warehouse,
          `with c as (insert into backfill_ledger.claims (run, unit, owner) values ('${run}', '${unit}', 'gone') returning fence),
             s as (insert into backfill_ledger.claim_slices select fence, 'public.elsewhere', null, '-infinity', 'infinity' from c)
           insert into backfill_ledger.leases select fence, clock_timestamp() + interval '1 hour' from c`,
        );
      }
    }
    await store.endRun('left');
    const left = `select string_agg(run || ' ' || unit || ' ' || (select count(*) from backfill_ledger.leases l where l.fence = c.fence)
      || (select count(*) from backfill_ledger.claim_slices s where s.fence = c.fence), ', ' order by run, unit) from backfill_ledger.claims c`;
    expect(await scalar(fixture.warehouse, left)).toBe('beside done 11, beside open 11, left open 11');
    await sql(
      fixture.warehouse,
      'delete from backfill_ledger.claims',
      'delete from backfill_ledger.leases',
      'delete from backfill_ledger.claim_slices',
    );
  });

  test('never lets go of a committed state', async () => {
    await store.saveRun(stored('two'), ['a']);
    await sql(fixture.warehouse, "update backfill_ledger.units set state = 'changed' where run = 'two'");
    expect(await store.recordUnit('two', record({ state: 'changed', message: undefined }))).toBe('recorded');
    await store.recordUnit('two', record({ state: 'failed' }));
    await store.recordUnit('two', record({ state: 'waiting' }));
    expect(await store.units('two')).toEqual([record({ state: 'changed', message: undefined })]);
  });

  test('makes no committed state: only the transaction of its unit does', async () => {
    await store.saveRun(stored('untold'), ['a', 'b']);
    await store.recordUnit('untold', record({ state: 'running', message: undefined }));
    expect(await store.recordUnit('untold', record({ state: 'changed' }))).toBe('lost');
    expect(await store.recordUnit('untold', record({ unit: 'nobody', state: 'skipped' }))).toBe('lost');
    expect((await store.units('untold')).map(({ unit, state }) => [unit, state])).toEqual([
      ['a', 'running'],
      ['b', 'waiting'],
    ]);
    expect(await store.uncommitted('untold', ['a', 'b', 'nobody'])).toEqual(['a', 'b', 'nobody']);
    await sql(fixture.warehouse, "update backfill_ledger.units set state = 'changed' where run = 'untold'");
    expect(await store.uncommitted('untold', ['a', 'b'])).toEqual([]);
  });

  test('lists the newest run first, as many as asked', async () => {
    for (const [index, run] of ['old', 'newer', 'newest'].entries()) {
      await store.saveRun({ ...stored(run), createdAt: instant(createdAt + (index + 1) * 1000) }, []);
    }
    expect((await store.listRuns(2)).map(({ run }) => run)).toEqual(['newest', 'newer']);
  });

  test('the outcome of a unit and its slices come back as they were', async () => {
    await store.saveRun(stored('three'), [job().unit]);
    await sql(fixture.warehouse, 'update orders set amount = amount + 1 where id = 10');
    const executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'me' });
    const outcome = await executor.execute(job({ run: 'three' }), neverAborted);
    const [unit] = await store.units('three');
    expect(unit).toMatchObject({ state: 'changed', attempts: 1 });
    expect(outcome.state === 'changed' && outcome.slices).toEqual(unit?.slices);
    await executor.close();
  });

  test('a run that is at work on overlapping slices is named; one that has ended or died is not', async () => {
    const slice = (from: string, to: string) => [{ table: 'sales', column: 'day', from, to }];
    const november = slice('2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z');
    await store.saveRun(stored('working'), ['x', 'y'], november);
    await sql(
      fixture.warehouse,
      "update backfill_ledger.runs set owner = 'ben', alive_until = clock_timestamp() + interval '1 minute' where run = 'working'",
    );
    const asked = (from: string, to: string, table = 'public.sales') =>
      store.activeOverlaps('mine', [{ table, column: 'day', from, to }]);
    expect(await asked('2026-11-30T00:00:00.000Z', '2026-12-05T00:00:00.000Z')).toEqual([
      {
        run: 'working',
        owner: 'ben',
        since: createdAt,
        table: 'public.sales',
        from: Date.parse('2026-11-30T00:00:00Z'),
        to: Date.parse('2026-12-01T00:00:00Z'),
        leaseLeftMs: expect.any(Number),
      },
    ]);
    const [{ leaseLeftMs = 0 } = {}] = await asked('2026-11-30T00:00:00.000Z', '2026-12-05T00:00:00.000Z');
    expect(leaseLeftMs).toBeGreaterThan(0);
    expect(leaseLeftMs).toBeLessThanOrEqual(60_000);
    expect(await asked('2026-12-01T00:00:00.000Z', '2026-12-05T00:00:00.000Z')).toEqual([]);
    expect(await asked('2026-11-30T00:00:00.000Z', '2026-12-05T00:00:00.000Z', 'orders')).toEqual([]);
    const by = (column: string) =>
      store.activeOverlaps('mine', [{ table: 'sales', column, from: '2027-01-01T00:00:00Z', to: undefined }]);
    expect(await by('loaded_at'), 'bounds on another column are no other rows').toMatchObject([
      { run: 'working', from: Date.parse('2026-11-01T00:00:00Z'), to: Date.parse('2026-12-01T00:00:00Z') },
    ]);
    expect(await by('day')).toEqual([]);
    expect(await store.activeOverlaps('working', november)).toEqual([]);
    for (const unit of ['x', 'y']) await store.recordUnit('working', record({ unit, state: 'cancelled' }));
    expect(await asked('2026-11-30T00:00:00.000Z', '2026-12-05T00:00:00.000Z')).toEqual([]);
    await store.recordUnit('working', record({ unit: 'x', state: 'waiting' }));
    expect(await asked('2026-11-30T00:00:00.000Z', '2026-12-05T00:00:00.000Z')).toHaveLength(1);
    await sql(
      fixture.warehouse,
      "update backfill_ledger.runs set alive_until = clock_timestamp() - interval '1 second' where run = 'working'",
    );
    expect(await asked('2026-11-30T00:00:00.000Z', '2026-12-05T00:00:00.000Z')).toEqual([]);
  });

  test('of runs of a month, a day and a week that begin at once one is let in, and the next when it has ended', async () => {
    const stores = [
      { owner: 'anna', from: '2026-12-01', to: '2027-01-01' },
      { owner: 'ben', from: '2026-12-07', to: '2026-12-08' },
      { owner: 'cleo', from: '2026-12-07', to: '2026-12-14' },
    ].map(({ owner, from, to }) => {
      const slices = [{ table: 'sales', column: 'day', from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z` }];
      return { owner, slices, ledger: sqlLedgerStore(fixture.warehouse) };
    });
    for (const { owner, slices, ledger } of stores) await ledger.saveRun(stored(`by ${owner}`), ['x'], slices);
    const found = await Promise.all(
      stores.map(({ owner, slices, ledger }) => ledger.beginRun(`by ${owner}`, owner, slices, 60_000)),
    );
    const first = stores[found.findIndex((others) => others.length === 0)]?.owner;
    expect(found.filter((others) => others.length > 0)).toEqual(
      [1, 2].map(() => [expect.objectContaining({ run: `by ${first}`, owner: first, table: 'public.sales' })]),
    );
    await store.endRun(`by ${first}`);
    const next = stores.find(({ owner }) => owner !== first);
    expect(await next?.ledger.beginRun(`by ${next.owner}`, next.owner, next.slices, 60_000)).toEqual([]);
    await store.endRun(`by ${next?.owner}`);
    await Promise.all(stores.map(({ ledger }) => ledger.close()));
  });

  test('many questions at once are asked one after the other', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.saveRun(stored(`many-${index}`), ['a']).then(() => store.units(`many-${index}`)),
      ),
    );
    expect(answers.every((units) => units.length === 1)).toBe(true);
  });

  test('a failed question does not spoil the next', async () => {
    await expect(store.saveRun(stored('one'), [])).rejects.toMatchObject({ kind: 'constraint' });
    expect((await store.loadRun('one'))?.run).toBe('one');
  });
});

test('a run that a killed process left on an embedded directory is not at work', async () => {
  const fixture = await openFixture('pglite');
  const slices = [{ table: 'sales', from: undefined, to: undefined }];
  await sqlLedgerStore(fixture.warehouse).saveRun(stored('killed'), ['a'], slices);
  await sql(fixture.warehouse, "update backfill_ledger.runs set alive_until = clock_timestamp() + interval '1 hour'");
  await fixture.warehouse.close();
  const again = await openWarehouse(fixture.connection);
  expect(await sqlLedgerStore(again).activeOverlaps('mine', slices)).toEqual([]);
  await again.close();
  await fixture.close();
});

test('a ledger of an earlier version is brought to this one, and a newer one is left alone', async () => {
  const fixture = await openFixture('postgres');
  const open = async () => {
    const warehouse = await openWarehouse(fixture.connection);
    const store = sqlLedgerStore(warehouse);
    return { store, close: () => store.close().then(() => warehouse.close()) };
  };
  await sqlLedgerStore(fixture.warehouse).listRuns(1);
  await sql(
    fixture.warehouse,
    'drop table backfill_ledger.before_images, backfill_ledger.before_rows, backfill_ledger.carried, backfill_ledger.observations',
    'alter table backfill_ledger.versions drop column statements_hash, drop column definitions_hash',
    `do $$ declare f text; begin
      for f in select oid::regprocedure from pg_proc where pronamespace = 'backfill_ledger'::regnamespace loop
        execute 'drop function ' || f;
      end loop;
    end $$`,
    'update backfill_ledger.meta set version = 1',
  );
  const [one, other] = [await open(), await open()];
  expect(await Promise.all([one.store.changedSlices('r'), other.store.changedSlices('r')])).toEqual([[], []]);
  await Promise.all([one.close(), other.close()]);
  await sql(fixture.warehouse, 'insert into backfill_ledger.meta (version) values (99)');
  const late = await open();
  await expect(late.store.listRuns(1)).rejects.toThrow(/version 99/);
  await late.close();
  await fixture.close();
});
