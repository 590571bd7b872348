import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addsTwice, changedColumn, surelyAgain } from '../../src/core/lineage/facts/facts.ts';
import { lawRuns } from '../support/laws.ts';
import { scalar, sql, useFixture } from '../support/warehouse-fixture.ts';
import { workspace } from '../unit/lineage/workspace.ts';

const one = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const day = "day = '{{ ds }}'";

/** Conditions that tie a row of the target to one that comes in. */
const ties = one(
  't.id = r.id',
  't.id = r.id and t.day = r.day',
  't.shop = r.shop',
  't.shop is not distinct from r.shop',
  "t.id = r.id and t.day = '{{ ds }}'",
  "t.id = r.id and t.day = date '{{ ds }}' - 1",
  't.id = r.id and t.n = r.n',
  't.id = r.id and t.n > 0',
);
const given = one(
  'r.id, r.day, r.n, r.shop',
  'r.id, r.day, r.n + 1, r.shop',
  "r.id, date '{{ ds }}', r.n, r.shop",
  'r.id + 100, r.day, r.n, r.shop',
  'r.id, r.day, r.n, upper(r.shop)',
);
const insert = (what: string, more: string, from = 'r'): string =>
  `insert into t (id, day, n, shop) select ${what} from ${from} where r.${day} ${more}`;
const guarded = fc
  .tuple(ties, given, one('not exists', 'left join', 'not in'))
  .map(([tie, what, way]) =>
    way === 'not exists'
      ? insert(what, `and not exists (select 1 from t where ${tie})`)
      : way === 'left join'
        ? insert(what, 'and t.day is null', `r left join t on ${tie}`)
        : insert(what, `and r.id not in (select t.id from t where ${tie.replace(/r\.(\w+)/g, 'r.$1')})`),
  );
const first = one(
  '',
  `with d as (delete from t where ${day} returning *) `,
  `with d as (delete from t where ${day} and n > 3 returning *) `,
  'with d as (update t set n = r.n from r where r.id = t.id returning t.id) ',
);
const inOne = fc.tuple(first, guarded).map(([before, statement]) => before + statement);
const upsert = fc
  .tuple(
    one(
      'update t set n = r.n, shop = r.shop from r where r.id = t.id',
      `update t set n = r.n from r where r.id = t.id and r.${day}`,
    ),
    one(
      'not exists (select 1 from up where up.id = r.id)',
      'r.id not in (select id from up)',
      'not exists (select 1 from up where up.id = r.id + 1)',
    ),
  )
  .map(
    ([update, none]) => `with up as (${update} returning t.id) ${insert('r.id, r.day, r.n, r.shop', `and ${none}`)}`,
  );

const asked = one(`t.${day}`, "t.day = date '{{ ds }}' - 1", `t.${day} and t.n > 100`, 't.n > 5', 'true');
const bodies = fc.tuple(asked, one('if', 'count', 'return', 'perform', 'variable'), given).map(([which, way, what]) => {
  const rows = insert(what, '');
  const found = `select 1 from t where ${which}`;
  const body = {
    if: `begin if not exists (${found}) then ${rows}; end if; end`,
    count: `begin if (select count(*) from t where ${which}) = 0 then ${rows}; end if; end`,
    return: `begin if exists (${found}) then return; end if; ${rows}; end`,
    perform: `begin perform 1 from t where ${which}; if not found then ${rows}; end if; end`,
    variable: `declare c int; begin select count(*) into c from t where ${which}; if c = 0 then ${rows}; end if; end`,
  }[way];
  return `do $$ ${body} $$`;
});

const value = one('v + 1', 'v * 2', 'v', 'greatest(v, 3)', 'least(v, 4)', '5', 'abs(v)', '-v', 'v - v');
const carried = fc
  .tuple(value, value, one('t', 'r'), one('select', 'assign', 'loop', 'declare', 'execute'))
  .map(([inner, outer, from, way]) => {
    const read = `select n from ${from} where id = 3`;
    const set = `update t set n = ${outer} where id = 3`;
    const body = {
      select: `declare v numeric; begin ${read.replace('select n', 'select n into v')}; v := ${inner}; ${set}; end`,
      assign: `declare v numeric; begin v := (${read}); v := ${inner}; ${set}; end`,
      loop: `declare q record; v numeric; begin for q in select id, n from ${from} where ${day} loop v := q.n; v := ${inner}; update t set n = ${outer} where id = q.id; end loop; end`,
      declare: `declare v numeric := (${read}); begin v := ${inner}; ${set}; end`,
      execute: `declare v numeric; begin ${read.replace('select n', 'select n into v')}; v := ${inner}; ${set}; execute 'update t set n = $1 where id = 3' using ${outer}; end`,
    }[way];
    return `do $$ ${body} $$`;
  });

