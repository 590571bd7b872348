import { describe, expect, test } from 'vitest';
import { changedColumn } from '../../../src/core/lineage/facts/facts.ts';
import { workspace } from './workspace.ts';

/** The first column that a second run surely changes again, `+` before it where it is added to; `?` behind one that it may. */
function again(sql: string): string | undefined {
  const { writes = [] } = workspace({ d: { tasks: { t: sql } } }).facts.get('d.t') ?? {};
  const found = writes.map(changedColumn).find((one) => one !== undefined);
  return found && `${found.adds ? '+' : ''}${found.column}${found.certainty === 'open' ? '?' : ''}`;
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
      '+n',
      gathered(
        "select id, sum(n) as n from (select id, n from t where day = '{{ macros.ds_add(ds, -1) }}' union all select id, n from r where day = 1) x group by id",
      ),
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
    ['v?', upsert('v = u.v || excluded.v')],
    ['+n', update('n = n + 1', 'where id in (select id from gone)')],
    ['v?', update('v = weird(v)', 'where other(w) = 1')],
    [
      'n?',
      'merge into t using r b on t.k = b.k when matched then update set n = b.m when not matched then insert (k, n) values (k, n)',
    ],
    ['+n', `${update('n = n + 1', 'where id in (select id from gone)')}; ${update('m = 1')}`],
    [
      'n?',
      update(
        'n = x.place from (select *, row_number() over (partition by shop order by n desc) as place from t) x',
        'where x.id = t.id',
      ),
    ],
    ['n?', `insert into t (id, n) select s.id, s.n from r s ${where} on duplicate key update n = s.m`],
  ])('%s: %s', (column, sql) => {
    expect(again(sql)).toBe(column);
  });

  test.each([
    gathered(
      'select id, max(n) as n from (select id, n from t union all select id, n from r where day = 1) x group by id',
    ),
    `insert into t (id, day, n) select id, '{{ ds }}', sum(n) from (select id, day, n from t where day = '{{ macros.ds_add(ds, -1) }}' union all select id, day, n from r where day = 1) x group by id on conflict (id, day) do update set n = excluded.n`,
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
    'merge into t using (select distinct k, n, upper(m) as m from r union select k, n, m from q) b on t.k = b.k when matched then update set n = b.n, m = b.m when not matched then insert (k, n, m) values (k, n, m)',
    // Whatever an unknown function says of a value, it says it again.
    `update t set v = null where year_of(v) > 2030; update t set v = null where v = ''`,
    `update t set v = 999 where is_number(v) = 0; update t set v = null where v < 0`,
    'insert into t as u (id, s) select id, s from r on conflict (id) do update set s = case when u.s in (select f from finals) then u.s else excluded.s end',
    // What a query or a window finds, where it rests on no column that is set.
    `${update('closed = day', 'where id in (select id from gone)')}; ${update('closed = null', 'where id not in (select id from gone)')}`,
    update(
      'place = x.place from (select *, row_number() over (partition by shop order by n desc) as place from t) x',
      'where x.id = t.id',
    ),
    upsert(
      'a = excluded.a, b = excluded.b, c = excluded.c, d = excluded.d, e = excluded.e, f = excluded.f, seen_at = case when u.a <> excluded.a or u.b <> excluded.b or u.c <> excluded.c or u.d <> excluded.d or u.e <> excluded.e or u.f <> excluded.f then current_timestamp else u.seen_at end',
    ),
    `insert into t (id, n) select s.id, s.n from r s ${where} on duplicate key update n = s.n`,
    `insert into t (id, n) select id, n from r s ${where} on duplicate key update n = s.n`,
    "update t set mark = coalesce((select max(day) from r), (select mark from t where name = 'a')) where name = 'a'",
  ])('none: %s', (sql) => {
    expect(again(sql)).toBeUndefined();
  });
});

