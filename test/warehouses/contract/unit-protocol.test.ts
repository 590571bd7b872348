import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { relationalExecutor } from '../../../src/core/run/relational/relational-executor.ts';
import type { UnitExecutor } from '../../../src/core/run/unit/unit-executor.ts';
import type { UnitJob } from '../../../src/core/run/unit/unit-job.ts';
import {
  engines,
  job,
  neverAborted,
  realClock,
  scalar,
  shopTables,
  sql,
  useFixture,
} from '../../support/warehouse-fixture.ts';

const sum = "select count(*) || ' ' || coalesce(sum(amount), 0) from sales";

describe.each(engines)('one unit on %s', (engine) => {
  const fixture = useFixture(engine);
  let executor: UnitExecutor;
  let runs = 0;
  const run = (parts: Parameters<typeof job>[0] = {}) =>
    executor.execute(job({ run: `run-${++runs}`, ...parts }), neverAborted);
  const value = (query: string) => scalar(fixture.warehouse, query);

  beforeAll(() => {
    executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
  });
  beforeEach(async () => {
    const left = await sql(
      fixture.warehouse,
      "select format('drop table if exists %I.%I cascade', schemaname, tablename) from pg_tables where schemaname in ('public', 'mart')",
    );
    for (const [drop] of left.rows) await sql(fixture.warehouse, String(drop));
    await sql(fixture.warehouse, ...shopTables);
  });

  test('twice equals once, and the second time changes nothing', async () => {
    await sql(fixture.warehouse, 'update orders set amount = amount + 1 where id between 10 and 12');
    const first = await run();
    expect(first).toMatchObject({ state: 'changed', slices: [{ added: 0, removed: 0, changed: 3, method: 'key' }] });
    const once = await value(sum);
    expect(await run()).toMatchObject({ state: 'unchanged', slices: [{ added: 0, removed: 0, changed: 0 }] });
    expect(await value(sum)).toBe(once);
  });

  test('a quoted name with a dot is that name, whatever stands beside it', async () => {
    const slices = [{ ...job().slices[0], table: '"mart.sales"' }] as UnitJob['slices'];
    await sql(
      fixture.warehouse,
      'create schema if not exists mart',
      'create table mart.sales as select * from sales',
      'create table "mart.sales" as select * from sales where id < 15',
    );
    const statements = job().statements.map(({ text }) =>
      text.replace('from sales', 'from "mart.sales"').replace('into sales', 'into "mart.sales"'),
    );
    expect(await run({ run: 'dotted', slices, statements })).toMatchObject({
      state: 'changed',
      slices: [{ added: 5 }],
    });
    expect(await run({ slices, statements })).toMatchObject({ state: 'unchanged' });
    expect(await value('select count(*) from mart.sales')).toBe('30');
    expect(await value('select count(*) from "mart.sales"')).toBe('20');
    expect(await value("select target from backfill_ledger.versions where run = 'dotted'")).toBe('public."mart.sales"');
    const outside = [...statements, 'update "mart.sales" set amount = 0 where id = 2'];
    expect(await run({ slices, statements: outside })).toMatchObject({ state: 'held', code: 'escaped' });
  });

  test('an unchanged slice keeps its row versions', async () => {
    const before = await value("select string_agg(ctid::text, ',' order by id) from sales");
    expect(await run()).toMatchObject({ state: 'unchanged' });
    expect(await value("select string_agg(ctid::text, ',' order by id) from sales")).toBe(before);
  });

  test('the slice is half-open: the first instant belongs to it, the end does not', async () => {
    await sql(
      fixture.warehouse,
      'create table events (id int primary key, at timestamptz not null)',
      "insert into events values (1, '2026-10-31T23:59:59.999999Z'), (2, '2026-11-01T00:00:00Z'), (3, '2026-11-01T23:59:59.999999Z'), (4, '2026-11-02T00:00:00Z')",
    );
    const outcome = await run({
      statements: ["delete from events where at >= '2026-11-01T00:00:00Z' and at < '2026-11-02T00:00:00Z'"],
      slices: [{ ...job().slices[0], table: 'events', column: 'at' } as UnitJob['slices'][number]],
      options: { holdShrinkPercent: undefined },
    });
    expect(outcome).toMatchObject({
      state: 'changed',
      slices: [{ before: { rows: 2 }, after: { rows: 0 }, removed: 2 }],
    });
    expect(await value("select string_agg(id::text, ',' order by id) from events")).toBe('1,4');
  });

  test('a committed unit is not run again: the marker says so', async () => {
    await sql(fixture.warehouse, 'update orders set amount = 0 where id = 10');
    expect(await run({ run: 'same' })).toMatchObject({ state: 'changed' });
    await sql(fixture.warehouse, 'update orders set amount = 1 where id = 10');
    expect(await run({ run: 'same' })).toMatchObject({ state: 'done-before', slices: [{ changed: 1 }] });
    expect(await value('select amount from sales where id = 10')).toBe('0.00');
  });

  test('the record is complete: versions, unit, no claim left', async () => {
    await run({ run: 'recorded', inputs: [{ table: 'orders', column: 'day', from: '2026-11-01', to: '2026-11-02' }] });
    expect(
      (
        await sql(
          fixture.warehouse,
          "select task, target, slice_column, row_count, state, inputs->0->>'table' from backfill_ledger.versions where run = 'recorded'",
        )
      ).rows,
    ).toEqual([['shop.sales', 'public.sales', 'day', '10', 'unchanged', 'public.orders']]);
    expect(await value("select state from backfill_ledger.units where run = 'recorded'")).toBe('unchanged');
    expect(
      await value(
        'select (select count(*) from backfill_ledger.claims) + (select count(*) from backfill_ledger.leases) + (select count(*) from backfill_ledger.claim_slices)',
      ),
    ).toBe('0');
  });

  test('an empty slice is held with the old rows in place, and done once that is approved', async () => {
    await sql(fixture.warehouse, "delete from orders where day = '2026-11-01'");
    expect(await run({ run: 'empty' })).toMatchObject({ state: 'held', code: 'empty', slices: [{ removed: 10 }] });
    expect(await value("select count(*) from sales where day = '2026-11-01'")).toBe('10');
    expect(await value("select state from backfill_ledger.units where run = 'empty'")).toBe('held');
    const approved = await run({ run: 'empty', options: { holdShrinkPercent: undefined } });
    expect(approved).toMatchObject({ state: 'changed', slices: [{ removed: 10 }] });
  });

  test.each([
    [5, 'changed'],
    [6, 'held'],
  ])('a slice of ten that loses %i rows is %s under a guard of half', async (lost, state) => {
    await sql(fixture.warehouse, `delete from orders where id between 10 and ${9 + lost}`);
    expect(await run()).toMatchObject({ state });
    expect(await value("select count(*) from sales where day = '2026-11-01'")).toBe(
      state === 'held' ? '10' : `${10 - lost}`,
    );
  });

  test('BEGIN and COMMIT of the task are no-ops and an isolation clause is dropped with a note', async () => {
    const [remove, insert] = job().statements.map(({ text }) => text) as [string, string];
    await sql(fixture.warehouse, 'update orders set amount = 7 where id = 10');
    const statements = [
      'BEGIN ISOLATION LEVEL SERIALIZABLE;',
      remove,
      '-- done\n/* so /* far */ */ commit',
      insert,
      'END;',
    ];
    const outcome = await run({ statements });
    expect(outcome).toMatchObject({ state: 'changed' });
    expect(outcome.state === 'changed' && outcome.notes.join()).toContain('SERIALIZABLE');
  });

  test.each([
    ['ROLLBACK', 'ROLLBACK takes back'],
    ['vacuum sales', 'VACUUM'],
    ['create index concurrently x on sales (day)', 'CONCURRENTLY'],
    ["prepare transaction 'x'", 'PREPARE TRANSACTION'],
    ['copy sales from stdin', 'COPY'],
  ])('%s is refused before anything is sent', async (statement, words) => {
    const outcome = await run({ statements: [...job().statements.map(({ text }) => text), statement] });
    expect(outcome).toMatchObject({ state: 'failed', error: { kind: 'refused', retryable: false, statement } });
    expect(outcome.state === 'failed' && outcome.error.message).toContain(words);
  });

  test('a procedure that commits is refused, and nothing of the task stays', async () => {
    await sql(
      fixture.warehouse,
      'create or replace procedure sneaky() language plpgsql as $$ begin delete from sales; commit; end $$',
    );
    const before = await value(sum);
    expect(await run({ statements: ['call sneaky()'] })).toMatchObject({ state: 'failed', error: { kind: 'refused' } });
    expect(await value(sum)).toBe(before);
  });

  test('a failing statement leaves the old rows, names itself, and gives the claim up', async () => {
    const before = await value(sum);
    const statements = [
      ...job().statements.map(({ text }) => text),
      'insert into sales select 1 / 0, day, amount from orders',
    ];
    expect(await run({ statements })).toMatchObject({
      state: 'failed',
      error: { retryable: false, sqlState: '22012', statement: statements[2] },
    });
    expect(await value(sum)).toBe(before);
    expect(await value('select count(*) from backfill_ledger.claims')).toBe('0');
  });

  test('two statements in one are a syntax error, not half a task', async () => {
    const before = await value(sum);
    const outcome = await run({ statements: ['delete from sales; select 1'] });
    expect(outcome).toMatchObject({ state: 'failed', error: { kind: 'syntax' } });
    expect(await value(sum)).toBe(before);
  });

  test.each([
    ['a missing table', { table: 'nowhere' }, 'missing', 'does not exist'],
    [
      'a table of another database',
      { table: 'elsewhere.public.sales' },
      'missing',
      'elsewhere.public.sales does not exist',
    ],
    ['a name of too many parts', { table: 'a.b.c.d' }, 'missing', 'does not exist'],
    ['a missing slice column', { column: 'dayz' }, 'missing', 'no column dayz'],
    ['a bound inside a day on a date column', { from: '2026-11-01T06:00:00.000Z' }, 'other', 'inside a UTC day'],
    ['a view', { table: 'orders_view' }, 'other', 'is a view'],
  ])('%s is told before the task runs', async (_what, part, kind, words) => {
    await sql(fixture.warehouse, 'create view orders_view as select * from orders');
    const outcome = await run({ slices: [{ ...job().slices[0], ...part } as UnitJob['slices'][number]] });
    expect(outcome).toMatchObject({ state: 'failed', error: { kind, retryable: false } });
    expect(outcome.state === 'failed' && outcome.error.message).toContain(words);
    expect(outcome.state === 'failed' && outcome.error.remedy).toBeTruthy();
  });

  test('bounds are said in the type of the column', async () => {
    for (const [type, inside, outside] of [
      ['date', "'2026-11-01'", "'2026-11-02'"],
      ['timestamp', "'2026-11-01 23:59:59.9999'", "'2026-11-02 00:00'"],
      ['timestamptz', "'2026-11-01 23:59:59.9999+00'", "'2026-11-02 00:00+00'"],
      ['text', "'2026-11-01'", "'2026-11-02'"],
      ['varchar(10)', "'2026-11-01'", "'2026-11-02'"],
      ['integer', '20261101', '20261102'],
      ['bigint', '20261101', '20261102'],
    ]) {
      await sql(
        fixture.warehouse,
        'drop table if exists typed',
        `create table typed (id int primary key, at ${type})`,
        `insert into typed values (1, ${inside}), (2, ${outside}), (3, null)`,
      );
      const outcome = await run({
        statements: ['delete from typed where id = 1'],
        slices: [{ ...job().slices[0], table: 'typed', column: 'at' } as UnitJob['slices'][number]],
        options: { holdShrinkPercent: undefined, settings: { timezone: 'America/New_York', datestyle: 'SQL, DMY' } },
      });
      expect([type, outcome]).toMatchObject([type, { state: 'changed', slices: [{ before: { rows: 1 } }] }]);
    }
  });

  test('the settings of the scheduler hold for the task and for its predicate', async () => {
    await sql(
      fixture.warehouse,
      'create table stamps (id int primary key, at timestamptz)',
      "insert into stamps values (1, '2026-11-01 04:30+00'), (2, '2026-11-01 05:30+00')",
    );
    const predicate = "at >= '2026-11-01' and at < '2026-11-02'";
    const outcome = await run({
      statements: [`delete from stamps where ${predicate}`],
      slices: [{ ...job().slices[0], table: 'stamps', column: 'at', predicate } as UnitJob['slices'][number]],
      options: { holdShrinkPercent: undefined, settings: { timezone: 'America/Chicago' } },
    });
    expect(outcome).toMatchObject({ state: 'changed', slices: [{ before: { rows: 1 }, removed: 1 }] });
    expect(await value('select id from stamps')).toBe('1');
  });

  test('settings and temporary objects of a task do not reach the next one', async () => {
    await run({
      statements: ["set search_path = 'nowhere'", 'create temp table orders as select 1', 'set role pg_monitor'],
    });
    expect(await run()).toMatchObject({ state: 'unchanged' });
  });

  test('several slices are one unit, and each is recorded', async () => {
    await sql(fixture.warehouse, 'create table totals (day date primary key, amount numeric)');
    const parts = {
      statements: [
        ...job().statements.map(({ text }) => text),
        "delete from totals where day = '2026-11-01'",
        "insert into totals select day, sum(amount) from sales where day = '2026-11-01' group by day",
      ],
      slices: [job().slices[0], { ...job().slices[0], table: 'totals' }] as UnitJob['slices'],
    };
    expect(await run({ ...parts, run: 'both' })).toMatchObject({
      state: 'changed',
      slices: [{ changed: 0 }, { added: 1 }],
    });
    expect(await value("select count(*) from backfill_ledger.versions where run = 'both'")).toBe('2');
    expect(await run(parts)).toMatchObject({ state: 'unchanged' });
  });

  test('a table that the task creates is its own slice', async () => {
    const parts = {
      statements: ['drop table if exists snapshot', 'create table snapshot as select * from orders'],
      slices: [
        { ...job().slices[0], table: 'snapshot', column: undefined, from: undefined, to: undefined, mode: 'create' },
      ] as UnitJob['slices'],
    };
    expect(await run(parts)).toMatchObject({ state: 'changed', slices: [{ before: undefined, after: { rows: 30 } }] });
    expect(await run(parts)).toMatchObject({
      state: 'unchanged',
      slices: [{ before: { rows: 30 }, after: { rows: 30 } }],
    });
  });

  test.each([
    ['by IF NOT EXISTS', 'create table if not exists fresh (like sales)'],
    [
      'in a body that looks for it',
      "do $$ begin if to_regclass('fresh') is null then create table fresh (like sales); end if; end $$",
    ],
    [
      'by a text in a body',
      "do $$ declare n text := 'fresh'; begin execute 'create table if not exists ' || n || ' (like sales)'; end $$",
    ],
  ])('a table that the task makes %s where there is none yet need not be there', async (_, make) => {
    const statements = [
      make,
      "delete from fresh where day = '2026-11-01'",
      "insert into fresh select id, day, amount from orders where day = '2026-11-01'",
    ];
    const parts = { statements, slices: [{ ...job().slices[0], table: 'fresh' }] as UnitJob['slices'] };
    expect(await run(parts)).toMatchObject({ state: 'changed', slices: [{ before: undefined, after: { rows: 10 } }] });
    expect(await run(parts)).toMatchObject({ state: 'unchanged', slices: [{ before: { rows: 10 } }] });
  });

  test.each([
    ['an added column', 'alter table sales add column note text', 'amount, null from', '+note text'],
    ['a dropped column', 'alter table sales drop column amount', '', '-amount numeric(10,2)'],
    ['another type', 'alter table sales alter amount type numeric(12,2)', 'amount from', '+amount numeric(12,2)'],
  ])('%s is a schema change and not changed rows', async (_what, alter, columns, words) => {
    const outcome = await run({
      statements: [
        alter,
        ...job().statements.map(({ text }) =>
          text.replace(columns === '' ? ', amount from' : 'amount from', columns === '' ? ' from' : columns),
        ),
      ],
    });
    expect(outcome).toMatchObject({ state: 'changed', slices: [{ method: 'none', changed: undefined }] });
    expect(outcome.state === 'changed' && outcome.notes.join()).toContain(words);
  });

  test('floats within the tolerance of the run, or of the table, are counted; the checksum stays exact', async () => {
    await sql(
      fixture.warehouse,
      'create table shares (id int primary key, day date not null, v float8)',
      "insert into shares values (1, '2026-11-01', 100), (2, '2026-11-01', 200)",
    );
    const parts = (v: number, floatTolerance?: number) => ({
      statements: [`update shares set v = v + ${v} * id where day = '2026-11-01'`],
      slices: [{ ...job().slices[0], table: 'shares', floatTolerance } as UnitJob['slices'][number]],
      // Each run of it changes the values once more, which is held otherwise.
      options: { floatTolerance: 1e-3, holdShrinkPercent: undefined },
    });
    const near = await run(parts(0.01));
    expect(near).toMatchObject({
      state: 'changed',
      slices: [{ changed: 2, withinTolerance: 2, columns: [{ column: 'v', rows: 2, withinTolerance: 2 }] }],
    });
    const [slice] = near.state === 'changed' ? near.slices : [];
    expect(slice?.after?.rowChecksum).not.toBe(slice?.before?.rowChecksum);
    expect(await run(parts(0.01, 1e-6))).toMatchObject({ slices: [{ changed: 2, withinTolerance: 0 }] });
  });

  test('volatile columns are left out and named; a key made anew each time needs another', async () => {
    await sql(
      fixture.warehouse,
      'create table loads (id int generated always as identity primary key, day date not null, n int not null, loaded timestamptz default clock_timestamp(), unique (day, n))',
      "insert into loads (day, n) values ('2026-11-01', 1), ('2026-11-01', 2)",
    );
    const outcome = await run({
      statements: [
        "delete from loads where day = '2026-11-01'",
        "insert into loads (day, n) values ('2026-11-01', 1), ('2026-11-01', 2)",
      ],
      slices: [{ ...job().slices[0], table: 'loads', volatile: ['id', 'loaded'] } as UnitJob['slices'][number]],
    });
    expect(outcome).toMatchObject({ state: 'unchanged', slices: [{ leftOut: ['id', 'loaded'], key: ['day', 'n'] }] });
  });

  describe('outside the slice', () => {
    const held = { state: 'held', code: 'escaped' };
    const insertInto = (days: string) => `insert into sales select id + 1000, day, amount from orders where ${days}`;

    test('a shifted window with as many rows as before is held with its place', async () => {
      const shifted = job().statements.map(({ text }) =>
        text.replaceAll('2026-11-02', '2026-11-03').replaceAll('2026-11-01', '2026-11-02'),
      );
      await sql(
        fixture.warehouse,
        "insert into orders select id + 100, day + 1, amount from orders where day = '2026-11-01'",
        "insert into sales select id + 100, day + 1, amount from sales where day = '2026-11-01'",
      );
      const outcome = await run({ statements: [...job().statements.map(({ text }) => text), ...shifted] });
      expect(outcome).toMatchObject(held);
      expect(outcome.state === 'held' && outcome.reason).toContain('by day: 2026-11-02 (20 rows), e.g. {');
    });

    test.each([
      [
        'an insert',
        insertInto("day >= '2026-10-31'"),
        'wrote 20 rows of public.sales outside its slice, by day: 2026-10-31 (10 rows), 2026-11-02 (10 rows), e.g. {"id":1000,"day":"2026-10-31","amount":0.00}, {',
      ],
      [
        'an update',
        "update sales set amount = amount + 1 where day = '2026-10-31'",
        'wrote 10 rows of public.sales outside its slice, by day: 2026-10-31 (10 rows), e.g. {',
      ],
      [
        'a deletion',
        'delete from sales where id = 1',
        'took 1 row of public.sales away outside its slice, by day: 2026-10-31 (1 row).',
      ],
      [
        'a row moved out',
        "update sales set day = '2026-10-31' where id = 10",
        'wrote 1 row of public.sales outside its slice, by day: 2026-10-31 (1 row), e.g. {"id":10,',
      ],
      [
        'a row moved in',
        "update sales set day = '2026-11-01' where id = 1",
        'took 1 row of public.sales away outside its slice, by day: 2026-10-31 (1 row).',
      ],
      [
        'a swap',
        'update sales set amount = amount * -1 where id in (1, 2)',
        'wrote 2 rows of public.sales outside its slice, by day: 2026-10-31 (2 rows), e.g. {',
      ],
      [
        'TRUNCATE and all rows but some',
        'truncate sales',
        'took 20 rows of public.sales away outside its slice, by day: 2026-10-31 (10 rows), 2026-11-02 (10 rows).',
      ],
    ])('%s is held and taken back, with the rows by day', async (_what, statement, reason) => {
      const before = await value(sum);
      const statements = [...job().statements.map(({ text }) => text), statement];
      expect(await run({ statements })).toMatchObject({ ...held, reason: expect.stringContaining(reason) });
      expect(await value(sum)).toBe(before);
    });

    test('every table is told, and days of UTC where the slice is cut by instants', async () => {
      await sql(
        fixture.warehouse,
        'create table visits (id int, at timestamptz not null)',
        "set timezone = 'Asia/Tokyo'",
        "insert into visits select n, timestamptz '2026-10-25 23:00Z' + n * interval '1 day' from generate_series(0, 9) n",
      );
      const slice = { ...job().slices[0], table: 'visits', column: 'at' } as UnitJob['slices'][number];
      const outcome = await run({
        slices: [...job().slices, slice],
        statements: ['update visits set id = id + 100', "update sales set amount = 0 where day <> '2026-11-01'"],
        options: { settings: { timezone: 'Asia/Tokyo' } },
      });
      expect(outcome).toMatchObject(held);
      const reason = outcome.state === 'held' ? outcome.reason : '';
      expect(reason).toContain('The task wrote 20 rows of public.sales outside its slice, by day: ');
      expect(reason).toContain(
        'The task wrote 9 rows of public.visits outside its slice, by UTC day of at: 2026-10-25 (1 row), ' +
          '2026-10-26 (1 row), 2026-10-27 (1 row), 2026-10-28 (1 row), 2026-10-29 (1 row) and 4 more, e.g. {"id":100,',
      );
      await sql(fixture.warehouse, 'reset timezone');
    });

    test('rows written and removed again inside the slice are no escape', async () => {
      const [remove, insert] = job().statements.map(({ text }) => text) as [string, string];
      const twice = insert.replace('select id', 'select id + 500');
      const outcome = await run({ statements: [remove, insert, twice, 'delete from sales where id >= 500'] });
      expect(outcome).toMatchObject({ state: 'unchanged' });
    });

    test('an upsert inside the slice is no escape', async () => {
      await sql(fixture.warehouse, 'update orders set amount = 3 where id = 10');
      const upsert =
        "insert into sales select * from orders where day = '2026-11-01' on conflict (id) do update set amount = excluded.amount";
      expect(await run({ statements: [upsert] })).toMatchObject({ state: 'changed', slices: [{ changed: 1 }] });
    });

    test('errors caught inside a function are no escape, and do not hide one', async () => {
      await sql(
        fixture.warehouse,
        `create or replace function retry(outside boolean) returns void language plpgsql as $$ begin
          begin insert into sales values (10, '2026-11-01', 1); exception when unique_violation then null; end;
          if outside then delete from sales where id = 1; end if;
        end $$`,
      );
      const statements = job().statements.map(({ text }) => text);
      expect(await run({ statements: [...statements, 'select retry(false)'] })).toMatchObject({ state: 'unchanged' });
      expect(await run({ statements: [...statements, 'do $$ begin perform retry(false); end $$'] })).toMatchObject({
        state: 'unchanged',
      });
      expect(await run({ statements: [...statements, 'do $$ begin perform retry(true); end $$'] })).toMatchObject(held);
    });

    test('another table, by hand, through a trigger or a cascade, is held', async () => {
      await sql(fixture.warehouse, 'create table log (n int)');
      const statements = job().statements.map(({ text }) => text);
      const direct = await run({ statements: [...statements, 'insert into log values (1)'] });
      expect(direct).toMatchObject(held);
      expect(direct.state === 'held' && direct.reason).toContain('public.log');
      await sql(
        fixture.warehouse,
        'create or replace function note() returns trigger language plpgsql as $$ begin insert into log values (new.id); return new; end $$',
        'create trigger note after insert on sales for each row execute function note()',
      );
      expect(await run()).toMatchObject(held);
      await sql(
        fixture.warehouse,
        'drop trigger note on sales',
        'create table parts (sale int references sales on delete cascade)',
        'insert into parts values (10)',
      );
      const cascade = await run();
      expect(cascade).toMatchObject(held);
      expect(cascade.state === 'held' && cascade.reason).toContain('public.parts');
      expect(await value('select count(*) from log')).toBe('0');
    });

    test('a temporary table, a table of its own and a foreign key are no escape', async () => {
      await sql(
        fixture.warehouse,
        'create table days (day date primary key)',
        'insert into days select distinct day from orders',
        'alter table sales add foreign key (day) references days',
      );
      const [remove, insert] = job().statements.map(({ text }) => text) as [string, string];
      const statements = [
        'create temp table stage as select * from orders',
        'create table work as select 1 as x',
        'insert into work values (2)',
        remove,
        insert.replace('from orders', 'from stage'),
        'drop table work',
      ];
      expect(await run({ statements })).toMatchObject({ state: 'unchanged' });
    });
  });

  test('partitions: rows are counted in the leaves, and a truncated leaf is its slice', async () => {
    await sql(
      fixture.warehouse,
      'create table facts (day date not null, n int) partition by range (day)',
      "create table facts_1 partition of facts for values from ('2026-11-01') to ('2026-11-02')",
      "create table facts_2 partition of facts for values from ('2026-11-02') to ('2026-11-03')",
      "insert into facts select date '2026-11-01' + n % 2, n from generate_series(1, 10) n",
    );
    const slices = [{ ...job().slices[0], table: 'facts' }] as UnitJob['slices'];
    const insert = "insert into facts select date '2026-11-01', n from generate_series(2, 10, 2) n";
    const replace = ["delete from facts where day = '2026-11-01'", insert];
    expect(await run({ slices, statements: replace })).toMatchObject({
      state: 'unchanged',
      slices: [{ method: 'multiset' }],
    });
    expect(await run({ slices, statements: ['truncate facts_1', insert] })).toMatchObject({ state: 'unchanged' });
    expect(await run({ slices, statements: ['truncate facts_2'] })).toMatchObject({ state: 'held', code: 'escaped' });
    expect(await run({ slices, statements: ["update facts set day = '2026-11-02' where n = 2"] })).toMatchObject({
      state: 'held',
    });
  });

  test('quoted and qualified names mean one target', async () => {
    await sql(
      fixture.warehouse,
      'create schema if not exists mart',
      'create table mart."Daily Sales" ("The Day" date, "select" int)',
    );
    const slices = [{ ...job().slices[0], table: 'mart.Daily Sales', column: 'The Day' }] as UnitJob['slices'];
    const statements = ['delete from mart."Daily Sales"', 'insert into mart."Daily Sales" values (\'2026-11-01\', 1)'];
    expect(await run({ slices, statements })).toMatchObject({ state: 'changed', slices: [{ added: 1 }] });
    expect(await run({ slices: [{ ...job().slices[0], table: 'public.sales' }] as UnitJob['slices'] })).toMatchObject({
      state: 'unchanged',
    });
  });
});
