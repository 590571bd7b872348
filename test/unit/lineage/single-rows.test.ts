import { describe, expect, it } from 'vitest';
import { readsOf, readsOfSql, workspace } from './workspace.ts';

const s = "'{{ data_interval_start }}'::timestamptz";
const e = "'{{ data_interval_end }}'::timestamptz";
const params = `params as (select ${s} as v_from, ${e} as v_to)`;
const interval = ['src.ts [start, end)'];

describe('values that a query of one row gives a name', () => {
  it.each([
    `with ${params} insert into t select src.a from src, params where ts >= params.v_from and ts < params.v_to`,
    `with ${params} insert into t select src.a from src join params p on ts >= p.v_from and ts < p.v_to`,
    `with ${params} insert into t select src.a from src cross join params where ts >= v_from and ts < v_to`,
    `insert into t with ${params} select src.a from src, params p where ts >= p.v_from and ts < p.v_to`,
    `insert into t select src.a from src, (select ${s} as v_from, ${e} as v_to) p where ts >= p.v_from and ts < p.v_to`,
    `with params(v_from, v_to) as (select ${s}, ${e}) insert into t select a from src, params where ts >= v_from and ts < v_to`,
    `with ${params} insert into t select a from src where ts >= (select v_from from params) and ts < (select v_to from params)`,
    `with p as (select ${s} as day), q as (select day as v_from, ${e} as v_to from p) insert into t select a from src, q where ts >= v_from and ts < v_to`,
    `with ${params}, batch as (select src.* from src, params where ts >= v_from and ts < v_to) insert into t select a from batch`,
    `with ${params} update t set a = src.a from src, params where t.id = src.id and src.ts >= v_from and src.ts < v_to`,
  ])('bound what is read: %s', (sql) => {
    expect(readsOfSql(sql).filter((read) => read.startsWith('src'))).toEqual(interval);
  });

  it('are not known where the row is of a table, and never the whole table', () => {
    expect(
      readsOfSql(
        'with w as (select max(ts) as seen from t) insert into t select a from src, w where src.ts > w.seen',
      )[0],
    ).toMatch(/^src.*cannot be read/);
    expect(
      readsOfSql(
        'insert into t select a from src cross join (select max(ts) as seen from t) w where src.ts > w.seen',
      )[0],
    ).toMatch(/^src.*cannot be read/);
  });

  it('are those of a table where it has more rows: a join by time says nothing of one interval', () => {
    const rows = 'select day, name from dim';
    expect(
      readsOfSql(`with d as (${rows}) insert into t select a from src join d on src.ts >= d.day`).filter((read) =>
        read.startsWith('src'),
      ),
    ).toEqual(readsOfSql('insert into t select a from src').filter((read) => read.startsWith('src')));
  });
});

describe('a common table that a statement inside of the statement reads', () => {
  it.each(['select count(*) from added', 'select (select count(*) from added)', 'select count(*) from added, batch'])(
    'is no table of the database: %s',
    (outer) => {
      const reads = readsOfSql(
        `with batch as (select * from src where ts >= ${s} and ts < ${e}), added as (insert into t select a from batch returning 1) ${outer}`,
      );
      expect(reads).toEqual(interval);
    },
  );

  it('is read whole by it, whatever the statement around asks of it', () => {
    const reads = readsOfSql(
      `with batch as (select * from src), added as (insert into t select a from batch returning 1) select 1 from batch where ts >= ${s} and ts < ${e}`,
    );
    expect(reads).toEqual(readsOfSql('insert into t select * from src'));
  });
});

describe('a bound that does not say of which table', () => {
  const joined = `insert into t select * from orders o join customers c on c.id = o.id where day = '{{ ds }}'`;

  it('is said of both, and neither is said to be read whole', () => {
    expect(readsOfSql(joined)).toEqual([
      'orders the whole table, unless day is its column',
      'customers the whole table, unless day is its column',
    ]);
  });

  it('is of the one whose columns are known', () => {
    expect(readsOfSql(`create table if not exists customers (id int, name text); ${joined}`)).toEqual([
      'orders.day [day of start (UTC), day of start (UTC) + 1 day)',
      'customers the whole table',
    ]);
    expect(readsOfSql(joined.replace('where day', 'where o.day'))).toEqual([
      'orders.day [day of start (UTC), day of start (UTC) + 1 day)',
      'customers the whole table',
    ]);
  });
});

describe('a common table that joins itself behind UNION ALL, without RECURSIVE', () => {
  const tree = (body: string): readonly string[] =>
    readsOf(
      workspace({ d: { dialect: 'ansi', tasks: { t: `with tree as (${body}) insert into t select * from tree` } } }),
      'd.t',
    ).map((read) => read.split(/[. ]/)[0] ?? '');

  it('is no table of the database', () => {
    expect(
      tree(
        'select id from units where parent = 1 union all select u.id from units u inner join tree on u.parent = tree.id',
      ),
    ).toEqual(['units']);
    expect(
      tree('select id from units where parent = 1 union all select u.id from tree join units u on u.parent = tree.id'),
    ).toEqual(['units']);
  });

  it('is one of the same name where it is only added to', () => {
    expect(tree('select id from units union all select id from tree')).toEqual(['units', 'tree']);
    expect(tree('select id from tree')).toEqual(['tree']);
  });
});