describe('what || does to what is there', () => {
  const joining = (type: string, given: string, set = 'u.d || excluded.d'): string =>
    `${type === '' ? '' : `create table if not exists t (id int primary key, d ${type});`} insert into t as u (id, d) select id, ${given} from r ${where} group by id on conflict (id) do update set d = ${set}`;

  test.each([
    ['jsonb', "jsonb_build_object('{{ ds }}', count(*))", undefined],
    ['jsonb', "jsonb_build_object('{{ ds }}', count(*))", undefined, "coalesce(u.d, '{}'::jsonb) || excluded.d"],
    ['jsonb', 'jsonb_object_agg(k, v)', undefined],
    ['', "jsonb_build_object('{{ ds }}', count(*))", undefined],
    ['hstore', 'max(h)', undefined],
    ['jsonb', 'jsonb_agg(v)', 'd'],
    ['jsonb', "jsonb_build_array('{{ ds }}')", 'd'],
    ['', 'jsonb_agg(v)', 'd'],
    ['jsonb', 'max(x)', 'd?'],
    ['', 'max(x)', 'd?'],
    ['text', 'max(x)', 'd'],
    ['varchar(20)', "'{{ ds }}'", 'd'],
    ['int[]', 'max(x)', 'd'],
    ['', 'array_agg(v)', 'd'],
    ['', "string_agg(v, ',')", 'd'],
  ])('%s with %s: %s', (type, given, column, set?: string) => {
    expect(again(joining(type, given, set))).toBe(column);
  });

  test('says what decides it where nobody has said the type', () => {
    const { writes = [] } = workspace({ d: { tasks: { t: joining('', 'max(x)') } } }).facts.get('d.t') ?? {};
    expect(writes.map((one) => changedColumn(one)?.why)).toEqual([
      'whether u.d || excluded.d joins documents, whose members are the same again, or texts or arrays, which grow',
    ]);
  });
});

const slice = "day = '{{ ds }}'";
const emptied = `delete from t where ${slice}`;
const taken = (more = '', condition = slice): string =>
  `with old as (delete from t where ${condition} returning *${more})`;

