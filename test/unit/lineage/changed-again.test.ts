import { describe, expect, test } from 'vitest';
import { workspace } from './workspace.ts';

/** The column that a second run changes again, `+` before it where it is added to. */
function again(sql: string): string | undefined {
  const { writes = [] } = workspace({ d: { tasks: { t: sql } } }).facts.get('d.t') ?? {};
  const found = writes.find((write) => write.again !== undefined)?.again;
  return found && `${found.adds ? '+' : ''}${found.column}`;
}

const where = "where day = '{{ ds }}'";
const upsert = (set: string, more = ''): string =>
  `insert into t as u (id, n) select id, 1 from r ${where} on conflict (id) do update set ${set} ${more}`;
const update = (set: string, condition = where): string => `update t set ${set} ${condition}`;

/** Rows of before and new ones put together. */
const gathered = (query: string): string =>
  `insert into t (id, n) ${query} on conflict (id) do update set n = excluded.n`;

describe('a column that a second run changes again', () => {
  test.each([
    ['+n', upsert('n = u.n + excluded.n')],
    ['+n', upsert('n = excluded.n + coalesce(u.n, 0)')],
    ['+n', upsert('n = u.n - 1')],
    ['+n', update('n = n + (select count(*) from r)')],
    ['+n', update('n = (select t.n + count(*) from r)')],
    ['+n', update('n = cast(n as bigint) + 1')],
    ['+n', update('(n, m) = (n + 1, 2)')],
    ['+n', update('n = case when kind = 1 then n + 1 else n end')],
    ['+due', update("due = due + interval '1 day'")],
    ['+n', update('n = n + s.c from (select id, count(*) as c from r group by 1) s', 'where s.id = t.id')],
    [
      '+n',
      'merge into t using (select id, count(*) as c from r group by 1) s on t.id = s.id when matched then update set n = t.n + s.c',
    ],
    ['+n', "do $$ begin update t set n = n + 1 where day = '{{ ds }}'; end $$"],
    [
      '+n',
      gathered(
        'select id, sum(n) as n from (select id, n from t union all select id, n from r where day = 1) x group by id',
      ),
    ],
    [
      '+n',
      gathered('select id, sum(n) as n from (select id, n from r where day = 1 union select * from t) x group by id'),
    ],
    [
      '+n',
      `with a as (select id, n from t union all select id, n from r ${where}), s as (select id, sum(n) as n from a group by id) ${gathered('select id, n from s')}`,
    ],
    [
      '+n',
      `update t u set n = s.n from (select id, sum(coalesce(n, 0)) as n from (select id, n from t union all select id, n from r ${where}) x group by id) s where s.id = u.id`,
    ],
    [
      'n',
      gathered(
        'select id, array_agg(n) as n from (select id, n from t union all select id, n from r where day = 1) x group by id',
      ),
    ],
    ['v', update('v = v * 2')],
    ['v', update('v = v / 100.0')],
    ['v', update('v = round(v * 1.19, 2)')],
    ['v', update('v = -v')],
    ['v', update('flag = false, v = not v')],
    ['v', update('v = v ^ 2')],
    ['v', update('v = power(v, 2)')],
    ['v', update("v = v || ', seen'")],
    ['v', update("v = concat(v, ', seen')")],
    ['v', update("v = trim(v || ' x')")],
    ['v', update('v = v || array[1, 2]')],
    ['v', update("v = array_append(v, 'x')")],
    ['v', update('v = array_cat(v, w)')],
    ['v', upsert('v = u.v || excluded.v')],
  ])('%s: %s', (column, sql) => {
    expect(again(sql)).toBe(column);
  });

  test.each([
    gathered(
      'select id, max(n) as n from (select id, n from t union all select id, n from r where day = 1) x group by id',
    ),
    gathered(
      "select id, sum(n) as n from (select id, n from t where day = '{{ macros.ds_add(ds, -1) }}' union all select id, n from r where day = 1) x group by id",
    ),
    gathered('select id, sum(n) as n from (select id, n from q union all select id, n from r) x group by id'),
    gathered('select id, sum(n) as n from (select id, n from t except select id, n from r) x group by id'),
    gathered('select id, sum(m) as n from (select id, n, m from t union all select id, n, m from r) x group by id'),
    upsert('n = excluded.n'),
    upsert('n = greatest(u.n, excluded.n)'),
    upsert('n = coalesce(u.n, excluded.n)'),
    upsert('n = u.n + excluded.n, run = excluded.run', 'where u.run <> excluded.run'),
    upsert('attempts = u.attempts + 1'),
    update('n = m + 1'),
    update('n = s.n + 1 from s', 'where s.id = t.id'),
    update('v = v % 10'),
    update('v = v | 4'),
    update('v = upper(trim(v))'),
    update('v = v * 1.0'),
    update("v = v || ''"),
    update('attributes = attributes || \'{"a": 1}\''),
    update("v = v || jsonb_build_object('a', 1)"),
    update('v = array_distinct(array_cat(v, w))'),
    update('v = -v', 'where v < 0'),
    update('v = case when v < 0 then -v else v end'),
    update("v = v || ' (old)'", "where v not like '%(old)'"),
    update('n = n + 1', 'where id not in (select id from counted)'),
    `truncate t; insert into t select 1, 2; ${update('n = n + 1')}`,
    `delete from t ${where}; insert into t select id, n from r ${where}; ${update('n = n + 1')}`,
    `${update('n = 0')}; ${update('n = n + 1')}`,
    update('n = n + 1').replace('update t', 'update stg_t'),
    'create temp table x as select * from r; update x set n = n + 1',
  ])('none: %s', (sql) => {
    expect(again(sql)).toBeUndefined();
  });
});
