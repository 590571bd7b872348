import { expect, test } from 'vitest';
import { rowExpression } from '../../../src/core/sql/row-expression.ts';

test.each([
  ["(payload ->> 'at')::date", ['payload'], []],
  ["created_at at time zone 'UTC'", ['created_at'], []],
  ['make_date(y, m, d)', ['y', 'm', 'd'], ['make_date']],
  ['to_timestamp(epoch / 1000.0)', ['epoch'], ['to_timestamp']],
  ['to_timestamp(extract(epoch from "Created At"))', ['Created At'], ['to_timestamp', 'extract']],
  ['case when a is null then b else c end', ['a', 'b', 'c'], []],
  ['coalesce(a, b) -- as loaded', ['a', 'b'], ['coalesce']],
  ['days[1]::date', ['days'], []],
  ["date '2024-01-01' + n", ['n'], []],
  ['mart.day_of(id)', ['id'], ['mart.day_of']],
])('one value of a row: %s', (sql, columns, calls) => {
  expect(rowExpression(sql)).toEqual({ value: { sql, columns, calls } });
});

test.each([
  ['', 'is not one SQL expression'],
  ['a, b', 'is not one SQL expression'],
  ['a as b', 'is not one SQL expression'],
  ['a b', 'is not one SQL expression'],
  ['distinct a', 'no place'],
  ['a +', 'is not one SQL expression'],
  ['a) + (b', 'is not one SQL expression'],
  ["a || 'x", 'is not one SQL expression'],
  ['a from t', 'is not one SQL expression'],
  ['a; drop table t', '";" has no place'],
  ['(select max(a) from t)', '"select" has no place'],
  ['row_number() over (order by a)', '"over" has no place'],
  ['count(*)', 'looks at more than one row'],
  ['t.a::date', 'write a without t.'],
  ["'2024-01-01'::date", 'names no column'],
  ['a::date - (now() - a)', 'now has another value in each run'],
  ["greatest(a, 'today'::date)", 'has another value in each run'],
  ['a > $1', '"$1" has no value here'],
  ["a = '{{ ds }}'", 'holds a template'],
])('refused: %s', (sql, why) => {
  expect(rowExpression(sql)).toEqual({ wrong: expect.stringContaining(why) });
});
