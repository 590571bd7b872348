import { describe, expect, it } from 'vitest';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import { readsOfSql } from './workspace.ts';

const s = "'{{ data_interval_start }}'";
const e = "'{{ data_interval_end }}'";
const ds = "'{{ ds }}'";
const nodash = "'{{ ds_nodash }}'";
const day = 'day of start (UTC)';
const month = 'month of start (UTC)';

/** The rows of the table of read windows, each in the words of the engines; `#` is the time column. */
const rows: Readonly<Record<string, Readonly<Partial<Record<DialectName, readonly string[]>>>>> = {
  '[start, end)': {
    postgres: [
      `# >= ${s} and # < ${e}`,
      `${s} <= # and ${e} > #`,
      `not (# < ${s}) and not (# >= ${e})`,
      `not (# < ${s} or # >= ${e})`,
      `# <@ tstzrange(${s}, ${e})`,
    ],
    redshift: [`# >= ${s}::timestamp and # < ${e}::timestamp`],
    snowflake: [
      `# >= to_timestamp_ntz(${s}) and # < try_to_timestamp_ntz(${e})`,
      `# >= ${s}::timestamp_ntz and # < ${e}`,
    ],
    bigquery: [`# >= TIMESTAMP(${s}) and # < TIMESTAMP(${e})`, `# >= TIMESTAMP ${s} and # < CAST(${e} AS TIMESTAMP)`],
    spark: [`# >= to_timestamp(${s}) and # < cast(${e} as timestamp)`],
    mysql: [`# >= TIMESTAMP(${s}) and # < ${e}`],
    duckdb: [`# >= ${s}::timestamptz and # < ${e}::timestamptz`],
    trino: [`# >= from_iso8601_timestamp('{{ ts }}') and # < from_iso8601_timestamp(${e})`],
  },
  [`[${day}, ${day} + 1 day)`]: {
    postgres: [
      `date_trunc('day', #) = ${ds}`,
      `#::date = ${ds}`,
      `# >= ${ds}::date and # < ${ds}::date + 1`,
      `# >= ${ds} and # < ${ds}::timestamp + '1 day'::interval`,
      `#::date between ${ds} and ${ds}`,
      `to_char(#, 'YYYY-MM-DD') = ${ds}`,
      `to_char(#, 'YYYYMMDD')::int = {{ ds_nodash }}`,
      `#::text like '{{ ds }}%'`,
      `left(#::text, 10) = ${ds}`,
    ],
    redshift: [
      `trunc(#) = ${ds}`,
      `# >= ${ds} and # < dateadd(day, 1, ${ds})`,
      `date_trunc('day', #) = to_date(${nodash}, 'YYYYMMDD')`,
      `to_char(#, 'YYYYMMDD') = ${nodash}`,
    ],
    snowflake: [
      `#::date = to_date(${nodash}, 'YYYYMMDD')`,
      `to_date(#) = ${ds}`,
      `# >= to_timestamp_ntz(${ds}) and # < dateadd('day', 1, to_date(${ds}))`,
      `date_trunc('DAY', #) = ${ds}::date`,
      `date_trunc(day, #) = ${ds}`,
    ],
    bigquery: [
      `DATE(#) = ${ds}`,
      `EXTRACT(DATE FROM #) = DATE ${ds}`,
      `TIMESTAMP_TRUNC(#, DAY) = TIMESTAMP(${ds})`,
      `DATE(#) = PARSE_DATE('%Y%m%d', ${nodash})`,
      `FORMAT_DATE('%Y%m%d', #) = ${nodash}`,
      `# >= TIMESTAMP(${ds}) and # < TIMESTAMP_ADD(TIMESTAMP(${ds}), INTERVAL 1 DAY)`,
    ],
    spark: [
      `to_date(#) = to_date(${nodash}, 'yyyyMMdd')`,
      `date_format(#, 'yyyy-MM-dd') = ${ds}`,
      `# >= ${ds} and # < date_add(${ds}, 1)`,
      `to_date(from_unixtime(#)) = ${ds}`,
      `date_trunc('DAY', #) = timestamp ${ds}`,
      `# >= timestamp '{{ ds }} 00:00:00' and # < timestamp '{{ ds }} 00:00:00' + interval 1 day`,
    ],
    mysql: [
      `DATE(#) = ${ds}`,
      `DATE(#) = STR_TO_DATE(${nodash}, '%Y%m%d')`,
      `DATE_FORMAT(#, '%Y-%m-%d') = ${ds}`,
      `# BETWEEN '{{ ds }} 00:00:00' AND '{{ ds }} 23:59:59'`,
      `# >= ${ds} AND # < ${ds} + INTERVAL 1 DAY`,
      `TO_DAYS(#) = TO_DAYS(${ds})`,
    ],
    duckdb: [
      `strftime(#, '%Y-%m-%d') = ${ds}`,
      `# >= DATE ${ds} and # < DATE ${ds} + INTERVAL (1) DAY`,
      `#::DATE = strptime(${nodash}, '%Y%m%d')::DATE`,
    ],
    trino: [
      `date(#) = date(${ds})`,
      `cast(# as date) = cast(${ds} as date)`,
      `date_format(#, '%Y-%m-%d') = ${ds}`,
      `format_datetime(#, 'yyyy-MM-dd') = ${ds}`,
      `# >= date_parse(${nodash}, '%Y%m%d') and # < date ${ds} + interval '1' day`,
    ],
  },
  [`[${day} - 6 days, ${day} + 1 day)`]: {
    postgres: [
      `# >= ${ds}::date - 6 and # < ${ds}::date + 1`,
      `# >= ${ds}::date - make_interval(days => 6) and # < ${ds}::date + make_interval(0, 0, 0, 1)`,
      `#::date between ${ds}::date - interval '6 days' and ${ds}`,
      `# >= ${ds}::date - 6 * '1 day'::interval and #::date <= ${ds}`,
    ],
    redshift: [`# >= dateadd(day, -6, ${ds}) and # < dateadd(d, 1, ${ds})`],
    snowflake: [`# >= dateadd(day, -6, to_date(${ds})) and # < timestampadd(day, 1, ${ds}::date)`],
    bigquery: [
      `DATE(#) BETWEEN DATE_SUB(${ds}, INTERVAL 6 DAY) AND ${ds}`,
      `# >= TIMESTAMP_SUB(TIMESTAMP(${ds}), INTERVAL 6 DAY) AND DATE(#) <= ${ds}`,
    ],
    spark: [`# >= date_sub(${ds}, 6) and # < date_add(${ds}, 1)`, `to_date(#) between date_sub(${ds}, 6) and ${ds}`],
    mysql: [
      `# >= DATE_SUB(${ds}, INTERVAL 6 DAY) AND # < ADDDATE(${ds}, 1)`,
      `# >= ${ds} - INTERVAL 6 DAY AND # < TIMESTAMPADD(DAY, 1, ${ds})`,
    ],
    duckdb: [`# >= DATE ${ds} - 6 and # < date_add(DATE ${ds}, INTERVAL 1 DAY)`],
    trino: [`# >= date_add('day', -6, date ${ds}) and # < date ${ds} + interval '1' day`],
  },
  [`[${month}, end)`]: {
    postgres: [`# >= date_trunc('month', ${s}::timestamp) and # < ${e}`],
    redshift: [`# >= date_trunc('month', ${s}::timestamp) and # < ${e}`],
    snowflake: [`# >= date_trunc(month, to_timestamp_ntz(${s})) and # < ${e}`],
    bigquery: [`# >= TIMESTAMP_TRUNC(TIMESTAMP(${s}), MONTH) and # < TIMESTAMP(${e})`],
    spark: [`# >= date_trunc('MONTH', ${s}) and # < ${e}`, `# >= trunc(${ds}, 'MM') and # < ${e}`],
    mysql: [`# >= DATE_FORMAT(${ds}, '%Y-%m-01') and # < ${e}`],
    duckdb: [`# >= date_trunc('month', ${s}::timestamp) and # < ${e}`],
    trino: [`# >= date_trunc('month', from_iso8601_timestamp('{{ ts }}')) and # < ${e}`],
  },
  [`[${day} - 1 day, ${day})`]: {
    postgres: [`#::date = ${ds}::date - 1`],
    redshift: [`date_trunc('day', #) = dateadd(day, -1, ${ds})`],
    snowflake: [`#::date = dateadd('day', -1, ${ds}::date)`],
    bigquery: [`DATE(#) = DATE_SUB(DATE ${ds}, INTERVAL 1 DAY)`, `DATE_ADD(DATE(#), INTERVAL 1 DAY) = ${ds}`],
    spark: [`to_date(#) = date_sub(${ds}, 1)`, `date_add(to_date(#), 1) = ${ds}`],
    mysql: [`DATE(#) = ${ds} - INTERVAL 1 DAY`],
    duckdb: [`#::DATE = DATE ${ds} - 1`],
    trino: [`date(#) = date_add('day', -1, date ${ds})`],
  },
  '[start, end + 1 day)': {
    postgres: [`# >= ${s} and # < ${e}::timestamptz + interval '1 day'`],
    redshift: [`# >= ${s} and # < dateadd(day, 1, ${e}::timestamp)`],
    snowflake: [`# >= ${s} and # < dateadd(day, 1, to_timestamp_ntz(${e}))`],
    bigquery: [`# >= TIMESTAMP(${s}) and # < TIMESTAMP_ADD(TIMESTAMP(${e}), INTERVAL 1 DAY)`],
    spark: [`# >= ${s} and # < cast(${e} as timestamp) + interval 1 day`],
    mysql: [`# >= ${s} and # < DATE_ADD(${e}, INTERVAL 1 DAY)`],
    duckdb: [`# >= ${s} and # < ${e}::timestamptz + interval 1 day`],
    trino: [`# >= from_iso8601_timestamp(${s}) and # < date_add('day', 1, from_iso8601_timestamp(${e}))`],
  },
  'everything before end': {
    postgres: [`# < ${e}`, `not (# >= ${e})`, `# < ${e} and # >= '2020-01-01'`],
    bigquery: [`# < TIMESTAMP(${e})`],
    spark: [`# < to_timestamp(${e})`],
    trino: [`${e} > #`],
  },
  [`everything before ${month} + 1 month`]: {
    snowflake: [`# <= last_day(${ds}::date)`, `last_day(#) <= last_day(${ds}::date)`],
    mysql: [`# <= LAST_DAY(${ds})`],
    bigquery: [`DATE(#) <= LAST_DAY(DATE ${ds}, MONTH)`],
    spark: [`to_date(#) <= last_day(${ds})`],
  },
  [`[week of ${day} + 1 day (UTC) - 1 day, week of ${day} + 1 day (UTC) + 6 days)`]: {
    bigquery: [
      `DATE_TRUNC(DATE(#), WEEK) = DATE_TRUNC(DATE ${ds}, WEEK)`,
      `TIMESTAMP_TRUNC(#, WEEK(SUNDAY)) = TIMESTAMP_TRUNC(TIMESTAMP(${ds}), WEEK(SUNDAY))`,
    ],
  },
  '[week of start (UTC), week of start (UTC) + 7 days)': {
    postgres: [`date_trunc('week', #) = date_trunc('week', ${ds}::date)`],
    bigquery: [
      `DATE_TRUNC(DATE(#), ISOWEEK) = DATE_TRUNC(DATE ${ds}, ISOWEEK)`,
      `DATE_TRUNC(DATE(#), WEEK(MONDAY)) = DATE_TRUNC(DATE ${ds}, WEEK(MONDAY))`,
    ],
    snowflake: [`date_trunc('week', #) = date_trunc('week', ${ds}::date)`],
  },
  'the whole table': {
    postgres: ['1 = 1', "country = '{{ params.country }}'", `# >= ${s} or late`, `not (# >= ${s} and # < ${e})`],
    snowflake: ['dayofweek(#) = 1'],
    bigquery: ['EXTRACT(YEAR FROM #) = 2026'],
    spark: ["date_format(#, 'MM') = '01'"],
    mysql: ["DATE_FORMAT(#, '%d.%m.%Y') = '01.01.2026'"],
  },
  unknown: {
    postgres: [`# >= ${s} and # < now()`],
    redshift: ['# >= getdate() - 1'],
    snowflake: ['# >= dateadd(day, -1, current_date)'],
    bigquery: ['DATE(#) = CURRENT_DATE()'],
    spark: ['# > date_sub(current_date(), 7)'],
    mysql: ['# >= CURDATE() - INTERVAL 1 DAY', '# > UNIX_TIMESTAMP()'],
    duckdb: ['# > today() - 1'],
    trino: ["# > date_add('day', -1, current_date)"],
  },
};

