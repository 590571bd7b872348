import { expect, test } from 'vitest';
import type { ChangedColumn } from '../../../src/core/lineage/facts/facts.ts';
import { sqlContext } from '../../../src/core/lineage/times/sql-context.ts';
import { changedAgain } from '../../../src/core/lineage/writes/changed-again.ts';
import { makeTaskSql } from '../../../src/core/pipeline/model/make-task-sql.ts';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';

function changes(table: string, text: string, dialect: DialectName = 'postgres'): readonly ChangedColumn[] {
  const sql = makeTaskSql({ text, pieces: [] }, [], dialect, 'inline');
  const all = sql.reading.statements.map((statement) => ({
    statement,
    sql,
    sqlIndex: 0,
    context: sqlContext(sql, 'UTC'),
    params: {},
    inBody: false,
    calls: [],
  }));
  return changedAgain(table, all, []);
}

const isChanged = (value: string, dialect: DialectName = 'postgres', rest = 'FROM r.s s WHERE b.k = s.k'): boolean =>
  changes('m.t', `UPDATE m.t b SET n = ${value} ${rest}`, dialect).some(({ certainty }) => certainty === 'sure');

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

const remade = (sql: string): boolean => changes('t', sql).some(({ certainty, adds }) => certainty === 'sure' && adds);

test.each([
  'WITH s AS (SELECT o.id, o.n + e.v AS nn FROM t o JOIN ev e ON e.id = o.id) UPDATE t SET n = s.nn FROM s WHERE t.id = s.id',
  'WITH s AS (SELECT t.id, t.n + e.v nn FROM t JOIN ev e ON e.id = t.id) UPDATE t SET n = s.nn FROM s WHERE s.id = t.id',
  'WITH s (id, nn) AS (SELECT e.id, coalesce(o.n, 0) + e.v FROM ev e JOIN t o USING (id)) UPDATE t SET n = s.nn FROM s WHERE t.id = s.id',
  'UPDATE t SET n = s.nn FROM (SELECT o.id, o.n + e.v AS nn FROM t o JOIN ev e ON e.id = o.id) s WHERE t.id = s.id',
  'UPDATE t SET n = s.old + s.v FROM (SELECT o.id, o.n AS old, e.v FROM t o JOIN ev e ON e.id = o.id) s WHERE t.id = s.id',
  'WITH a AS (SELECT id, n FROM t), b AS (SELECT a.id, a.n + e.v AS nn FROM a JOIN ev e ON e.id = a.id), c AS (SELECT * FROM b) UPDATE t SET n = c.nn FROM c WHERE t.id = c.id',
  'UPDATE t SET n = o.n + e.v FROM t o JOIN ev e ON e.id = o.id WHERE o.id = t.id',
  'MERGE INTO t USING (SELECT e.id, o.n + e.v AS nn FROM ev e JOIN t o ON o.id = e.id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.nn',
  'INSERT INTO t SELECT e.id, coalesce(o.n, 0) + e.v FROM ev e LEFT JOIN t o ON o.id = e.id ON CONFLICT (id) DO UPDATE SET n = excluded.n',
  'INSERT INTO t (id, n) SELECT e.id, coalesce(o.n, 0) + sum(e.v) FROM ev e LEFT JOIN t o ON o.id = e.id GROUP BY e.id, o.n ON CONFLICT (id) DO UPDATE SET n = excluded.n',
  'INSERT INTO t (id, day, n) SELECT e.id, e.day, coalesce(o.n, 0) + e.v FROM ev e LEFT JOIN t o ON o.id = e.id AND o.day = e.day ON CONFLICT (id, day) DO UPDATE SET n = excluded.n',
])('its own row, read by a detour: %s', (sql) => expect(remade(sql)).toBe(true));

test.each([
  'INSERT INTO t (id, day, n) SELECT e.id, e.day, coalesce(o.n, 0) + e.v FROM ev e LEFT JOIN t o ON o.id = e.id AND o.day = e.day - 1 ON CONFLICT (id, day) DO UPDATE SET n = excluded.n',
  'INSERT INTO t (id, day, n) SELECT e.id, e.day + 1, coalesce(o.n, 0) + e.v FROM ev e LEFT JOIN t o ON o.id = e.id AND o.day = e.day ON CONFLICT (id, day) DO UPDATE SET n = excluded.n',
  "INSERT INTO t (id, day, n) SELECT e.id, '{{ ds }}', coalesce(o.n, 0) + e.v FROM ev e LEFT JOIN t o ON o.id = e.id AND o.day < '{{ ds }}' ON CONFLICT (id, day) DO UPDATE SET n = excluded.n",
  'WITH s AS (SELECT o.id, o.n + e.v AS nn FROM t o JOIN ev e ON e.id = o.id WHERE o.day < e.day) UPDATE t SET n = s.nn FROM s WHERE t.id = s.id',
  "WITH p AS (SELECT id, n FROM t WHERE day = DATE '{{ ds }}' - 1) UPDATE t SET n = p.n + e.v FROM p JOIN ev e ON e.id = p.id WHERE t.id = p.id AND t.day = e.day",
  'WITH s AS (SELECT id, day, lag(n) OVER (PARTITION BY id ORDER BY day) + 1 AS nn FROM t) UPDATE t SET n = s.nn FROM s WHERE t.id = s.id AND t.day = s.day',
  'WITH s AS (SELECT o.id, o.m + e.v AS nn FROM t o JOIN ev e ON e.id = o.id) UPDATE t SET n = s.nn FROM s WHERE t.id = s.id',
  'WITH s AS (SELECT o.id, o.n + e.v AS nn FROM other o JOIN ev e ON e.id = o.id) UPDATE t SET n = s.nn FROM s WHERE t.id = s.id',
  'WITH s AS (SELECT o.parent AS id, o.n + 1 AS nn FROM t o) UPDATE t SET n = s.nn FROM s WHERE t.id = s.id',
  'INSERT INTO t (id, n) SELECT e.id, greatest(o.n, e.v) FROM ev e LEFT JOIN t o ON o.id = e.id ON CONFLICT (id) DO UPDATE SET n = excluded.n',
  'INSERT INTO t (id, n) SELECT e.id, o.n + e.v FROM ev e LEFT JOIN t o ON o.id = e.id ON CONFLICT (id) DO NOTHING',
])('other rows or other columns: %s', (sql) => expect(remade(sql)).toBe(false));

test.each([
  ["jsonb_set(n, '{a}', to_jsonb((n->>'a')::int + 1))", true],
  ["jsonb_set(b.n, '{a}', to_jsonb(coalesce((b.n->>'a')::int, 0) + s.v))", true],
  ["jsonb_set(n, '{a,c}', to_jsonb((n#>>'{a,c}')::int + 1))", true],
  ["jsonb_set(n, '{a,c}', to_jsonb((n->'a'->>'c')::int + 1))", true],
  ["n || jsonb_build_object('a', (n->>'a')::int + 1)", true],
  ["jsonb_set(n, '{total}', to_jsonb((n->>'a')::int + 1))", false],
  ["jsonb_set(n, '{a}', to_jsonb((s.n->>'a')::int + 1))", false],
  ["jsonb_set(n, '{a}', to_jsonb(s.v + 1))", false],
  ["jsonb_set(n, '{a}', n->'a')", false],
])('a member of a document: %s', (value, expected) => expect(isChanged(value)).toBe(expected));
