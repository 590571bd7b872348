import { beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseDefinitions } from '../../src/core/pipeline/model/database-definitions.ts';
import { readDefinitions } from '../../src/core/warehouse/catalog/read-definitions.ts';
import { engines, sql, useFixture } from '../support/warehouse-fixture.ts';

const setup = [
  'create schema raw',
  'create schema mart',
  'create schema "Odd"',
  'create table raw.ev (day date, id int, v int)',
  'create table mart.orders (day date, id int, v int)',
  'create table "Odd"."Rows" (day date)',
  'create view mart.v_orders as select * from mart.orders where v > 0',
  'create view mart.over_view as select day, count(*) as n from mart.v_orders group by 1',
  'create materialized view mart.mv as select day, sum(v) as s from raw.ev group by 1',
  'create view "Odd"."Seen" as select day from "Odd"."Rows"',
  `create function mart.cnt(d date) returns bigint language sql stable as
   $$ select count(*) from mart.v_orders where day = d $$`,
  `create function mart.cnt(d date, low int) returns bigint language sql stable as
   $$ select count(*) from mart.orders where day = d and v >= low $$`,
  `create view mart.counted as select day, mart.cnt(day) as n from raw.ev`,
  `create procedure mart.load(p_day date) language plpgsql as $$
   declare found bigint;
   begin
     found := mart.cnt(p_day);
     if found = 0 then delete from mart.orders where day = p_day; end if;
     insert into mart.orders select * from ev where day = p_day;
   end $$`,
  'alter procedure mart.load(date) set search_path to raw',
  `create function mart.dynamic(t text) returns void language plpgsql as $$ begin execute 'truncate ' || t; end $$`,
  'create function mart.loops(n int) returns int language sql as $$ select case when n > 0 then mart.loops(n - 1) end $$',
  'create table mart.parts (day date) partition by range (day)',
  `create table mart.parts_1 partition of mart.parts for values from ('2026-01-01') to ('2026-01-02')`,
  'create table mart.secret (day date, who text)',
  'create table mart.members (who text)',
  'create policy own on mart.secret using (who in (select who from mart.members))',
  'alter table mart.secret enable row level security',
];

describe.each(engines)('definitions of a database on %s', (engine) => {
  const fixture = useFixture(engine);
  beforeAll(async () => {
    await sql(fixture.warehouse, ...setup);
  });

  const read = async (
    { relations = [], routines = [] }: { relations?: readonly string[]; routines?: readonly string[] },
    path = 'public',
  ): Promise<DatabaseDefinitions> => {
    const session = await fixture.warehouse.connect('ledger');
    try {
      await session.query('begin');
      await session.query(`set local search_path to ${path}`);
      const found = await readDefinitions(session, { relations, routines });
      await session.query('rollback');
      return found;
    } finally {
      await session.close();
    }
  };

  test('a view has its query with all schemas, and brings what it reads', async () => {
    const { relations } = await read({ relations: ['over_view', 'raw.ev', 'nothing.here'] }, 'mart');
    const view = relations.get('over_view');
    expect(view).toMatchObject({
      name: 'mart.over_view',
      kind: 'view',
      columns: ['day', 'n'],
      reads: ['mart.v_orders'],
    });
    expect(view?.query).toMatch(/FROM mart\.v_orders/);
    expect(relations.get('mart.v_orders')?.query).toMatch(/FROM mart\.orders/);
    expect(relations.get('mart.orders')).toMatchObject({
      kind: 'table',
      query: undefined,
      columns: ['day', 'id', 'v'],
    });
    expect(relations.get('raw.ev')?.kind).toBe('table');
    expect(relations.has('nothing.here')).toBe(false);
  });

  test('a materialized view is told from a view', async () => {
    const { relations } = await read({ relations: ['mart.mv'] });
    expect(relations.get('mart.mv')).toMatchObject({ kind: 'materialized view', reads: ['raw.ev'] });
  });

  test('names keep their case', async () => {
    const { relations } = await read({ relations: ['Odd.Seen', 'odd.seen'] });
    expect([...relations.keys()].sort()).toEqual(['Odd.Rows', 'Odd.Seen']);
  });

  test('routines bring what their bodies name, overloads together', async () => {
    const { routines, relations } = await read({ routines: ['mart.cnt', 'count', 'lower'] });
    expect([...routines.keys()]).toEqual(['mart.cnt']);
    expect(
      routines
        .get('mart.cnt')
        ?.map(({ parameters }) => parameters.length)
        .sort(),
    ).toEqual([1, 2]);
    expect(
      routines
        .get('mart.cnt')
        ?.flatMap(({ reads }) => reads)
        .sort(),
    ).toEqual(['mart.orders', 'mart.v_orders']);
    expect(relations.get('mart.v_orders')?.kind).toBe('view');
  });

  test('a procedure is read under its own search path, through its blocks', async () => {
    const { routines } = await read({ routines: ['load'] }, 'mart');
    expect(routines.get('load')).toEqual([
      expect.objectContaining({
        name: 'mart.load',
        kind: 'procedure',
        parameters: [{ name: 'p_day', type: 'date' }],
        reads: ['mart.orders', 'raw.ev'],
        calls: ['mart.cnt'],
        isRead: true,
      }),
    ]);
    expect(routines.has('mart.cnt')).toBe(true);
  });

  test('a view brings the functions that it calls, and a routine that calls itself ends', async () => {
    const { relations, routines } = await read({ relations: ['mart.counted'], routines: ['mart.loops'] });
    expect(relations.get('mart.counted')?.calls).toEqual(['mart.cnt']);
    expect(routines.get('mart.cnt')?.map(({ parameters }) => parameters.length)).toEqual([1]);
    expect(routines.get('mart.loops')?.[0]?.calls).toEqual(['mart.loops']);
  });

  test('text that is run as SQL is not taken for read', async () => {
    const { routines } = await read({ routines: ['mart.dynamic'] });
    expect(routines.get('mart.dynamic')?.[0]?.isRead).toBe(false);
  });

  test('a table has its partitions', async () => {
    const { relations } = await read({ relations: ['mart.parts', 'mart.parts_1'] });
    const parts = ['mart.parts', 'mart.parts_1'].map((name) => relations.get(name)?.parts);
    expect(parts).toEqual([['mart.parts_1'], []]);
  });

  test('policies say what they read', async () => {
    const { relations } = await read({ relations: ['mart.secret'] });
    expect(relations.get('mart.secret')).toMatchObject({ hasPolicies: true, reads: ['mart.members'] });
  });

  test('a body in the syntax of SQL is read as one in quotes', async () => {
    await sql(
      fixture.warehouse,
      `create or replace function mart.since(d date) returns bigint language sql stable
       begin atomic select count(*) from mart.orders where day >= d; end`,
      'create or replace function mart.twice(n int) returns int language sql return n * 2',
    );
    const { routines } = await read({ routines: ['mart.since', 'mart.twice'] });
    expect(routines.get('mart.since')?.[0]).toMatchObject({ reads: ['mart.orders'], isRead: true });
    expect(routines.get('mart.since')?.[0]?.body).toMatch(/SELECT count/);
    expect(routines.get('mart.twice')?.[0]?.body).toMatch(/^SELECT \(n \* 2\)/);
  });
});
