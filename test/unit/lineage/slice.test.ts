import { describe, expect, it } from 'vitest';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import { workspace, writesOf, writesOfSql } from './workspace.ts';

const s = "'{{ data_interval_start }}'";
const e = "'{{ data_interval_end }}'";
const inInterval = `ts >= ${s} and ts < ${e}`;
const ofDay = '[day of start (UTC), day of start (UTC) + 1 day)';

describe('write mode and slice', () => {
  it.each([
    [`delete from m where day = '{{ ds }}'; insert into m select * from r`, `delete+insert m day ${ofDay}`],
    [
      `begin; delete from m where ${inInterval}; insert into m select * from r; commit`,
      'delete+insert m ts [start, end)',
    ],
    [`delete from m x where x.day = '{{ ds }}'; insert into m select 1`, `delete+insert m day ${ofDay}`],
    [
      `delete from m as gone where gone.ts >= ${s} and ts < ${e}; insert into m select * from r`,
      'delete+insert m ts [start, end)',
    ],
    [
      `delete from x.m where m.ts >= ${s} and x.m.ts < ${e}; insert into x.m select 1`,
      'delete+insert x.m ts [start, end)',
    ],
    ['truncate m; insert into m select * from r', 'full_replace m the whole table'],
    ['delete from m; insert into m select * from r', 'full_replace m the whole table'],
    ['drop table if exists m; create table m as select * from r', 'full_replace m the whole table'],
    ['create or replace table m as select * from r', 'full_replace m the whole table'],
    [
      'create table x.m_new as select 1; drop table x.m; alter table x.m_new rename to m',
      'full_replace x.m the whole table',
    ],
    [
      'create table x.m_new as select 1; alter table x.m rename to m_old; alter table x.m_new rename to m; drop table x.m_old',
      'full_replace x.m the whole table',
    ],
    ['create table if not exists m as select 1', 'create m the whole table'],
    [`insert into m select * from r where ${inInterval}`, 'append m ts [start, end)'],
    [
      `insert into m select date_trunc('day', at)::date as day, count(*) from r where at >= ${s} and at < ${e} group by 1`,
      'append m day [day of start (UTC), end)',
    ],
    [`insert into m select '{{ ds }}'::date as day, count(*) from r`, `append m day ${ofDay}`],
    [`insert into m (day, n) values ('{{ ds }}', 1)`, `append m day ${ofDay}`],
    [
      `create table if not exists m (day date, n int); insert into m select date_trunc('day', ts), count(*) from r where ${inInterval} group by 1`,
      'append m day [day of start (UTC), end)',
    ],
    [
      `insert into m (id, ts) select id, ts from r where ${inInterval} on conflict (id) do update set v = excluded.v`,
      'merge m ts [start, end)',
    ],
    [
      `create temp table stg as select id, ts from r where ${inInterval}; insert into m select id, ts from stg on conflict (id) do nothing`,
      'merge m ts [start, end)',
    ],
    [
      `create temp table stg as select id, ts from r where ${inInterval}; delete from m using stg where m.id = stg.id; insert into m select * from stg`,
      'delete+insert m ts [start, end)',
    ],
    [
      `merge into m t using (select id, ts from r where ${inInterval}) s on t.id = s.id when matched then update set v = s.v when not matched then insert (id, ts) values (s.id, s.ts)`,
      'merge m ts [start, end)',
    ],
    [
      `with gone as (delete from m where day = '{{ ds }}') insert into m select * from r where day = '{{ ds }}'`,
      `delete+insert m day ${ofDay}`,
    ],
    [`update m set x = 1 where day = '{{ ds }}'`, `update m day ${ofDay}`],
    ['update m set x = 1', 'update m the whole table'],
    ['refresh materialized view m', 'full_replace m the whole table'],
  ])('%s', (sql, write) => {
    expect(writesOfSql(sql)).toEqual([write]);
  });

  it('MERGE … ON FALSE that deletes what its source does not have replaces a slice', () => {
    const sql = `MERGE chain.logs t USING tmp.logs s ON FALSE
      WHEN NOT MATCHED AND DATE(s.block_time) = '{{ ds }}' THEN INSERT (log_id, block_time, data) VALUES (s.log_id, s.block_time, s.data)
      WHEN NOT MATCHED BY SOURCE AND DATE(t.block_time) = '{{ ds }}' THEN DELETE`;
    expect(writesOfSql(sql, { dialect: 'bigquery' })).toEqual([`insert_overwrite chain.logs block_time ${ofDay}`]);
  });

  it.each([
    [
      `insert into m (id, ts) select id, ts from r where ${inInterval} on conflict (id) do update set ts = excluded.ts`,
      'sets ts',
    ],
    [
      `merge into m t using (select id, ts from r where ${inInterval}) s on t.id = s.id when matched then update set ts = s.ts when not matched then insert (id, ts) values (s.id, s.ts)`,
      'sets ts',
    ],
    ['delete from m where day >= (select max(day) from m); insert into m select * from r', 'cannot be read'],
    [
      `delete from m where day = '{{ ds }}'; delete from m where day = '{{ yesterday_ds }}'; insert into m select 1`,
      'several DELETEs',
    ],
    [`delete from m where day >= '{{ ds }}'; insert into m select 1`, 'one side of day open'],
    ['delete from m where ', 'no time predicate'],
    ['insert into m select * from r', 'bound to the interval'],
    ["copy m from 's3://bucket/file'", 'bound to the interval'],
  ])('%s: the slice is unknown', (sql, reason) => {
    const [write = ''] = writesOfSql(sql);
    expect(write).toContain('unknown: ');
    expect(write).toContain(reason);
  });

  it.each([
    '',
    'garbage (((',
    'insert into',
    "delete from {{ params.schema }}.m where day = '{{ ds }}'",
    'drop table x',
  ])('writes nothing that is known: %j', (sql) => {
    expect(writesOfSql(sql)).toEqual([]);
  });
});

