import { beforeEach, expect, test } from 'vitest';
import { addsTwice } from '../../src/core/lineage/facts/facts.ts';
import { scalar, sql, useFixture } from '../support/warehouse-fixture.ts';
import { workspace } from '../unit/lineage/workspace.ts';

const ddl = [
  'create table t (id int, day date, shop text, n numeric)',
  'create table r (id int primary key, day date not null, shop text not null, n numeric not null)',
  'create table v (id int, v int, day date, primary key (id, v))',
];
const rows = "select id, day, shop, n from r where day = '{{ ds }}'";
const beside = (query: string): string => `create table w as ${query}; drop table t; alter table w rename to t`;
const insert = (what: string, more: string): string =>
  `insert into t select ${what} from r where r.day = '{{ ds }}' ${more}`;

const fixture = useFixture('postgres');
beforeEach(() =>
  sql(
    fixture.warehouse,
    'drop table if exists t, r, v, w',
    ...ddl,
    "insert into r select i, date '2026-11-01' + i % 2, 's' || i % 3, i * 1.5 from generate_series(1, 24) i",
  ),
);

const contents = (table: string) =>
  scalar(fixture.warehouse, `select string_agg(x, e'\\n' order by x) from (select q::text as x from ${table} q) y`);

test.each([
  ['adds', beside(`select * from t union all ${rows}`)],
  [
    'adds',
    `create table w (like t); insert into w select * from t; insert into w ${rows}; drop table t; alter table w rename to t`,
  ],
  ['leaves', beside(`select * from t union ${rows}`)],
  ['leaves', beside(`select * from t where day <> '{{ ds }}' union all ${rows}`)],
  ['leaves', beside(`select * from t where not exists (select 1 from r where r.id = t.id) union all ${rows}`)],
  ['leaves', insert('r.*', 'and not exists (select 1 from t where t.id = r.id)')],
  ['adds', insert('r.id + 1000, day, shop, n', 'and not exists (select 1 from t where t.id = r.id)')],
  ['adds', insert('id, day, upper(shop), n', 'and not exists (select 1 from t where t.id = r.id and t.shop = r.shop)')],
  ['leaves', insert('id, day, upper(shop), n', 'and not exists (select 1 from t where t.shop = upper(r.shop))')],
  ['adds', insert('id, day + 1, shop, n', "and not exists (select 1 from t where t.id = r.id and t.day = '{{ ds }}')")],
  [
    'adds',
    insert("id, day, nullif(shop, 's1'), n", "and not exists (select 1 from t where t.shop = nullif(r.shop, 's1'))"),
  ],
  ['adds', insert('id, day, shop, random()', 'except select * from t')],
  ['leaves', insert('id, day, shop, n', 'except select * from t')],
  ['leaves', insert('id, day, shop, n', "and (select count(*) from t where t.day = '{{ ds }}') = 0")],
  [
    'adds',
    `insert into t select id, day, shop, round(n / 7, 3) from (${rows} except select id, day, shop, n from t) q`,
  ],
  [
    'adds',
    "insert into t select r.id, r.day, r.shop, r.n from r left join (select * from t where day < '{{ ds }}') o on o.id = r.id where r.day = '{{ ds }}' and o.id is null",
  ],
  [
    'leaves',
    "insert into t select r.id, r.day, r.shop, r.n from r left join (select * from t where day = '{{ ds }}') o on o.id = r.id where r.day = '{{ ds }}' and o.id is null",
  ],
  [
    'adds',
    "insert into v select id, (select coalesce(max(v), 0) + 1 from v where day = '{{ ds }}'), day from r where day = '{{ ds }}' on conflict (id, v) do update set day = excluded.day",
  ],
])('a second run %s what is there, as it is said of it: %s', async (does, task) => {
  const { facts } = workspace({ ddl: { tasks: { ddl: ddl.join('; ') } }, d: { tasks: { t: task } } });
  const [write] = facts.get('d.t')?.writes ?? [];
  const table = task.includes('into v') ? 'v' : 't';
  const given = task.replaceAll('{{ ds }}', '2026-11-01').split('; ');
  await sql(fixture.warehouse, ...given);
  const once = await contents(table);
  await sql(fixture.warehouse, ...given);
  expect((await contents(table)) === once ? 'leaves' : 'adds').toBe(does);
  expect(write !== undefined && addsTwice(write) ? 'adds' : 'leaves').toBe(does);
});