describe('the old value on its way through', () => {
  test.each([
    ['+n', 'a subquery', `update t set n = (select x.n + 1 from t x where x.id = t.id) where ${slice}`],
    [
      '+n',
      'a common table',
      `with c as (select id, n + 1 n from t where ${slice}) update t set n = c.n from c where c.id = t.id`,
    ],
    [
      '+n',
      'USING',
      `merge into t using (select id, n + 1 as n from t where ${slice}) s on s.id = t.id when matched then update set n = s.n`,
    ],
    [
      '+n',
      'a temporary table',
      `create temp table w as select id, n + 1 as n from t where ${slice}; update t set n = w.n from w where w.id = t.id`,
    ],
    [
      '+n',
      'a table of its own',
      `drop table if exists k.w; create table k.w as select id, n + 1 as n from t; update t set n = w.n from k.w w where w.id = t.id and t.${slice}`,
    ],
    [
      '+n',
      'a table that it empties and fills',
      `truncate k.w; insert into k.w (id, n) select id, n + 1 from t where ${slice}; update t set n = w.n from k.w w where w.id = t.id`,
    ],
    [
      '+n',
      'rows taken out and put back',
      `create temp table w as select id, day, n + 1 as n from t where ${slice}; ${emptied}; insert into t (id, day, n) select * from w`,
    ],
    [
      '+n',
      'rows changed outside',
      `create temp table w as select * from t where ${slice}; update w set n = n + 1; ${emptied}; insert into t select * from w`,
    ],
    ['+n', 'rows that a DELETE gives back', `${taken()} insert into t (id, day, n) select id, day, n + 1 from old`],
    ['+n', 'a column of RETURNING', `${taken(', n + 1 as k')} insert into t (id, day, n) select id, day, k from old`],
    [
      '+n',
      'a table made anew under its name',
      'create table t_new as select id, day, n + 1 as n from t; drop table t; alter table t_new rename to t',
    ],
    ['+n', 'itself replaced', 'create or replace table t as select id, day, n + 1 as n from t'],
    [
      '+n',
      'old and new rows',
      `create temp table w as select id, sum(n) n from (select id, n from t where ${slice} union all select id, n from r) x group by id; ${emptied}; insert into t (id, n) select id, n from w`,
    ],
    [
      '+n',
      'a loop',
      `do $$ declare r record; begin for r in select id from t where ${slice} loop update t set n = n + 1 where id = r.id; end loop; end $$`,
    ],
    [
      '+n',
      'the row of a loop',
      `do $$ declare r record; begin for r in select id, n from t where ${slice} loop update t set n = r.n + 1 where id = r.id; end loop; end $$`,
    ],
    ['n', 'another column and back', update('n = m, m = n')],
    ['k', 'three steps', `${update('k = n')}; ${update('n = m')}; ${update('m = k')}`],
    ['prev', 'the column beside it', 'update t set prev = n, n = s.n from s where s.id = t.id'],
    ['+n', 'a condition that goes on holding', `update t set n = n + 1 where n < 100`],
  ])('%s: %s', (column, _, sql) => {
    expect(again(sql)).toBe(column);
  });

  test.each([
    [
      'the same value',
      `create temp table w as select * from t where ${slice}; ${emptied}; insert into t select * from w`,
    ],
    ['a value that stays', `${taken()} insert into t (id, day, s) select id, day, trim(s) from old`],
    [
      'rows that are others then',
      `${taken('', "status = 'new'")} insert into t (id, status, n) select id, 'done', n + 1 from old`,
    ],
    [
      'the day before',
      `${emptied}; insert into t (id, day, n) select o.id, '{{ ds }}', o.n + e.v from t o join e on e.id = o.id where o.day = '{{ macros.ds_add(ds, -1) }}'`,
    ],
    [
      'the day before, by a table',
      `create temp table w as select id, n from t where day = '{{ macros.ds_add(ds, -1) }}'; ${emptied}; insert into t (id, day, n) select w.id, '{{ ds }}', w.n + e.v from w join e using (id)`,
    ],
    [
      'a table of other rows',
      `create temp table w as select id, n + 1 as n from r; update t set n = w.n from w where w.id = t.id`,
    ],
    ['there and back', `${update('n = n + 1')}; ${update('n = n - 1')}`],
    ['a column that it does not set', 'update t set total = price * quantity'],
  ])('none: %s', (_, sql) => expect(again(sql)).toBeUndefined());
});

describe('whether doing it twice is doing it once', () => {
  test.each([
    'md5(v)',
    'substr(v, 2)',
    "replace(v, 'a', 'aa')",
    'reverse(v)',
    '-v',
    'not v',
    "v || '!'",
    "lpad(v, 9, '0') || v",
    '1 - v',
    'v # 4',
    'sqrt(v)',
    'quote_literal(v)',
    'least(v + 1, 1000)',
    'v - v * 0.1',
  ])('not: %s', (value) => expect(again(update(`v = ${value}`))).toMatch(/^\+?v$/));

  test.each([
    'upper(v)',
    'trim(lower(v))',
    'coalesce(v, 0)',
    'round(v, 2)',
    'greatest(v, 3)',
    'abs(v)',
    'v',
    "date_trunc('month', v)",
    'v::date',
    'left(v, 5)',
    "lpad(v, 5, '0')",
    "replace(v, ' ', '')",
    "regexp_replace(v, '[^0-9]', '', 'g')",
    "nullif(trim(v), '')",
    'v - v % 7',
    'v - extract(dow from v)::int',
    'least(greatest(v, 0), 100)',
    "case when v = 'x' then 'y' else v end",
    '(select max(x.v) from t x where x.id = t.id)',
    'array_remove(v, 3)',
  ])('it is: %s', (value) => expect(again(update(`v = ${value}`))).toBeUndefined());

  test.each([
    ['clean(v)', 'whether clean(…) of what it has made is the same again'],
    ["regexp_replace(v, '(a|b)+c', 'x')", 'whether regexp_replace(…) of what it has made is the same again'],
    ["v at time zone 'UTC'", 'which zone the values are of'],
    ['v / (select sum(v) from t)', 'whether sum(…) is of one row alone'],
    ['(select max(v) + 1 from t)', 'which rows of the table are read'],
  ])('what decides it is said: %s', (value, why) => {
    const { writes = [] } = workspace({ d: { tasks: { t: update(`v = ${value}`) } } }).facts.get('d.t') ?? {};
    expect(writes.flatMap((write) => write.again ?? [])).toMatchObject([{ column: 'v', certainty: 'open', why }]);
  });
});