describe('the predicate of a DELETE', () => {
  const predicate = (sql: string): string | undefined => {
    const write = workspace({ d: { tasks: { t: sql } } }).facts.get('d.t')?.writes[0];
    const found = write?.slice.kind === 'range' ? write.slice.predicate : undefined;
    return found === undefined ? undefined : sql.slice(found.start, found.end);
  };

  it('is taken as written, with every further condition', () => {
    expect(predicate(`delete from m where day = '{{ ds }}' and country = 'DE';\ninsert into m select 1`)).toBe(
      `day = '{{ ds }}' and country = 'DE'`,
    );
    expect(predicate(`delete from m\r\nWHERE\r\n\tday = '{{ ds }}' -- 🙂\n; insert into m select 1`)).toContain(
      `day = '{{ ds }}'`,
    );
  });

  it.each(['delete from x.m as gone where gone.day', 'delete from x.m where m.day', 'delete from x.m where x.m.day'])(
    'is used behind the name or the alias of the target, which a run takes off: %s',
    (sql) => {
      expect(predicate(`${sql} = '{{ ds }}'; insert into x.m select 1`)).toContain(`day = '{{ ds }}'`);
    },
  );

  it.each([
    ['another table', `delete from m using r where day = '{{ ds }}' and r.id = m.id; insert into m select 1`],
    ['a subquery', `delete from m where day = '{{ ds }}' and id in (select id from r); insert into m select 1`],
    [
      'another DELETE',
      `delete from m where day = '{{ ds }}' and a; delete from m where day = '{{ ds }}' and b; insert into m select 1`,
    ],
  ])('is not used when it needs %s', (_, sql) => {
    expect(predicate(sql)).toBeUndefined();
  });
});

describe('a slice holds every row that the statement may write', () => {
  const sliceIn = (zone: string, where: string) =>
    writesOf(
      workspace({
        d: {
          zone,
          tasks: {
            ddl: 'create table m (ts timestamptz, day date)',
            t: `delete from m where ${where}; insert into m select * from r`,
          },
        },
      }),
      'd.t',
    );

  it.each([
    [
      'the days of a list in any order',
      'UTC',
      "day in ('{{ ds }}', '{{ macros.ds_add(ds, -2) }}')",
      '[day of start (UTC) - 2 days, day of start (UTC) + 1 day)',
    ],
    [
      'a zone east of UTC',
      'Europe/Berlin',
      "ts::date = '{{ ds }}'",
      '[day of start (UTC) - 2 hours, day of start (UTC) + 1 day)',
    ],
    [
      'a zone west of UTC',
      'America/New_York',
      "ts::date = '{{ ds }}'",
      '[day of start (UTC), day of start (UTC) + 5 hours + 1 day)',
    ],
    [
      'an offset that is written',
      'Europe/Berlin',
      "ts >= '{{ ds }} 00:00:00+00' and ts < '{{ ds }} 12:00:00Z'",
      '[day of start (UTC), day of start (UTC) + 12 hours)',
    ],
  ])('%s', (_, zone, where, slice) => {
    expect(sliceIn(zone, where)).toEqual([`delete+insert m ${where.startsWith('day') ? 'day' : 'ts'} ${slice}`]);
  });
});

