import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../../src/core/ledger/sql-ledger-store.ts';
import { staleSlices } from '../../../src/core/ledger/stale-slices.ts';
import { undoMark } from '../../../src/core/ledger/undo-mark.ts';
import { relationalExecutor } from '../../../src/core/run/relational/relational-executor.ts';
import type { UnitExecutor } from '../../../src/core/run/unit/unit-executor.ts';
import type { JobSlice } from '../../../src/core/run/unit/unit-job.ts';
import {
  engines,
  type Fixture,
  job,
  neverAborted,
  realClock,
  scalar,
  shopTables,
  sql,
  useFixture,
} from '../../support/warehouse-fixture.ts';

const { unit } = job();

describe.each(engines)('undo on %s', (engine) => {
  const fixture = useFixture(engine);
  let executor: UnitExecutor;
  let runs = 0;
  const run = (parts: Parameters<typeof job>[0] = {}) =>
    executor.execute(job({ run: `run-${++runs}`, ...parts }), neverAborted);
  const unheld = { holdShrinkPercent: undefined };
  const undo = (undone: string, parts: Parameters<typeof job>[0] = {}) =>
    run({ statements: [], restores: { run: undone, unit }, ...parts, options: unheld });
  const change = (...statements: readonly string[]) => sql(fixture.warehouse, ...statements);
  const rows = (table = 'sales') =>
    scalar(fixture.warehouse, `select string_agg(${table}::text, ' ' order by ${table}::text) from ${table}`);

  beforeAll(() => {
    executor = relationalExecutor(fixture.warehouse, { clock: realClock, owner: 'tester' });
  });
  beforeEach(() => change('drop table if exists sales, orders cascade', ...shopTables));

  /** Runs after a change of the input; gives the run's id and the rows before it. */
  const changedRun = async (): Promise<{ readonly id: string; readonly before: unknown }> => {
    const id = `changed-${++runs}`;
    const before = await rows();
    await change(
      'update orders set amount = amount + 1 where id between 10 and 12',
      'delete from orders where id = 13',
      "insert into orders values (77, '2026-11-01', 7)",
    );
    expect(await run({ run: id })).toMatchObject({ state: 'changed' });
    return { id, before };
  };

  test('the rows of before are there again, and the ledger says what was done', async () => {
    const { id, before } = await changedRun();
    expect(await undo(id)).toMatchObject({
      state: 'changed',
      slices: [{ added: 1, removed: 1, changed: 3, causes: [{ kind: 'undo', run: id }] }],
    });
    expect(await rows()).toBe(before);
  });

  test('a run after an undo says so, and not that the code changed', async () => {
    const { id } = await changedRun();
    await undo(id, { codeHash: undoMark(id) });
    expect(await run()).toMatchObject({ state: 'changed', slices: [{ causes: [{ kind: 'undo', run: id }] }] });
  });

  test('an undo can be undone', async () => {
    const { id } = await changedRun();
    const after = await rows();
    await undo(id, { run: `undo-${id}` });
    expect(await undo(`undo-${id}`)).toMatchObject({ state: 'changed' });
    expect(await rows()).toBe(after);
  });

  test('an undo is stale, the undo of it is not, and so on', async () => {
    const { id } = await changedRun();
    const ledger = sqlLedgerStore(fixture.warehouse);
    const reasons = async () => {
      const versions = (await ledger.newestVersions()).filter(({ target }) => target === 'public.sales');
      return staleSlices(versions, new Map([['shop.sales', 'code-1']])).flatMap((slice) => slice.reasons);
    };
    expect(await reasons()).toEqual([]);
    let last = id;
    for (const undone of [true, false, true, false]) {
      const next = `undo-${last}`;
      expect(await undo(last, { run: next, codeHash: undoMark(last) })).toMatchObject({ state: 'changed' });
      expect(await reasons()).toEqual(undone ? [{ kind: 'undone', run: id }] : []);
      last = next;
    }
    await ledger.close();
  });

  test('a later run that changed nothing is not in the way', async () => {
    const { id, before } = await changedRun();
    const ledger = sqlLedgerStore(fixture.warehouse);
    expect(await run()).toMatchObject({ state: 'unchanged' });
    expect(await ledger.changedSlices(id)).toMatchObject([{ newerRun: undefined }]);
    await change('update orders set amount = amount + 1 where id = 15');
    const later = `later-${id}`;
    expect(await run({ run: later })).toMatchObject({ state: 'changed' });
    expect(await ledger.changedSlices(id)).toMatchObject([{ newerRun: later }]);
    expect(await undo(later, { run: `undo-${later}`, codeHash: undoMark(later) })).toMatchObject({ state: 'changed' });
    // Its rows are there again.
    expect(await ledger.changedSlices(later)).toMatchObject([{ newerRun: `undo-${later}`, undone: true }]);
    expect(await ledger.changedSlices(id)).toMatchObject([{ newerRun: undefined, undone: false }]);
    expect(await undo(id, { run: `undo-${id}`, codeHash: undoMark(id) })).toMatchObject({ state: 'changed' });
    expect(await rows()).toBe(before);
    expect(await ledger.changedSlices(id)).toMatchObject([{ newerRun: `undo-${id}`, undone: true }]);
    await ledger.close();
  });

  test('of units that write one slice each is undone by itself', async () => {
    const ledger = sqlLedgerStore(fixture.warehouse);
    const whole = { ...job().slices[0], column: undefined, from: undefined, to: undefined } as JobSlice;
    const [one, two] = ['journal@1', 'journal@2'];
    const adding = (id: string, row: number) =>
      run({
        run: 'journals',
        unit: id,
        slices: [{ ...whole, mode: 'append', journal: true }],
        statements: [`insert into sales values (${row}, '2026-11-01', 1)`],
      });
    const before = await rows();
    for (const [id, row] of [[one, 900] as const, [two, 901] as const])
      expect(await adding(String(id), row)).toMatchObject({ state: 'changed' });
    const taking = (id: string | undefined) =>
      undo('journals', {
        run: `undo of ${id}`,
        unit: String(id),
        slices: [whole],
        restores: { run: 'journals', unit: String(id) },
        codeHash: undoMark('journals'),
      });
    expect(await taking(two)).toMatchObject({ state: 'changed' });
    expect(await ledger.changedSlices('journals')).toMatchObject([
      { unit: two, undone: true, newerRun: `undo of ${two}` },
      { unit: one, undone: false, newerRun: undefined },
    ]);
    expect(await taking(one)).toMatchObject({ state: 'changed' });
    expect((await ledger.changedSlices('journals')).every(({ undone }) => undone === true)).toBe(true);
    expect(await rows()).toBe(before);
    await ledger.close();
  });

  test('rows that moved on stay as they are', async () => {
    const { id } = await changedRun();
    await change('update sales set amount = 0 where id = 15');
    const moved = await rows();
    expect(await undo(id)).toMatchObject({
      state: 'failed',
      error: { kind: 'conflict', message: expect.stringContaining(`no longer what run ${id} left`) },
    });
    expect(await rows()).toBe(moved);
  });

  test('rows outside the slice are not touched', async () => {
    const { id } = await changedRun();
    await change("update sales set amount = 0 where day <> '2026-11-01'");
    expect(await undo(id)).toMatchObject({ state: 'changed' });
    expect(await scalar(fixture.warehouse, "select sum(amount) from sales where day <> '2026-11-01'")).toBe('0.00');
  });

  test('what was not kept cannot be put back, and what a table with other columns held neither', async () => {
    await change('update orders set amount = amount + 1 where id = 12');
    await run({ run: 'unkept', options: { keepBeforeRows: 9 } });
    expect(await undo('unkept')).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('were not kept') },
    });
    const { id } = await changedRun();
    await change('alter table sales add column note text');
    expect(await undo(id)).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('columns of the table have changed') },
    });
  });

  test('an empty slice becomes empty again', async () => {
    await change("delete from sales where day = '2026-11-01'");
    await run({ run: 'filled' });
    expect(await undo('filled')).toMatchObject({ state: 'changed', slices: [{ removed: 10 }] });
    expect(await scalar(fixture.warehouse, "select count(*) from sales where day = '2026-11-01'")).toBe('0');
  });

  test('rows that come back are not taken for rows that the task adds', async () => {
    const slices = [{ ...job().slices[0], mode: 'append' }] as JobSlice[];
    await run({ run: 'fewer', statements: ['delete from sales where id = 10'], slices });
    expect(await undo('fewer', { slices })).toMatchObject({ state: 'changed', slices: [{ added: 1 }], notes: [] });
  });

  describe('of a table that the unit made', () => {
    const slices = [
      {
        ...job().slices[0],
        table: 'made',
        column: undefined,
        from: undefined,
        to: undefined,
        predicate: undefined,
        mode: 'create',
        key: [],
      } as JobSlice,
    ];
    const statements = ["create table made as select * from orders where day = '2026-11-01'"];
    const isThere = () => scalar(fixture.warehouse, "select to_regclass('made') is not null");
    const made = async () => {
      const id = `made-${++runs}`;
      await change('drop view if exists seen', 'drop table if exists made, others cascade');
      expect(await run({ run: id, slices, statements })).toMatchObject({ state: 'changed' });
      return id;
    };

    test('the table is dropped while it is what the unit made, and made again by a run', async () => {
      const id = await made();
      expect(await undo(id, { slices })).toMatchObject({
        state: 'changed',
        slices: [{ before: { rows: 10 }, after: { rows: 0 }, removed: 10, causes: [{ kind: 'undo' }] }],
      });
      expect(await isThere()).toBe('f');
      expect(await run({ run: `again-${id}`, slices, statements })).toMatchObject({ state: 'changed' });
      expect(await isThere()).toBe('t');
    });

    test('an empty one too', async () => {
      const id = `made-${++runs}`;
      await change('drop table if exists made cascade');
      const empty = ['create table made (id int)'];
      expect(await run({ run: id, slices, statements: empty })).toMatchObject({ state: 'changed' });
      expect(await undo(id, { slices })).toMatchObject({ state: 'changed' });
      expect(await isThere()).toBe('f');
    });

    test.each<[string, readonly string[], RegExp]>([
      ['it has other rows', ['delete from made where id = 10'], /rows are no longer what run made-\d+ left/],
      ['an index was added', ['create index on made (id)'], /altered anew since/],
      ['a right was given', ['grant select on made to public'], /altered anew since/],
      ['a comment was written', ["comment on table made is 'x'"], /altered anew since/],
      [
        'a trigger was added',
        [
          'create or replace function nil() returns trigger language plpgsql as $$ begin return new; end $$',
          'create trigger t before insert on made for each row execute function nil()',
        ],
        /altered anew since/,
      ],
      [
        'it is another table of the same rows',
        ['create table others as select * from made', 'drop table made', 'alter table others rename to made'],
        /made or altered anew since/,
      ],
      ['a view reads it', ['create view seen as select * from made'], /other objects depend on it by now/],
    ])('it stays where %s', async (_, statements, why) => {
      const id = await made();
      await change('select 1', ...statements);
      expect(await undo(id, { slices })).toMatchObject({
        state: 'failed',
        error: { message: expect.stringMatching(why) },
      });
      expect(await isThere()).toBe('t');
    });
  });

  test('an unchanged slice keeps nothing', async () => {
    await run({ run: 'unchanged' });
    expect(
      await scalar(fixture.warehouse, "select count(*) from backfill_ledger.before_images where run = 'unchanged'"),
    ).toBe('0');
  });

  test('a slice that its unit left as it was needs no rows to be undone', async () => {
    await change(
      'drop table if exists other',
      'create table other (id int, day date)',
      "insert into other values (1, '2026-11-01')",
    );
    const slices = [...job().slices, { ...job().slices[0], table: 'other' } as JobSlice];
    const before = await rows();
    await change('update orders set amount = 5 where id = 12');
    const statements = [
      ...job().statements.map(({ text }) => text),
      "delete from other where day = '2026-11-01'",
      "insert into other values (1, '2026-11-01')",
    ];
    expect(await run({ run: 'two', slices, statements })).toMatchObject({ state: 'changed' });
    const ledger = sqlLedgerStore(fixture.warehouse);
    expect(await ledger.changedSlices('two')).toMatchObject([{ target: 'public.sales', kept: 10 }]);
    await ledger.close();
    expect(await undo('two', { slices })).toMatchObject({ state: 'changed' });
    expect(await rows()).toBe(before);
  });

  test('the predicate of a slice is asked under the settings that the task has', async () => {
    await change(
      'drop table if exists events',
      'create table events (id int primary key, at timestamptz, v int)',
      "insert into events select n, timestamptz '2026-10-31 00:00+00' + n * interval '1 hour', n from generate_series(0, 71) n",
    );
    const predicate = "at >= '2026-11-01' and at < '2026-11-02'";
    const slices = [{ ...job().slices[0], table: 'events', column: 'at', predicate } as JobSlice];
    const before = await rows('events');
    const options = { settings: { timezone: 'Asia/Tokyo' }, holdShrinkPercent: undefined };
    const statements = [`update events set v = v + 1 where ${predicate}`];
    expect(await run({ run: 'zone', slices, options, statements })).toMatchObject({ state: 'changed' });
    const restores = { run: 'zone', unit };
    expect(await run({ slices, options, statements: [], restores })).toMatchObject({
      state: 'changed',
      slices: [{ changed: 24 }],
    });
    expect(await rows('events')).toBe(before);
  });

  test('rows of a table that others inherit from are not moved into it', async () => {
    await change(
      'drop table if exists parent, child cascade',
      'create table parent (id int, day date)',
      'create table child () inherits (parent)',
      "insert into child values (1, '2026-11-01')",
      "insert into parent values (2, '2026-11-01')",
    );
    const slices = [{ ...job().slices[0], table: 'parent' } as JobSlice];
    await run({ run: 'heirs', slices, statements: ['delete from parent where id = 2'] });
    expect(await undo('heirs', { slices })).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('other tables inherit') },
    });
    expect(await scalar(fixture.warehouse, 'select count(*) from child')).toBe('1');
  });

  test('what foreign keys, triggers and a table without a key do is put right or refused, never lost', async () => {
    await change(
      'drop table if exists kids, loose cascade',
      'create table kids (id int references sales (id) on delete cascade)',
      'insert into kids values (12)',
      'create table loose (day date, t text)',
      `insert into loose select '2026-11-01', t from unnest(array['a', 'a', null, 'x\\\\y''"z', repeat('long', 500000)]) t`,
    );
    await change('update orders set amount = 5 where id = 12');
    const upsert = `insert into sales select * from orders where day = '2026-11-01' on conflict (id) do update set amount = excluded.amount`;
    expect(await run({ run: 'kids', statements: [upsert] })).toMatchObject({ state: 'changed' });
    const after = await rows();
    expect(await undo('kids')).toMatchObject({ state: 'changed', slices: [{ changed: 1 }] });
    expect(await scalar(fixture.warehouse, 'select count(*) from kids')).toBe('1');
    expect(await undo(`run-${runs}`)).toMatchObject({ state: 'changed' });
    expect(await rows()).toBe(after);
    const slices = [{ ...job().slices[0], table: 'loose' } as JobSlice];
    const before = await rows('loose');
    await run({ run: 'loose', slices, statements: ["insert into loose values ('2026-11-01', 'a')"], options: unheld });
    expect(await undo('loose', { slices })).toMatchObject({ state: 'changed', slices: [{ removed: 1 }] });
    expect(await rows('loose')).toBe(before);
    await change(
      'create or replace function louder() returns trigger language plpgsql as $$ begin new.t := upper(new.t); return new; end $$',
    );
    await run({ run: 'loud', slices, statements: ["delete from loose where t = 'a'"] });
    await change(
      'create trigger louder before insert on loose for each row execute function louder()',
      'alter table loose enable always trigger louder',
    );
    // What a task has written without a trigger is put back without it.
    expect(await undo('loud', { slices })).toMatchObject({
      state: 'changed',
      notes: [expect.stringContaining('Triggers of the table')],
    });
    expect(await rows('loose')).toBe(before);
    expect(await scalar(fixture.warehouse, "select tgenabled from pg_trigger where tgname = 'louder'")).toBe('A');
    await run({ run: 'loud again', slices, statements: ["delete from loose where t = 'a'"] });
    await change(
      "create or replace function louder() returns trigger language plpgsql as $$ begin raise exception 'closed'; end $$",
    );
    const kept = await rows('loose');
    expect(await undo('loud again', { slices })).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('closed') },
    });
    expect(await rows('loose')).toBe(kept);
  });

  test('rows that others refer to stay where they are, unless the run brought them', async () => {
    await change('drop table if exists kids', 'create table kids (id int references sales (id))');
    const { id, before } = await changedRun();
    const after = await rows();
    await change('insert into kids values (12), (15)');
    expect(await undo(id, { run: `undo-${id}` })).toMatchObject({
      state: 'changed',
      slices: [{ added: 1, removed: 1, changed: 3 }],
    });
    expect(await rows()).toBe(before);
    expect(await undo(`undo-${id}`, { run: `again-${id}` })).toMatchObject({ state: 'changed' });
    expect(await rows()).toBe(after);
    await change('insert into kids values (77)');
    expect(await undo(`again-${id}`)).toMatchObject({ state: 'failed', error: { sqlState: '23503' } });
    expect(await rows()).toBe(after);
    await change('drop table kids');
  });

  test.runIf(engine === 'postgres')(
    'an undo beside a run that works on the slice does nothing, and says who does',
    async () => {
      const { id } = await changedRun();
      const after = await rows();
      let begun = () => {};
      let goOn = () => {};
      const reached = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const released = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const connect: Fixture['warehouse']['connect'] = async (purpose) => {
        const session = await fixture.warehouse.connect(purpose);
        const query: typeof session.query = async (text, values) => {
          if (text === job().statements[0]?.text) {
            begun();
            await released;
          }
          return session.query(text, values);
        };
        return { query, cancel: () => session.cancel(), close: () => session.close() };
      };
      const other = relationalExecutor({ ...fixture.warehouse, connect }, { clock: realClock, owner: 'somebody else' });
      await change('update orders set amount = 5 where id = 12');
      const running = other.execute(job({ run: `other-${id}` }), neverAborted);
      await reached;
      expect(await undo(id)).toMatchObject({ state: 'busy', owner: expect.stringContaining('somebody else') });
      expect(await rows()).toBe(after);
      goOn();
      expect(await running).toMatchObject({ state: 'changed' });
      expect(await undo(id)).toMatchObject({ state: 'failed', error: { kind: 'conflict' } });
      await other.close();
    },
  );

  test('only rows that differ are written', async () => {
    const { id } = await changedRun();
    await change('drop table if exists other', 'create table other as select id, xmin::text as version from sales');
    await undo(id);
    const written = `select string_agg(id::text, ' ' order by id) from sales where (id, xmin::text) not in (select * from other)`;
    expect(await scalar(fixture.warehouse, written)).toBe('10 11 12 13');
  });

  test('values that rows have swapped come back, also where each may be there only once', async () => {
    await change('alter table sales add unique (amount)');
    const before = await rows();
    const swapped = 'case id when 10 then 11 when 11 then 10 else id end';
    const statements = [
      "delete from sales where day >= '2026-11-01' and day < '2026-11-02'",
      `insert into sales select ${swapped}, day, amount from orders where day >= '2026-11-01' and day < '2026-11-02'`,
    ];
    expect(await run({ run: 'swap', statements })).toMatchObject({ state: 'changed', slices: [{ changed: 2 }] });
    expect(await undo('swap')).toMatchObject({ state: 'changed', slices: [{ changed: 2 }] });
    expect(await rows()).toBe(before);
  });

  test('a role that may not UPDATE puts rows back by DELETE and INSERT', async () => {
    const role = `keeper_${engine}`;
    await change(
      `drop role if exists ${role}`,
      `create role ${role}`,
      `grant select, insert, delete on sales, orders to ${role}`,
      `grant usage on schema backfill_ledger to ${role}`,
      `grant all on all tables in schema backfill_ledger to ${role}`,
      `grant all on all sequences in schema backfill_ledger to ${role}`,
    );
    const { id, before } = await changedRun();
    const options = { settings: { role }, holdShrinkPercent: undefined };
    const outcome = await run({ statements: [], restores: { run: id, unit }, options });
    expect(outcome).toMatchObject({ state: 'changed' });
    expect(await rows()).toBe(before);
    await change(`drop owned by ${role}`, `drop role ${role}`);
  });

  test('values of every kind come back to the byte', async () => {
    await change(
      'drop table if exists kinds',
      'drop type if exists mood cascade',
      'drop domain if exists price cascade',
      "create type mood as enum ('so', 'la la')",
      'create domain price as numeric(12, 3) check (value >= 0)',
      `create table kinds (id bigint generated always as identity primary key, day date not null, f4 real, f8 double precision,
        n numeric, p price, m mood, j json, jb jsonb, b bytea, t text, c char(5), a text[], ai int[], ts timestamp,
        tz timestamptz, i interval, o uuid, x xml, r int4range, pt point, g text generated always as (upper(t)) stored)`,
      `insert into kinds (day, f4, f8, n, p, m, j, jb, b, t, c, a, ai, ts, tz, i, o, r, pt) values
        ('2026-11-01', 0.1, '-0', 1.2300, 4.5, 'la la', '{"a" : 1.0,  "a":2}', '{"b": [1, null]}', '\\x00ff5c', E'a"b\\\\c,(\\'d\\')\n\t', 'ab',
         array['x', null, 'y,"z"'], '{{1,2},{3,4}}', '2026-11-01 01:02:03.000004', '2026-11-01 01:02:03.000004+05', '1 mon 2 days 03:04:05.6',
         'b51c0000-0000-4000-8000-000000000001', '[1,5)', '(1.5,-2)'),
        ('2026-11-01', 'NaN', 'Infinity', 'NaN', null, null, null, null, '', '', '', '{}', null, '-infinity', 'infinity', null, null, 'empty', null)`,
    );
    const slice = { ...job().slices[0], table: 'kinds' } as JobSlice;
    const before = await rows('kinds');
    const statements = [
      "delete from kinds where day = '2026-11-01'",
      "insert into kinds (day, t) values ('2026-11-01', 'new')",
    ];
    expect(
      await run({ run: 'kinds', statements, slices: [slice], options: { holdShrinkPercent: undefined } }),
    ).toMatchObject({ state: 'changed' });
    const settings = {
      array_nulls: 'off',
      xmloption: 'document',
      standard_conforming_strings: 'off',
      datestyle: 'SQL, DMY',
    };
    const restores = { run: 'kinds', unit };
    const options = { holdShrinkPercent: undefined, settings };
    // As the run compared it: its default fills the identity.
    const slices = [{ ...slice, volatile: ['id'] }];
    expect(await run({ statements: [], restores, slices, options })).toMatchObject({ state: 'changed' });
    expect(await rows('kinds')).toBe(before);
  });
});
