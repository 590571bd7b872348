import { describe, expect, test } from 'vitest';
import { walkExpressions, walkQueries } from '../../../src/core/sql/model/walk.ts';
import { read, readJson, readOne } from './support.ts';

describe('positions', () => {
  const sql =
    '-- 🎉 première\r\n\tDELETE FROM "Ünïcode".t\r\n\tWHERE a = \'👩‍👩‍👧\' AND /* 🎉 */ ds >= now();\r\nINSERT INTO x SELECT 1';
  const [first, second] = read(sql).statements;
  const slice = (span: { start: number; end: number } | undefined) => sql.slice(span?.start, span?.end);

  test('count UTF-16 units through emoji, CRLF and tabs', () => {
    expect(slice(first?.head)).toBe('DELETE FROM "Ünïcode".t');
    expect(slice(first?.target)).toBe('"Ünïcode".t');
    expect(slice(first?.whereSpan)).toBe("WHERE a = '👩‍👩‍👧' AND /* 🎉 */ ds >= now()");
    expect(first?.where.map(slice)).toEqual(["a = '👩‍👩‍👧'", 'ds >= now()']);
    expect(first?.nondeterministic.map(slice)).toEqual(['now()']);
    expect(slice(second)).toBe('INSERT INTO x SELECT 1');
  });

  test('are shown 1-based with the end exclusive', () => {
    expect(readJson(sql, 'postgres').map(({ range }) => range)).toEqual([
      { start: { line: 2, column: 2 }, end: { line: 3, column: 47 } },
      { start: { line: 4, column: 1 }, end: { line: 4, column: 23 } },
    ]);
  });

  test.each([
    ['WITH s AS (SELECT 1) INSERT INTO m.t (a) SELECT * FROM s', 'INSERT INTO m.t'],
    ['UPDATE m.t AS x SET a = 1', 'UPDATE m.t'],
    ['MERGE INTO m.t USING s ON true WHEN MATCHED THEN DELETE', 'MERGE INTO m.t'],
    ['CREATE TABLE IF NOT EXISTS m.t AS SELECT 1', 'CREATE TABLE IF NOT EXISTS m.t'],
    ['TRUNCATE m.t', 'TRUNCATE m.t'],
    ['SELECT 1', 'SELECT'],
  ])('head of %s', (text, head) => {
    const one = readOne(text);
    expect(text.slice(one.head.start, one.head.end)).toBe(head);
  });

  test('clauses, branches and actions', () => {
    const text =
      'MERGE INTO m.t USING s ON t.id = s.id WHEN MATCHED AND s.x > 1 THEN UPDATE SET n = t.n + 1, b = 2 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)';
    const one = readOne(text);
    expect(one.branches.map(({ actionSpan }) => text.slice(actionSpan.start, actionSpan.end))).toEqual([
      'UPDATE SET n = t.n + 1, b = 2',
      'INSERT (id) VALUES (s.id)',
    ]);
    expect(one.branches.map(({ matched }) => matched)).toEqual(['matched', 'not-matched']);
    expect(one.assignments.map(({ start, end }) => text.slice(start, end))).toEqual(['n = t.n + 1', 'b = 2']);
    const upsert =
      'INSERT INTO m.t SELECT 1 ON CONFLICT (id, ds) DO UPDATE SET n = m.t.n + excluded.n WHERE m.t.v < excluded.v';
    const conflict = readOne(upsert).conflict;
    expect(conflict).toMatchObject({ action: 'update', key: ['id', 'ds'] });
    expect(upsert.slice(conflict?.start, conflict?.end)).toBe(
      'DO UPDATE SET n = m.t.n + excluded.n WHERE m.t.v < excluded.v',
    );
  });
});

test.each([
  ['(id, ds)', ['id', 'ds']],
  ['(lower(a), b)', ['lower(a)', 'b']],
  ['(coalesce(a, b), c) WHERE d > 1', ['coalesce(a,b)', 'c']],
  ['ON CONSTRAINT k', []],
  ['', []],
])('conflict key %s', (target, key) => {
  const one = readOne(
    `INSERT INTO m.t VALUES (1) ON CONFLICT ${target} DO ${key.length > 0 ? 'UPDATE SET n = 1' : 'NOTHING'}`,
  );
  expect(one.conflict?.key).toEqual(key);
  expect(one.conflict?.action).toBe(key.length > 0 ? 'update' : 'nothing');
});

test('values of a MERGE and entries of PARTITION are kept for the walk', () => {
  const calls = (sql: string) => {
    const found: string[] = [];
    walkExpressions(readOne(sql, 'spark'), (expression) => {
      if (expression.kind === 'call') found.push(expression.name);
    });
    return found;
  };
  expect(
    calls('MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, k) VALUES (s.id, uuid())'),
  ).toEqual(['uuid']);
  expect(calls('INSERT OVERWRITE t PARTITION (ds = current_date(), h) SELECT 1, 2')).toEqual(['current_date']);
});