it('keys come from the conflict target and the MERGE condition', () => {
  const keyOf = (sql: string) => workspace({ d: { tasks: { t: sql } } }).facts.get('d.t')?.writes[0]?.key;
  expect(keyOf('insert into m select * from r on conflict (a, b) do nothing')).toEqual(['a', 'b']);
  expect(keyOf('merge into m t using r s on t.id = s.id and t.k = s.k when matched then delete')).toEqual(['id', 'k']);
});

describe('partitions', () => {
  const inDialect = (dialect: DialectName) => (sql: string) => writesOfSql(sql, { dialect });
  it.each([
    [`insert overwrite table m partition (ds='{{ ds }}') select a from r`, `insert_overwrite m ds ${ofDay}`],
    [`insert overwrite m partition (ds='{{ ds }}', hour=3) select a from r`, `insert_overwrite m ds ${ofDay}`],
    [`insert overwrite m partition (ds) select a, ds from r where ds = '{{ ds }}'`, `insert_overwrite m ds ${ofDay}`],
    [`insert into m partition (ds='{{ ds }}') select a from r`, `append m ds ${ofDay}`],
    [
      `alter table m drop if exists partition (ds='{{ ds }}'); insert into m partition (ds='{{ ds }}') select a from r`,
      `insert_overwrite m ds ${ofDay}`,
    ],
    [
      `truncate table m partition (ds='{{ ds }}'); insert into m partition (ds='{{ ds }}') select a from r`,
      `insert_overwrite m ds ${ofDay}`,
    ],
    [`alter table m add if not exists partition (ds='{{ ds }}'); insert into m select 1`, 'append m unknown'],
    [`insert into m replace where ds = '{{ ds }}' select * from r`, `insert_overwrite m ds ${ofDay}`],
    ['insert overwrite m select * from r', 'full_replace m the whole table'],
  ])('%s', (sql, write) => {
    expect(inDialect('spark')(sql)).toEqual([expect.stringContaining(write)]);
  });
});

describe('what is put into the target by MERGE decides its column', () => {
  const merge = (insert: string) =>
    `merge into m t using (select id, ts, v from r where ${inInterval}) s on t.id = s.id
     when matched then update set v = s.v when not matched then insert ${insert}`;
  it.each([
    [merge('(id, at) values (s.id, s.ts)'), 'merge m at [start, end)'],
    [merge("(id, day) values (s.id, date_trunc('day', s.ts))"), 'merge m day [day of start (UTC), end)'],
    [merge('(id, v) values (s.id, s.v)'), 'merge m unknown: the rows that it merges are not bound to the interval'],
  ])('%s', (sql, write) => {
    expect(writesOfSql(sql, { dialect: 'snowflake' })).toEqual([write]);
  });
});

describe('bodies', () => {
  const pair = "delete from m where day = '{{ ds }}'; insert into m select * from r where day = '{{ ds }}'";
  it('of DO run with it, and give no predicate of their own', () => {
    const facts = workspace({ d: { tasks: { t: `do $$ begin ${pair}; end $$` } } });
    expect(writesOf(facts, 'd.t')).toEqual([`delete+insert m day ${ofDay}`]);
    const slice = facts.facts.get('d.t')?.writes[0]?.slice;
    expect(slice?.kind === 'range' && slice.predicate).toBeUndefined();
  });

  it('of routines run where they are called', () => {
    const make = `create procedure load() language plpgsql as $$ begin ${pair}; end $$`;
    expect(writesOfSql(make)).toEqual([]);
    expect(writesOfSql(`${make}; call load()`)).toEqual([`delete+insert m day ${ofDay}`]);
  });
});

