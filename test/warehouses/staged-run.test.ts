import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import type { JobSlice, UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import {
  engines,
  type Fixture,
  job,
  neverAborted,
  openFixture,
  realClock,
  scalar,
  sql,
  useFixture,
} from '../support/warehouse-fixture.ts';

/** A warehouse, and the statements that went over its sessions for units. */
function overheard(warehouse: Warehouse): { readonly warehouse: Warehouse; readonly said: string[] } {
  const said: string[] = [];
  const connect: Warehouse['connect'] = async (purpose) => {
    const session = await warehouse.connect(purpose);
    return {
      ...session,
      query: (text, values) => {
        if (purpose === 'unit') said.push(text);
        return session.query(text, values);
      },
      cancel: () => session.cancel(),
      close: () => session.close(),
    };
  };
  return { warehouse: { ...warehouse, connect }, said };
}

const day = "day = '2026-11-01'";
const slice: JobSlice = {
  table: 'sales',
  column: 'day',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T00:00:00.000Z',
  predicate: day,
  mode: 'delete+insert',
  key: [],
  volatile: [],
};
const whole: JobSlice = { ...slice, column: undefined, from: undefined, to: undefined, predicate: undefined };

describe.each(engines)('a slice that is replaced by the rows of one query, on %s', (engine) => {
  let fixture: Fixture;
  let executor: UnitExecutor;
  let said: string[];
  let runs = 0;
  const change = (...statements: readonly string[]) => sql(fixture.warehouse, ...statements);
  const rows = () => scalar(fixture.warehouse, "select string_agg(s::text, ' ' order by s::text) from sales s");
  const versions = () => scalar(fixture.warehouse, "select string_agg(id || ' ' || xmin, ' ' order by id) from sales");
  const fill = (query: string, columns = '') => [
    `delete from sales where ${day}`,
    `insert into sales ${columns}${query}`,
  ];
  const daily = fill(`select id, day, amount from orders where ${day}`);

  const run = async (statements: readonly string[], parts: Parameters<typeof job>[0] = {}) => {
    said.length = 0;
    const one = job({ run: `run-${++runs}`, slices: [slice], statements, ...parts });
    const outcome = await executor.execute(one, neverAborted);
    const written = (text: string) => said.some((sent) => sent.startsWith(text));
    return {
      outcome,
      staged: written('insert into pg_temp.backfill_stage'),
      asWritten: statements.every((text) => said.includes(text)),
      cleared: said.includes(statements[0] ?? ''),
    };
  };

  beforeAll(async () => {
    fixture = await openFixture(engine);
    const heard = overheard(fixture.warehouse);
    said = heard.said;
    executor = relationalExecutor(heard.warehouse, { clock: realClock, owner: 'tester' });
  });
  afterAll(() => fixture.close());
  beforeEach(() =>
    change(
      'drop schema if exists mart cascade',
      'drop table if exists sales, orders, other, notes cascade',
      'create table orders (id int, day date, amount numeric)',
      'create table sales (id int primary key, day date not null, amount numeric(10, 2))',
      "insert into orders select n, date '2026-10-31' + (n / 10), n * 1.5 from generate_series(0, 29) n",
      'insert into sales select * from orders',
    ),
  );

  test('a key that no operator compares tells no rows apart, and stops nothing', async () => {
    await change(
      'drop domain if exists shade',
      'drop type if exists colour',
      "create type colour as enum ('red', 'blue')",
      'create domain shade as colour',
      "alter table sales add tone shade not null default 'red', add note json, drop constraint sales_pkey",
      'alter table sales add primary key (id, tone)',
    );
    for (const key of [[], ['id', 'note']]) {
      const query = `select id, day, amount + ${key.length}, 'red', '{}' from orders where ${day}`;
      const { outcome } = await run(fill(query), { slices: [{ ...slice, key }] });
      expect(outcome).toMatchObject({ state: 'changed', slices: [{ added: 10, removed: 10, method: 'multiset' }] });
    }
  });

  test('is staged whatever backslashes mean to the scheduler', async () => {
    const settings = { standard_conforming_strings: 'off' };
    expect(await run(daily, { options: { settings } })).toMatchObject({
      outcome: { state: 'unchanged' },
      staged: true,
    });
  });

  test('nothing is written where the rows are there already', async () => {
    const before = await versions();
    expect(await run(daily)).toMatchObject({
      outcome: { state: 'unchanged', slices: [{ added: 0, removed: 0, changed: 0, method: 'key' }], notes: [] },
      staged: true,
      asWritten: false,
      cleared: false,
    });
    expect(await versions()).toBe(before);
    expect(said.filter((text) => /^(delete from|insert into) "public"/.test(text))).toEqual([]);
  });

  test('only rows that differ are written where a key tells rows apart', async () => {
    await change('create table other as select id, xmin::text as version from sales');
    await change(
      'update orders set amount = 99 where id = 12',
      'delete from orders where id = 13',
      "insert into orders values (77, '2026-11-01', 7)",
    );
    const { outcome, ...how } = await run(daily);
    expect(outcome).toMatchObject({
      state: 'changed',
      slices: [{ added: 1, removed: 1, changed: 1, after: { rows: 10 } }],
    });
    expect(how).toEqual({ staged: true, asWritten: false, cleared: false });
    expect(await rows()).toContain('(12,2026-11-01,99.00) (14,2026-11-01,21.00)');
    const written =
      "select string_agg(id::text, ' ' order by id) from sales s where (id, xmin::text) not in (select * from other)";
    expect(await scalar(fixture.warehouse, written)).toBe('12 77');
  });

  test('rows without a key are all written again', async () => {
    await change(
      'alter table sales drop constraint sales_pkey',
      'insert into orders select * from orders where id < 12',
    );
    expect(await run(daily)).toMatchObject({
      outcome: { state: 'changed', slices: [{ added: 2, method: 'multiset' }] },
      staged: true,
      cleared: true,
    });
    expect(await scalar(fixture.warehouse, `select count(*) from sales where ${day}`)).toBe('12');
    expect(await run(daily)).toMatchObject({ outcome: { state: 'unchanged' }, staged: true, cleared: false });
  });

  test('a whole table is not truncated for nothing', async () => {
    const statements = ['truncate sales', 'insert into sales select * from orders'];
    expect(await run(statements, { slices: [whole] })).toMatchObject({
      outcome: { state: 'unchanged' },
      staged: true,
      cleared: false,
    });
    await change('update orders set amount = amount + 1');
    expect(await run(statements, { slices: [whole] })).toMatchObject({
      outcome: { state: 'changed' },
      staged: true,
      cleared: true,
    });
    expect(await scalar(fixture.warehouse, 'select sum(amount) from sales')).toBe('682.50');
  });

  test('the first rows of a slice go where they belong at once', async () => {
    await change(`delete from sales where ${day}`);
    const done = { outcome: { state: 'changed', slices: [{ added: 10, removed: 0 }] }, staged: false, asWritten: true };
    expect(await run(daily)).toMatchObject(done);
  });

  test('a value that was there twice under one key is not taken for once', async () => {
    await change(
      'alter table sales drop constraint sales_pkey',
      'insert into orders select * from orders where id = 12',
    );
    const parts = { slices: [{ ...slice, key: ['id'] }] };
    expect(await run(daily, parts)).toMatchObject({ outcome: { state: 'changed', slices: [{ added: 1 }] } });
    expect(await scalar(fixture.warehouse, 'select count(*) from sales where id = 12')).toBe('2');
  });

  test('what the slice would lose is held', async () => {
    await change(`delete from orders where ${day}`);
    expect(await run(daily)).toMatchObject({ outcome: { state: 'held', code: 'empty' }, staged: true });
    expect(await scalar(fixture.warehouse, `select count(*) from sales where ${day}`)).toBe('10');
  });

  test('rows outside the slice are told as ever', async () => {
    const statements = fill(
      `select id + 100, day + 1, amount from orders where ${day} union all select id, day, amount from orders where ${day}`,
    );
    expect(await run(statements)).toMatchObject({
      outcome: {
        state: 'held',
        code: 'escaped',
        reason: expect.stringContaining(
          'The task wrote 10 rows of public.sales outside its slice, by day: 2026-11-02 (10 rows), e.g. {"id":110,',
        ),
      },
      staged: true,
    });
    expect(await scalar(fixture.warehouse, 'select count(*) from sales')).toBe('30');
  });

  test('defaults, casts and generated columns come out as they would in the target', async () => {
    await change(
      'create domain cents as numeric(10, 2) check (value >= 0)',
      "alter table sales alter amount type cents, add note varchar(3) default 'abc', add twice numeric generated always as (amount * 2) stored",
    );
    const statements = fill(`select id, day, amount + 0.001 from orders where ${day}`, '(id, day, amount) ');
    expect(await run(statements)).toMatchObject({ outcome: { state: 'unchanged' }, staged: true, asWritten: false });
    await change('update orders set amount = 3.14159 where id = 11');
    expect(await run(statements)).toMatchObject({
      outcome: { state: 'changed', slices: [{ changed: 1 }] },
      staged: true,
    });
    expect(await scalar(fixture.warehouse, 'select s::text from sales s where id = 11')).toBe(
      '(11,2026-11-01,3.14,abc,6.28)',
    );
    await change('drop table sales', 'drop domain cents');
  });

  test('partitions and foreign keys of the target itself do no harm', async () => {
    await change(
      'drop table sales',
      'create table other (id int primary key)',
      'insert into other select generate_series(0, 29)',
      'create table sales (id int references other, day date not null, amount numeric(10, 2), primary key (id, day)) partition by range (day)',
      "create table sales_1 partition of sales for values from ('2026-10-31') to ('2026-11-02')",
      'create table sales_2 partition of sales default',
      'insert into sales select * from orders',
    );
    expect(await run(daily)).toMatchObject({ outcome: { state: 'unchanged' }, staged: true, cleared: false });
    await change('update orders set amount = 3 where id = 11');
    expect(await run(daily)).toMatchObject({
      outcome: { state: 'changed', slices: [{ changed: 1 }] },
      staged: true,
      cleared: false,
    });
    await change('update orders set id = 70 where id = 12');
    const { outcome, staged } = await run(daily);
    expect(staged).toBe(true);
    expect(outcome).toMatchObject({
      state: 'failed',
      error: { kind: 'constraint', sqlState: '23503', statement: daily[1] },
    });
  });

  test.each<[string, readonly string[]]>([
    [
      'triggers',
      [
        'create function noop() returns trigger language plpgsql as $$ begin return new; end $$',
        'create trigger t before insert on sales for each row execute function noop()',
      ],
    ],
    [
      'rules',
      [
        'create table notes (n int)',
        'create rule r as on delete to sales do also insert into notes select 1 where false',
      ],
    ],
    ['rows that refer to it', ['create table other (id int references sales on delete cascade)']],
    ['heirs', ['create table other () inherits (sales)']],
    ['identity columns', ['alter table sales add serial bigint generated by default as identity']],
    ['numbers from a sequence', ['alter table sales add serial bigserial']],
    ['row security', ['alter table sales enable row level security']],
  ])('a target with %s is left to the task itself', async (_, statements) => {
    await change(...statements);
    const done = await run(fill(`select id, day, amount from orders where ${day}`, '(id, day, amount) '));
    expect(done).toMatchObject({ staged: false, asWritten: true });
  });

  test.each<[string, readonly string[], string]>([
    [
      'a view',
      ['create view seen as select * from sales'],
      `select id, day, amount from orders where ${day} and not exists (select from seen where day = '2026-11-01')`,
    ],
    [
      'a function',
      [
        "create or replace function had() returns bigint stable language plpgsql as $$ begin return (select count(*) from public.sales where day = '2026-11-01'); end $$",
      ],
      `select id, day, amount + had() from orders where ${day}`,
    ],
    [
      'a default',
      [
        "create or replace function had() returns bigint stable language plpgsql as $$ begin return (select count(*) from public.sales where day = '2026-11-01'); end $$",
        'alter table sales alter amount set default had()',
      ],
      '',
    ],
  ])('a query that sees the target through %s sees it emptied', async (_, statements, query) => {
    await change('drop function if exists had cascade', ...statements);
    const task = query === '' ? fill(`select id, day from orders where ${day} and id = 10`, '(id, day) ') : fill(query);
    const { staged, asWritten, outcome } = await run(task, { options: { holdShrinkPercent: undefined } });
    expect({ staged, asWritten }).toEqual({ staged: true, asWritten: true });
    expect(outcome).toMatchObject(query === '' ? { state: 'changed' } : { state: 'unchanged' });
    if (query === '') expect(await scalar(fixture.warehouse, 'select amount from sales where id = 10')).toBe('0.00');
  });

  test('what a function writes beside it is told as ever', async () => {
    await change(
      'create table notes (n int)',
      'create or replace function note() returns int language plpgsql as $$ begin insert into public.notes values (1); return 0; end $$',
    );
    expect(await run(fill(`select id, day, amount + note() from orders where ${day}`))).toMatchObject({
      outcome: {
        state: 'held',
        code: 'escaped',
        reason: expect.stringContaining('public.notes, which it does not declare: 10 inserted'),
      },
      staged: true,
    });
    expect(await scalar(fixture.warehouse, 'select count(*) from notes')).toBe('0');
  });

  test.each<[string, string]>([
    ['puts in', 'insert into public.notes values (1)'],
    ['takes away', 'delete from public.notes'],
  ])('what a function %s beside it is held where the server counts no rows', async (_, inside) => {
    if (engine === 'pglite') return;
    await change(
      'create table notes (n int)',
      'insert into notes values (7)',
      `create or replace function note() returns int language plpgsql as $$ begin ${inside}; return 0; end $$`,
    );
    expect(
      await run(fill(`select id, day, amount + note() from orders where ${day}`), {
        options: { settings: { track_counts: 'off' } },
      }),
    ).toMatchObject({
      outcome: {
        state: 'held',
        code: 'escaped',
        reason: expect.stringMatching(/writer on public\.notes, which it does not declare, .* counts no rows/),
      },
    });
    expect(await scalar(fixture.warehouse, 'select count(*) from notes')).toBe('1');
    expect(
      await run(fill(`select id, day, amount + 1 from orders where ${day}`), {
        options: { settings: { track_counts: 'off' } },
      }),
    ).toMatchObject({ outcome: { state: 'changed' } });
  });

  test.each<[string, string, readonly string[]]>([
    ['a NULL', `select id, null, amount from orders where ${day}`, []],
    ['a value too long', `select id, day, 1e12 from orders where ${day}`, []],
    ['a duplicate', `select 10, day, amount from orders where ${day}`, []],
    ['a row of another slice', `select id - 10, day, amount from orders where ${day}`, []],
    ['a failed check', `select id, day, -1 from orders where ${day}`, ['alter table sales add check (amount >= 0)']],
    ['a division by zero', `select id, day, 1 / (id - 12) from orders where ${day}`, []],
    ['no such column', 'select id, day, none from orders', []],
    ['too many columns', 'select id, day, amount, 1 from orders', []],
  ])('%s fails in the words of the task itself', async (_, query, statements) => {
    await change(...statements);
    const before = await rows();
    const staged = await run(fill(query));
    const plain = await run([...fill(query), 'select 1']);
    expect(plain).toMatchObject({ outcome: { state: 'failed' }, staged: false });
    const error = (outcome: typeof plain.outcome) => (outcome.state === 'failed' ? outcome.error : outcome);
    expect(error(staged.outcome)).toEqual(error(plain.outcome));
    expect(await rows()).toBe(before);
  });

  test('a constraint that is checked at the end is', async () => {
    await change(
      'alter table sales drop constraint sales_pkey',
      'alter table sales add primary key (id) deferrable initially deferred',
      'update orders set id = 10 where id = 11',
    );
    expect(await run(daily)).toMatchObject({ outcome: { state: 'failed', error: { sqlState: '23505' } } });
  });

  test('a load time that is left out of the comparison is written with every row, or with none', async () => {
    await change('alter table sales add loaded timestamptz default now()');
    const statements = fill(`select id, day, amount, clock_timestamp() from orders where ${day}`);
    const parts = { slices: [{ ...slice, volatile: ['loaded'] }] };
    expect(await run(statements, parts)).toMatchObject({ outcome: { state: 'unchanged' }, cleared: false });
    await change('update orders set amount = 3 where id = 11');
    await change('create table other as select max(loaded) as loaded from sales');
    expect(await run(statements, parts)).toMatchObject({
      outcome: { state: 'changed', slices: [{ changed: 1 }] },
      cleared: true,
    });
    expect(
      await scalar(fixture.warehouse, 'select count(*) from sales where loaded > (select loaded from other)'),
    ).toBe('10');
  });

  test('the way back is kept', async () => {
    const before = await rows();
    await change('update orders set amount = 99 where id = 12');
    const changed = `run-${runs + 1}`;
    await run(daily, { run: changed });
    const restores: UnitJob['restores'] = { run: changed, unit: job().unit };
    const back = await run([], { restores, options: { holdShrinkPercent: undefined } });
    expect(back).toMatchObject({ outcome: { state: 'changed', slices: [{ changed: 1 }] }, staged: false });
    expect(await rows()).toBe(before);
  });

  test('of a slice whose rows mostly stay only those that went, came or changed are kept', async () => {
    const before = await rows();
    await change(
      'update orders set amount = 77 where id = 12',
      'delete from orders where id = 13',
      "insert into orders values (500, '2026-11-01', 5), (501, '2026-11-01', 6)",
    );
    const changed = `run-${runs + 1}`;
    expect(await run(daily, { run: changed })).toMatchObject({
      outcome: { slices: [{ added: 2, removed: 1, changed: 1 }] },
      staged: true,
    });
    const kept = `select count(*) filter (where not added) || ' ' || count(*) filter (where added)
      from backfill_ledger.before_rows where run = '${changed}'`;
    expect(await scalar(fixture.warehouse, kept)).toBe('2 2');
    const restores: UnitJob['restores'] = { run: changed, unit: job().unit };
    const back = await run([], { restores, options: { holdShrinkPercent: undefined } });
    expect(back).toMatchObject({ outcome: { state: 'changed', slices: [{ added: 1, removed: 2, changed: 1 }] } });
    expect(await rows()).toBe(before);
  });

  test('where all rows became others, all are kept as they were', async () => {
    await run(daily);
    const before = await rows();
    await change('update orders set amount = amount + 1000');
    const changed = `run-${runs + 1}`;
    await run(daily, { run: changed });
    const kept = `select count(*) || ' ' || count(distinct line) || ' ' || bool_or(added) from backfill_ledger.before_rows where run = '${changed}'`;
    const count = await scalar(
      fixture.warehouse,
      `select row_count from backfill_ledger.before_images where run = '${changed}'`,
    );
    expect(await scalar(fixture.warehouse, kept)).toBe(`${count} ${count} false`);
    const restores: UnitJob['restores'] = { run: changed, unit: job().unit };
    expect(await run([], { restores, options: { holdShrinkPercent: undefined } })).toMatchObject({
      outcome: { state: 'changed' },
    });
    expect(await rows()).toBe(before);
  });

  test('a part that was kept puts nothing back where the slice is another one by now', async () => {
    await run(daily);
    await change('update orders set amount = 31 where id = 14');
    const changed = `run-${runs + 1}`;
    await run(daily, { run: changed });
    await change('update sales set amount = 32 where id = 15');
    const now = await rows();
    const restores: UnitJob['restores'] = { run: changed, unit: job().unit };
    expect(await run([], { restores, options: { holdShrinkPercent: undefined } })).toMatchObject({
      outcome: { state: 'failed', error: { message: expect.stringContaining('no longer what run') } },
    });
    expect(await rows()).toBe(now);
  });
});

describe('beside other writers', () => {
  const fixture = useFixture('postgres');

  test('rows that come into the slice meanwhile go as they would', async () => {
    await sql(
      fixture.warehouse,
      'create table orders (id int, day date, amount numeric)',
      'create table sales (id int primary key, day date not null, amount numeric(10, 2))',
      "insert into orders select n, date '2026-11-01', n from generate_series(1, 10) n",
      'insert into sales select id, day, 0 from orders where id < 10',
      'insert into sales select id, day, amount from orders where id = 10',
    );
    let once = 0;
    const connect: Warehouse['connect'] = async (purpose) => {
      const session = await fixture.warehouse.connect(purpose);
      return {
        query: async (text, values) => {
          if (
            text.startsWith('create temporary table pg_temp.backfill_pairs') ||
            text.startsWith(`delete from sales`)
          ) {
            if (once++ === 0) await sql(fixture.warehouse, "insert into sales values (99, '2026-11-01', 99)");
          }
          return session.query(text, values);
        },
        cancel: () => session.cancel(),
        close: () => session.close(),
      };
    };
    const executor = relationalExecutor({ ...fixture.warehouse, connect }, { clock: realClock, owner: 'tester' });
    const statements = [
      `delete from sales where ${day}`,
      `insert into sales select id, day, amount from orders where ${day}`,
    ];
    const outcome = await executor.execute(job({ run: 'r', slices: [slice], statements }), neverAborted);
    expect(outcome).toMatchObject({ state: 'changed' });
    expect(once).toBeGreaterThan(0);
    expect(
      await scalar(fixture.warehouse, "select string_agg(id || '=' || amount::int, ' ' order by id) from sales"),
    ).toBe('1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9 10=10');
  });
});