describe('definitions and keys', () => {
  test('of CREATE TABLE', () => {
    const one = readOne(`CREATE TABLE m.t (
      id bigint GENERATED ALWAYS AS IDENTITY, "Ds" date NOT NULL, v numeric(10, 2) DEFAULT 0 CHECK (v > 0), email text UNIQUE,
      CONSTRAINT u UNIQUE (v, email), PRIMARY KEY (id, "Ds"), FOREIGN KEY (v) REFERENCES o (v), LIKE other INCLUDING ALL)`);
    expect(
      one.definitions.map(({ name, type, notNull, unique, generated }) => [name, type, notNull, unique, generated]),
    ).toEqual([
      ['id', 'bigint', true, false, true],
      ['Ds', 'date', true, false, false],
      ['v', 'numeric(10,2)', false, false, false],
      ['email', 'text', false, true, false],
    ]);
    expect(one.keys).toEqual([['id', 'Ds'], ['v', 'email'], ['email']]);
  });

  test.each([
    ['CREATE TABLE t (id serial PRIMARY KEY, a timestamp with time zone)', [['id']]],
    ['CREATE UNIQUE INDEX i ON m.t (a, b)', [['a', 'b']]],
    ['CREATE UNIQUE INDEX i ON m.t (lower(a))', []],
    ['CREATE UNIQUE INDEX i ON m.t (a) WHERE b', []],
    ['CREATE INDEX i ON m.t (a)', []],
    ['ALTER TABLE m.t ADD CONSTRAINT c PRIMARY KEY (a)', [['a']]],
    ['ALTER TABLE m.t ADD UNIQUE (a, b), ADD COLUMN c int UNIQUE', [['a', 'b'], ['c']]],
  ])('%s', (sql, keys) => {
    expect(readOne(sql).keys).toEqual(keys);
  });

  test('of MySQL', () => {
    const one = readOne(
      'CREATE TABLE t (id INT UNSIGNED AUTO_INCREMENT, k VARCHAR(9), `key` int, PRIMARY KEY (id), UNIQUE KEY uk (k(5)), KEY other (k))',
      'mysql',
    );
    expect(one.keys).toEqual([['id'], ['k']]);
    expect(one.definitions.map(({ name }) => name)).toEqual(['id', 'k', 'key']);
  });
});

describe('queries', () => {
  test('joins with kind, alias and condition', () => {
    const one = readOne(
      'SELECT 1 FROM a x LEFT JOIN b AS y ON x.id = y.id AND y.d = 1 JOIN c USING (k), LATERAL (SELECT 1) l, f(1) g',
    );
    expect(one.query?.from.map(({ kind, alias, join, on, using }) => [kind, alias, join, on.length, using])).toEqual([
      ['table', 'x', 'first', 0, []],
      ['table', 'y', 'left', 2, []],
      ['table', undefined, 'inner', 0, ['k']],
      ['query', 'l', 'lateral', 0, []],
      ['function', 'g', 'comma', 0, []],
    ]);
  });

  test('set operations, common tables and the walk over all of them', () => {
    const one = readOne(
      'WITH a AS (SELECT x FROM t1) INSERT INTO t SELECT x FROM a WHERE x IN (SELECT y FROM t2) UNION ALL SELECT z FROM (SELECT z FROM t3) q',
    );
    const queries: string[] = [];
    walkQueries(one, ({ select }) => queries.push(select[0]?.name ?? ''));
    expect(queries).toEqual(['x', 'x', 'y', 'z', 'z']);
    const columns: string[] = [];
    walkExpressions(one, (expression) => {
      if (expression.kind === 'column') columns.push(expression.name);
    });
    expect(columns).toEqual(['x', 'x', 'x', 'y', 'z', 'z']);
    expect(one.query?.from[0]).toMatchObject({ kind: 'table', cte: 'a' });
  });

  test('data-modifying common tables are statements of their own', () => {
    const one = readOne(
      "WITH d AS (DELETE FROM m.t WHERE ds = '2026-01-01' RETURNING id) INSERT INTO m.t SELECT id FROM d",
    );
    expect(one.modifying.map(({ kind, target }) => [kind, target?.name])).toEqual([['delete', 'm.t']]);
    expect(one.query?.with[0]?.query.select.map(({ name }) => name)).toEqual(['id']);
  });
});

test('problems name what is never closed', () => {
  expect(read("SELECT 'a\n").problems).toEqual([{ start: 7, end: 9, message: 'This string is never closed.' }]);
  expect(read('SELECT 1 /* a').problems.map(({ message }) => message)).toEqual(['This comment is never closed.']);
  expect(read('SELECT 1').problems).toEqual([]);
});