it('several tables renamed at once swap the new one in', () => {
  const sql = 'create table m_new as select 1; rename table m to m_old, m_new to m; drop table m_old';
  expect(writesOfSql(sql, { dialect: 'mysql' })).toEqual(['full_replace m the whole table']);
});

it('a slice says which condition gives it', () => {
  const sql = `delete from m where a = 1 and ts >= ${s} and ts < ${e}; insert into m select 1`;
  const at = workspace({ d: { tasks: { t: sql } } }).facts.get('d.t')?.writes[0]?.sliceAt;
  expect(at && sql.slice(at.start, at.end)).toBe(inInterval);
});

describe('a day that may be one of two zones is the outermost of the intervals that the task has', () => {
  const sql = `delete from m where ts >= ${s}::date and ts < ${e}::date; insert into m select 1`;
  it.each([
    // Midnight in Berlin is the evening before in UTC.
    ['0 0 * * *', 'Europe/Berlin', '[day of start (UTC), day of end (Europe/Berlin))'],
    // Two o'clock there is the same day in UTC, whose midnight is later.
    ['0 2 * * *', 'Europe/Berlin', '[day of start (Europe/Berlin), day of end (UTC))'],
    ['0 0 * * *', 'America/New_York', '[day of start (UTC), day of end (America/New_York))'],
  ])('%s %s', (schedule, zone, slice) => {
    expect(writesOfSql(sql, { schedule, zone })).toEqual([`delete+insert m ts ${slice}`]);
  });
});

describe('slices of dates that are not one column of times', () => {
  const month = '[month of start (UTC), month of start (UTC) + 1 month)';
  it.each([
    [
      'year = {{ logical_date.year }} and month = {{ logical_date.month }} and day = {{ logical_date.day }}',
      `year ${ofDay}`,
    ],
    ["y = {{ ds[:4] }} and m = {{ ds[5:7] }} and d = '{{ ds[8:] }}'", `y ${ofDay}`],
    [
      "month = '{{ logical_date.strftime('%m') }}' and year = '{{ logical_date.strftime('%Y') }}' and shop = 1",
      `year ${month}`,
    ],
    ["year = extract(year from date '{{ ds }}') and month = extract(month from date '{{ ds }}')", `year ${month}`],
    [
      'extract(year from ts) = {{ logical_date.year }} and extract(month from ts) = {{ logical_date.month }}',
      `ts ${month}`,
    ],
    // The month of another time than the year is no month of it.
    [
      'year = {{ logical_date.year }} and month = {{ macros.ds_add(ds, -9)[5:7] }}',
      'year [year of start (UTC), year of start (UTC) + 1 year)',
    ],
    ['date_key = {{ ds_nodash }}', `date_key ${ofDay}`],
    ["month_key = {{ logical_date.strftime('%Y%m') }}", `month_key ${month}`],
    ["week = to_char(date '{{ ds }}', 'IYYY-IW')", 'week [week of start (UTC), week of start (UTC) + 7 days)'],
    ["week = '{{ logical_date.strftime('%G-W%V') }}'", 'week [week of start (UTC), week of start (UTC) + 7 days)'],
    ["(at, at) overlaps ('{{ ds }}'::timestamp, interval '1 day')", `at ${ofDay}`],
    ["tsrange('{{ ds }}', '{{ next_ds }}') @> ts", 'ts [day of start (UTC), day of end (UTC))'],
    ["'[{{ ds }}, {{ next_ds }})'::tsrange @> ts", 'ts [day of start (UTC), day of end (UTC))'],
    ["ts <@ cast('[{{ ds }},{{ next_ds }})' as tsrange)", 'ts [day of start (UTC), day of end (UTC))'],
    ["tsrange('[{{ macros.ds_add(ds, 0) }}, {{ next_ds }} )') @> ts", 'ts [day of start (UTC), day of end (UTC))'],
    ["make_date(year, month, day) = '{{ ds }}'", `year ${ofDay}`],
    ["part = 'p{{ ds_nodash }}'", `part ${ofDay}`],
    ["part in ('dt={{ ds }}')", `part ${ofDay}`],
    ["part = '{{ logical_date.year }}-{{ logical_date.month }}'", `part ${month}`],
    [
      "(t0, t1) overlaps ('{{ ds }}'::timestamp, '{{ next_ds }}'::timestamp)",
      'unknown: its DELETE leaves one side of t0 open',
    ],
    // What lies before a text in order does not lie before its time.
    [
      "part >= 'p{{ ds_nodash }}' and part < 'p{{ next_ds_nodash }}'",
      "unknown: the bound on part cannot be read: 'p{{ ds_nodash }}'",
    ],
  ])('%s', (where, slice) => {
    expect(writesOfSql(`delete from m where ${where}; insert into m select * from r where ${where}`)).toEqual([
      `delete+insert m ${slice}`,
    ]);
  });

  const inMonth = 'year = {{ logical_date.year }} and month = {{ logical_date.month }}';
  it.each([
    [`insert into m select year, month, n from r where ${inMonth}`, `append m year ${month}`],
    [
      `insert into m (y, mon, n) select {{ logical_date.year }}, {{ logical_date.month }}, sum(n) from r on conflict (y, mon) do update set n = excluded.n`,
      `merge m y ${month}`,
    ],
    [
      `insert into m select r.* from r where ${inMonth}`,
      'append m unknown: no column of the rows that it writes is bound to the interval',
    ],
    [
      `insert into m select x.year, x.month, x.n from r x join s on s.id = x.id where x.${inMonth.replace(' and ', ' and x.')}`,
      `append m year ${month}`,
    ],
    ["insert into m (part, n) select 'p{{ ds_nodash }}', 1", `append m part ${ofDay}`],
    [
      "insert into m (part, n) select 'y={{ ds[:4] }}/m={{ ds[5:7] }}', 1",
      `append m part [month of day of start (UTC) (UTC), month of day of start (UTC) (UTC) + 1 month)`,
    ],
  ])('that are written without a DELETE: %s', (sql, expected) => {
    expect(writesOfSql(sql)).toEqual([expected]);
  });

  it('hold what the template puts into each of their columns', () => {
    const text = "insert into m (y, mon, n) select {{ logical_date.year }}, '{{ ds[5:7] }}', n from r";
    const [write] = workspace({ d: { tasks: { t: text } } }).facts.get('d.t')?.writes ?? [];
    const values = write?.slice.kind === 'range' ? write.slice.values : undefined;
    expect(values?.map(({ column, start, end }) => [column, text.slice(start, end)])).toEqual([
      ['y', '{{ logical_date.year }}'],
      ['mon', "'{{ ds[5:7] }}'"],
    ]);
  });
});