describe('a MERGE that deletes what it has inserted', () => {
  const merge = (deletes: string, inserts: string): string =>
    `merge into t using (select id, n, op from r where ${slice}) s on s.id = t.id when matched ${deletes}then delete when not matched ${inserts}then insert (id, n) values (s.id, s.n)`;
  const changes = (sql: string) => {
    const { writes = [] } = workspace({ d: { tasks: { t: sql } } }).facts.get('d.t') ?? {};
    return writes.flatMap((write) => write.again ?? []).map(({ column, certainty }) => `${column} ${certainty}`);
  };

  test.each([
    ['each row', merge('', ''), ['undefined sure']],
    ['rows of one kind', merge("and s.op = 'D' ", ''), ['undefined open']],
    ['rows that it does not insert', merge("and s.op = 'D' ", "and s.op <> 'D' "), []],
    ['rows that it does not insert, told otherwise', merge('and s.n is null ', 'and s.n is not null '), []],
    ['rows that are gone from the source', merge('', '').replace('when matched', 'when not matched by source'), []],
  ])('%s', (_, sql, expected) => expect(changes(sql)).toEqual(expected));
});

describe('an upsert that gives a found row another value than a new one', () => {
  const changes = (sql: string): readonly string[] => {
    const { writes = [] } = workspace({ d: { tasks: { t: sql } } }).facts.get('d.t') ?? {};
    return writes.flatMap((write) => write.again ?? []).map(({ column, certainty }) => `${column} ${certainty}`);
  };
  const insert = (set: string): string =>
    `insert into t as o (id, s, n) select id, s, n from r where ${slice} on conflict (id) do update set ${set}`;
  const merge = (set: string, value: string): string =>
    `merge into t using (select id, s from r where ${slice}) s on s.id = t.id when matched then update set s = ${set} when not matched then insert (id, s) values (s.id, ${value})`;

  test.each([
    [insert('s = upper(o.s)'), ['s open']],
    [insert("s = 'seen'"), ['s open']],
    [merge("'U'", "'I'"), ['s open']],
    [insert('s = excluded.s, n = greatest(o.n, excluded.n)'), []],
    [insert('s = coalesce(o.s, excluded.s)'), []],
    [insert('updated_at = now(), s = excluded.s'), []],
    [merge('s.s', 's.s'), []],
  ])('%s', (sql, expected) => expect(changes(sql)).toEqual(expected));
});

describe('names and variables of SQL Server', () => {
  const merge = (values: string, set: string): string =>
    `merge into dbo.t as a using (select p.id, p.[Grade], p.stage from dbo.s p) b on a.id = b.id
     when not matched then insert (id, grade, stage) values (id, ${values}) when matched then update set ${set}`;

  test.each([
    [
      'a name in brackets is the same without them, in any case',
      merge('[Grade], stage', 'a.grade = b.grade'),
      undefined,
    ],
    ['a variable is no column of that name', merge('grade, @stage', '[stage] = @stage'), undefined],
    ['another column is inserted than is set', merge('[Stage], stage', 'a.grade = b.grade'), 'grade?'],
    [
      'a variable or what was there',
      'update t set n = case when len(@n) >= 3 then @n else n end where id = @id',
      undefined,
    ],
    ['a variable is added', 'update t set n = n + @n where id = @id', '+n'],
    ['a shape made plain', 'update t set n = st_multi(st_reduceprecision(n, 0.001))', undefined],
    ['a shape made larger', 'update t set n = st_buffer(n, 5)', 'n?'],
  ])('%s', (_, sql, expected) => {
    expect(again(sql)).toBe(expected);
  });
});
