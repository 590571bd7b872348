import { expect, test } from 'vitest';
import { selfAdditions } from '../../../src/core/lineage/writes/self-additions.ts';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import { readOne } from '../sql/support.ts';

const isChanged = (value: string, dialect: DialectName = 'postgres', rest = 'FROM r.s s WHERE b.k = s.k'): boolean =>
  selfAdditions(readOne(`UPDATE m.t b SET n = ${value} ${rest}`, dialect), {
    isTarget: (qualifier) => qualifier === 'b',
    isSame: ({ name }) => name === 'm.t',
  }).some(({ guarded }) => !guarded);

test.each([
  'n + s.n',
  'coalesce(b.n, 0) + s.n',
  'b.n * s.rate',
  '(n - 1)',
  'round(b.n / 100.0, 2)',
  'n << 1',
  '(n << 1) & 255',
  "n || ',' || s.n",
  'trim(n || s.n)',
  "concat(n, ',', s.n)",
  "concat_ws(',', b.n, s.n)",
  'array_append(n, s.n)',
  'array_prepend(s.n, n)',
  'power(n, 2)',
  "n + interval '1 day'",
  'CASE WHEN n IS NULL THEN s.n ELSE n + s.n END',
])('%s is made from itself', (value) => expect(isChanged(value)).toBe(true));

test.each([
  's.n',
  's.n + 1',
  'trim(upper(n))',
  'greatest(n, s.n)',
  'coalesce(n, s.n)',
  'n | 4',
  'n & 7',
  'n % 7',
  "n || jsonb_build_object('a', 1)",
  'array_distinct(array_cat(n, s.n))',
  '(SELECT sum(x.n) FROM r.x x WHERE x.k = b.k)',
  'concat(s.a, s.b)',
])('%s is not', (value) => expect(isChanged(value)).toBe(false));

test.each([
  ['ARRAY_CONCAT(n, s.n)', 'bigquery'],
  ['DATE_ADD(n, INTERVAL 1 DAY)', 'bigquery'],
  ['dateadd(day, 1, n)', 'snowflake'],
  ['list_append(n, s.n)', 'duckdb'],
] as const)('%s of %s', (value, dialect) => expect(isChanged(value, dialect)).toBe(true));

test('a flag guards, the day of a row does not', () => {
  expect(isChanged('b.n + s.n', 'postgres', 'FROM r.s s WHERE s.k = b.k AND NOT s.booked')).toBe(false);
  expect(isChanged('b.n + s.n', 'postgres', "FROM r.s s WHERE s.k = b.k AND s.booked_on = '{{ ds }}'")).toBe(true);
});
