import { beforeEach, describe, expect, test } from 'vitest';
import { proveUnit, type UnitProof } from '../../src/core/run/relational/prove/prove.ts';
import type { JobSlice } from '../../src/core/run/unit/unit-job.ts';
import {
  engines,
  job,
  neverAborted,
  realClock,
  scalar,
  shopTables,
  sql,
  useFixture,
} from '../support/warehouse-fixture.ts';

const empty = "delete from sales where day = '2026-11-01'";
const day = "day = '2026-11-01'";

describe.each(engines)('running a unit twice on %s', (engine) => {
  const fixture = useFixture(engine);
  const prove = (statements: readonly string[], parts: Parameters<typeof job>[0] = {}): Promise<UnitProof> =>
    proveUnit(fixture.warehouse, { clock: realClock, owner: 'tester' }, job({ ...parts, statements }), {
      signal: neverAborted,
      timeBoxMs: 60_000,
    });
  const kind = async (statements: readonly string[]) => (await prove(statements)).verdict.kind;

  beforeEach(() =>
    sql(
      fixture.warehouse,
      'drop table if exists sales, orders, parts cascade',
      ...shopTables,
      'create table parts (k int, n int)',
      'insert into parts select i % 50, i from generate_series(1, 20000) i',
    ),
  );

  test('an interval without rows puts nothing to the proof', async () => {
    await sql(fixture.warehouse, `delete from orders where ${day}`, `delete from sales where ${day}`);
    const adds = [`insert into sales select * from orders where ${day}`];
    expect(await prove(adds)).toMatchObject({
      verdict: { kind: 'no-difference' },
      notCovered: expect.arrayContaining(['rows of sales: this interval has none']),
    });
    const whole = { column: undefined, from: undefined, to: undefined, key: [], mode: 'append' as const };
    const shared = 'each interval adds its rows';
    const slices = [{ ...(job().slices[0] as JobSlice), ...whole, shared }];
    expect(await prove(adds, { slices })).toMatchObject({
      notCovered: expect.arrayContaining(['rows of sales: this interval added none']),
    });
  });

  test.each<[string, readonly string[]]>([
    ['a slice that is deleted and filled again', [empty, `insert into sales select * from orders where ${day}`]],
    [
      'a first run that changes everything',
      [empty, `insert into sales select id, day, amount * 3 from orders where ${day}`],
    ],
    [
      'an upsert',
      [`insert into sales select * from orders where ${day} on conflict (id) do update set amount = excluded.amount`],
    ],
    [
      'a clock that only bounds what no row reaches',
      [empty, `insert into sales select * from orders where ${day} and day < now() + interval '9 years'`],
    ],
    ['a day without rows', [empty]],
    [
      'a column that has its name from the clock',
      [
        empty,
        `insert into sales select id, day, amount from (select orders.*, now(), current_date from orders) s where ${day} and s.now is not null and s."current_date" is not null`,
      ],
    ],
    [
      'clocks in every form, grouped and sorted by',
      [
        empty,
        `insert into sales select id, day, min(amount) from orders where ${day} and now()::date > current_date - 3
         and extract(epoch from now()) > 0 and now() at time zone 'UTC' > localtimestamp(0) - interval '9 days'
         and localtime is not null and current_time(2) is not null and age(now()) is not null
         and date_trunc('day', current_timestamp(0)) is not null group by id, day, now(), current_date order by now()`,
      ],
    ],
    [
      'clocks where no query may stand',
      [
        'drop table if exists stamped',
        'create table stamped (a timestamptz default now(), b date default current_date)',
        'prepare day_of(date) as select $1',
        'execute day_of(current_date)',
        empty,
        `insert into sales select * from orders where ${day}`,
      ],
    ],
    [
      'temporary tables, prepared statements and settings of its own',
      [
        "set timezone = 'Asia/Tokyo'",
        'create temp table stage as select * from orders',
        'create temp table kept on commit drop as select * from stage',
        `prepare fill as insert into sales select * from kept where ${day}`,
        empty,
        'execute fill',
      ],
    ],
  ])('%s leaves the same rows', async (_, statements) => {
    const before = await scalar(fixture.warehouse, "select string_agg(sales::text, ' ' order by id) from sales");
    expect(await kind(statements)).toBe('no-difference');
    expect(await scalar(fixture.warehouse, "select string_agg(sales::text, ' ' order by id) from sales")).toBe(before);
  });

  test.each<[string, readonly string[]]>([
    ['an addition to what is there', [`update sales set amount = amount + 1 where ${day}`]],
    ['random values', [empty, `insert into sales select id, day, random() * 100 from orders where ${day}`]],
    [
      'a value of now(), which stands still inside a transaction',
      [empty, `insert into sales select id, day, extract(epoch from now())::int % 100000 from orders where ${day}`],
    ],
    [
      'a filter on current_date',
      [empty, `insert into sales select * from orders where ${day} and mod(current_date - date '2026-01-01', 2) = 0`],
    ],
    [
      'a pick among ties',
      [empty, `insert into sales select distinct on (k) k + 1000, date '2026-11-01', n from parts order by k`],
    ],
    [
      'rows of a LIMIT without an order',
      [empty, `insert into sales select n + 1000, date '2026-11-01', k from parts group by n, k limit 7`],
    ],
  ])('%s leaves other rows', async (_, statements) => {
    const before = await scalar(fixture.warehouse, "select string_agg(sales::text, ' ' order by id) from sales");
    const { verdict } = await prove(statements);
    expect(verdict).toMatchObject({ kind: 'different', slices: [{ table: 'sales' }] });
    expect(await scalar(fixture.warehouse, "select string_agg(sales::text, ' ' order by id) from sales")).toBe(before);
  });

  test('the proof has the rows, the columns, the statement and what was varied', async () => {
    const insert = `insert into sales select id, day, extract(epoch from now())::int % 100000 from orders where ${day}`;
    const { verdict, varied } = await prove([empty, insert]);
    expect(verdict).toMatchObject({
      kind: 'different',
      under: expect.stringContaining('now'),
      slices: [{ changed: 10, columns: [{ column: 'amount', rows: 10 }] }],
      statements: [{ text: empty }, { text: insert }],
    });
    expect(varied).toContain('now a day, an hour and a second later');
    // Nothing that was made different is to blame where runs as written differ too.
    const adds = `insert into sales select (select coalesce(max(id), 0) from sales) + id, day, 1 from orders where ${day}`;
    expect((await prove([adds])).verdict).toMatchObject({ kind: 'different', under: undefined });
  });

  test('rows outside the slice, a failing statement and a task that cannot run so are said', async () => {
    expect(await prove(['update sales set amount = 0'])).toMatchObject({ verdict: { kind: 'outside' } });
    expect(await prove(['insert into nowhere values (1)'])).toMatchObject({
      verdict: { kind: 'failed', error: { message: expect.stringContaining('nowhere') } },
    });
    expect(await prove(['rollback'])).toMatchObject({ verdict: { kind: 'failed', error: { kind: 'refused' } } });
  });

  test('a clock inside a view is seen by the planner, not moved, and said', async () => {
    await sql(fixture.warehouse, 'create view recent as select * from orders where day <= current_date');
    const { verdict, notCovered } = await prove([empty, `insert into sales select * from recent where ${day}`]);
    expect(verdict).toEqual({ kind: 'no-difference' });
    expect(notCovered).toEqual(['current_date inside a view, a function or a default']);
  });

  test('bodies that the planner does not see into are said', async () => {
    await sql(
      fixture.warehouse,
      'create or replace function stamped() returns trigger language plpgsql as $$ begin new.amount := extract(day from now()); return new; end $$',
      'create or replace function late(d date) returns boolean language plpgsql stable as $$ begin return d > now(); end $$',
      'create trigger stamped before insert on sales for each row execute function stamped()',
    );
    const { notCovered } = await prove([
      empty,
      `insert into sales select * from orders where ${day} and not late(day)`,
      "do 'begin perform now(); end'",
    ]);
    expect(notCovered).toEqual([
      'clock calls inside DO, CALL and EXECUTE',
      'clock calls inside the function late',
      'clock calls inside triggers of public.sales',
    ]);
  });

  test('a call in a literal is none', async () => {
    await sql(fixture.warehouse, 'alter table sales add column note text');
    const { notCovered, varied } = await prove([
      empty,
      `insert into sales select id, day, amount, 'now() random() CURRENT_DATE' from orders where ${day}`,
    ]);
    expect(notCovered).toEqual([]);
    expect(varied.join()).not.toContain('now');
  });

  // The embedded database has one session: nobody else can hold a lock there.
  if (engine === 'postgres') {
    test('a table that somebody else holds is said, and no statement passed over for it', async () => {
      const other = await fixture.warehouse.connect('unit');
      try {
        await other.query('begin');
        await other.query('lock table orders in access exclusive mode');
        const held = prove([empty, `insert into sales select * from orders where ${day}`], {
          options: { lockTimeoutMs: 100 },
        });
        expect(await held).toMatchObject({ verdict: { kind: 'failed', error: { kind: 'timeout' } } });
      } finally {
        await other.close();
      }
    });
  }

  test('a cancelled proof keeps nothing', async () => {
    const controller = new AbortController();
    const proof = proveUnit(
      fixture.warehouse,
      { clock: realClock, owner: 'tester' },
      job({ statements: [empty, 'select pg_sleep(30)'] }),
      { signal: controller.signal, timeBoxMs: 60_000 },
    );
    setTimeout(() => controller.abort(), 300);
    expect((await proof).verdict.kind).toBe('cancelled');
    expect(await scalar(fixture.warehouse, 'select count(*) from sales')).toBe('30');
  });
});