describe('tables that are named by the interval', () => {
  const day = '[day of start (UTC), day of start (UTC) + 1 day)';
  const month = '[month of start (UTC), month of start (UTC) + 1 month)';
  it.each([
    [
      'delete from m_{{ ds_nodash }}; insert into m_{{ ds_nodash }} select * from r',
      `full_replace m_<yyyymmdd> the table of ${day}`,
    ],
    ['insert into x."M_{{ ds }}" select * from r', `append x.M_<yyyy-mm-dd> the table of ${day}`],
    [`truncate m_{{ logical_date.strftime('%Y%m') }}`, `full_replace m_<yyyymm> the table of ${month}`],
    [
      'create table n_{{ ds_nodash }} as select 1; drop table m_{{ ds_nodash }}; alter table n_{{ ds_nodash }} rename to m_{{ ds_nodash }}',
      `full_replace m_<yyyymmdd> the table of ${day}`,
    ],
    [
      'create table a.n as select 1; alter table a.n rename to m_{{ yesterday_ds_nodash }}',
      'full_replace a.m_<yyyymmdd> the table of [day of start (UTC) - 1 day, day of start (UTC))',
    ],
    ["delete from m_{{ logical_date.strftime('%Y%m') }} where day = '{{ ds }}'", `delete m_<yyyymm> day ${day}`],
    ['truncate {{ var.value.mart }}.m', 'full_replace <var.value.mart>.m the whole table'],
    ['drop table if exists m; create table m (n int); insert into m select n from r', 'full_replace m the whole table'],
  ])('%s', (sql, write) => {
    expect(writesOfSql(sql)).toEqual([write]);
  });

  it.each(['truncate m_{{ run_id }}', 'truncate m_{{ ti.xcom_pull("t") }}', 'truncate m_{{ params.p }}'])(
    '%s: the name is only known when it runs',
    (sql) => {
      expect(writesOfSql(sql)).toEqual([]);
    },
  );
});