/** Ways from the condition to the table; `{p x}`: the condition on the expression `x`. */
const carriers: Readonly<Record<string, string>> = {
  direct: 'select * from src where {p ts}',
  alias: 'select * from src s where {p s.ts}',
  'a common table': 'with x as (select ts as t, v from src) select * from x where {p x.t}',
  'nested common tables':
    'with x as (select * from src), y as (select ts as t from x where v > 0), z (u) as (select t from y) select * from z where {p u}',
  'a derived table': 'select * from (select id, ts as t from src) q where {p q.t}',
  'an inner condition': 'select * from (select * from src where {p ts}) q where q.v > 1',
  'a join condition': 'select * from dim d join src s on s.id = d.id and {p s.ts}',
  'an outer join': 'select * from dim d left join src s on s.id = d.id and {p s.ts}',
  'both branches of a union': 'select * from (select ts as t from src union all select ts from src) q where {p t}',
  'the branches of a union': 'select ts from src where {p ts} union all select ts from src where {p ts}',
  EXISTS: 'select * from dim d where exists (select 1 from src s where s.id = d.id and {p s.ts})',
  'IN (SELECT …)': 'select * from dim where id in (select id from src where {p ts})',
  'a double NOT': 'select * from src where not (not ({p ts}))',
  'an OR of the same': 'select * from src where (({p ts}) or ({p ts}))',
  'a CASE beside it': 'select case when v > 0 then 1 end from src where {p ts} and (v = 1 or v = 2)',
};

describe.each(Object.entries(rows))('%s', (window, spellings) => {
  const all = Object.entries(spellings).flatMap(([dialect, list]) => list.map((one) => [dialect, one] as const));
  it.each(all)('%s: %s', (dialect, predicate) => {
    for (const [carrier, query] of Object.entries(carriers)) {
      const sql = query.replace(/\{p ([\w.]+)\}/g, (_, column: string) => `(${predicate.replaceAll('#', column)})`);
      const found = readsOfSql(`insert into t ${sql}`, { dialect: dialect as DialectName });
      const read = found.filter((one) => one.startsWith('src')).map((one) => one.replace(/^src\.ts /, ''));
      const expected =
        window === 'unknown'
          ? expect.stringContaining('src unknown: ')
          : window === 'the whole table'
            ? 'src the whole table'
            : window;
      expect([...new Set(read)], `${carrier}: ${sql}`).toEqual([expected]);
    }
  });
});