const chosen = fc
  .tuple(one('max', 'min', 'avg'), one('=', '<', '>', '<=', '>=', '<>'), one('n', 'id'), one('', ` where ${day}`))
  .map(
    ([what, sign, column, which]) => `delete from t where ${column} ${sign} (select ${what}(${column}) from t${which})`,
  );
const ordered = fc
  .tuple(one('in', 'not in'), one('n, id', 'id desc', 'id'), one(1, 2))
  .map(([way, order, count]) => `delete from t where id ${way} (select id from t order by ${order} limit ${count})`);
const numbered = fc
  .tuple(
    one('row_number()', 'rank()', 'count(*)', 'percent_rank()'),
    one('partition by day order by id', 'order by n, id', 'partition by shop'),
    one('= 1', '> 1', '> 0.8'),
  )
  .map(
    ([what, over, test_]) =>
      `delete from t using (select id, ${what} over (${over}) as x from t) y where y.id = t.id and y.x ${test_}`,
  )
  .filter((text) => !(/rank/.test(text) && !/order by/.test(text)));
const byKey = fc
  .tuple(
    one('', ' and r.n > 5', ' and r.shop is not null'),
    one('t.id = r.id', 't.id = r.id and t.shop = r.shop', 't.id = r.id and t.day = r.day'),
    given,
  )
  .map(([more, tie, what]) => `delete from t using r where ${tie} and r.${day}${more}; ${insert(what, '')}`);
const partial = fc
  .tuple(one('r.shop', "'a'", "'b'", "coalesce(r.shop, 'a')"), one('', ' and r.n > 2'))
  .map(
    ([shop, more]) =>
      `insert into p (id, day, n, shop) select r.id, r.day, r.n, ${shop} from r where r.${day}${more} on conflict (id) where shop = 'a' do update set n = excluded.n`,
  );

const ddl = [
  'create table t (id int, day date, n numeric, shop text)',
  'create table r (id int primary key, day date not null, n numeric not null, shop text)',
  'create table p (id int, day date, n numeric, shop text)',
  "create unique index some_of_p on p (id) where shop = 'a'",
];
const rows = [
  "insert into r select i, date '2026-11-01' + i % 2, i % 7, (array['a', 'b', 'c', null])[i % 4 + 1] from generate_series(1, 12) i",
  "insert into t select i, date '2026-11-01' + i % 2, i % 5, (array['a', 'b', 'x'])[i % 3 + 1] from generate_series(1, 6) i",
];

const fixture = useFixture('postgres');
const contents = (table: string) =>
  scalar(
    fixture.warehouse,
    `select string_agg(x, e'\\n' order by x) from (select row(id, day, trim_scale(n), shop)::text as x from ${table}) y`,
  );

test('what is called safe leaves the table, and most of what is called sure changes it', async () => {
  const seen = { safe: 0, sure: 0, changed: 0, open: 0, still: 0 };
  const tasks = fc.oneof(inOne, upsert, bodies, carried, chosen, ordered, numbered, byKey, partial);
  await fc.assert(
    fc.asyncProperty(tasks, async (task) => {
      const { facts } = workspace({ ddl: { tasks: { ddl: ddl.join('; ') } }, d: { tasks: { t: task } } });
      const [write] = facts.get('d.t')?.writes ?? [];
      await sql(fixture.warehouse, 'drop table if exists t, r, p', ...ddl, ...rows);
      const table = task.includes('into p') ? 'p' : 't';
      const before = await contents(table);
      const statements = task.startsWith('do ') ? [task] : task.split('; ');
      const run = () => sql(fixture.warehouse, ...statements.map((text) => text.replaceAll('{{ ds }}', '2026-11-01')));
      await run();
      const once = await contents(table);
      await run();
      const isSame = (await contents(table)) === once;
      if (write === undefined) return;
      const { mode, leavesOut } = write;
      if (surelyAgain(write) || addsTwice(write)) {
        if (once !== before) {
          seen.sure++;
          if (!isSame) seen.changed++;
        }
      } else if (changedColumn(write) !== undefined || (mode === 'append' && leavesOut !== 'sure')) {
        seen.open++;
        if (isSame) seen.still++;
      } else {
        seen.safe++;
        expect(isSame, `${task}\n${JSON.stringify(write)}`).toBe(true);
      }
    }),
    { numRuns: lawRuns(400) },
  );
  // A law that never takes the ways it is about holds of nothing.
  expect(seen.safe).toBeGreaterThan(20);
  expect(seen.sure).toBeGreaterThan(20);
  expect(seen.changed / seen.sure, JSON.stringify(seen)).toBeGreaterThan(0.75);
});
