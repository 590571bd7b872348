import { describe, expect, test } from 'vitest';
import { addsAgain } from '../../../src/core/plan/findings/adds-again.ts';
import { checkFiles, dagWith } from '../../support/check-files.ts';
import { workspace } from './workspace.ts';

const ddl = `CREATE TABLE g (sid bigserial PRIMARY KEY, day date, a int);
CREATE TABLE gi (sid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, day date, a int);
CREATE TABLE gu (sid uuid DEFAULT gen_random_uuid() PRIMARY KEY, day date, a int);
CREATE TABLE both (sid bigserial PRIMARY KEY, a int UNIQUE, day date);
CREATE TABLE made (a int, twice int GENERATED ALWAYS AS (a * 2) STORED UNIQUE, day date);
CREATE TABLE k (id int PRIMARY KEY, day date);
CREATE TABLE v (id int, v int, day date, PRIMARY KEY (id, v));`;

/** What plan and check say of a second run: `adds`, `fails`, `leaves` (rows that came since) or nothing; both the same. */
function said(sql: string): string {
  const { facts } = workspace({ ddl: { tasks: { ddl } }, d: { tasks: { t: sql } } });
  const [write] = (facts.get('d.t')?.writes ?? []).filter(({ mode }) => mode === 'append');
  const task = { id: 'd.t', writes: facts.get('d.t')?.writes ?? [], executor: { kind: 'warehouse' } };
  const [finding] = addsAgain({
    request: { allowAppend: false },
    graph: { tasks: new Map([['d.t', task]]) },
    units: [{ task: 'd.t', start: 0 }],
  } as never);
  const [inserted] = checkFiles({ 'sql/ddl.sql': ddl, ...dagWith(sql) }).filter(({ rule }) => rule === 'plain-insert');
  const planned =
    finding === undefined
      ? 'nothing'
      : write?.refusedBy !== undefined
        ? 'fails'
        : finding.severity === 'error'
          ? 'adds'
          : 'leaves';
  const checked = inserted === undefined ? 'silent' : /A rerun fails/.test(inserted.message) ? 'fails' : 'adds';
  return `${planned} ${checked}`;
}

const of = (table: string, columns: string, more: string): string =>
  `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM r WHERE day = '{{ ds }}' ${more}`;

describe('an upsert whose key each row has anew', () => {
  test.each([
    of('g', 'day, a', 'ON CONFLICT DO NOTHING'),
    of('gi', 'day, a', 'ON CONFLICT (sid) DO NOTHING'),
    of('gu', 'day, a', 'ON CONFLICT (sid) DO UPDATE SET a = excluded.a'),
    "INSERT INTO gu SELECT gen_random_uuid(), day, a FROM r WHERE day = '{{ ds }}' ON CONFLICT (sid) DO NOTHING",
    "INSERT INTO v SELECT id, (SELECT coalesce(max(v), 0) + 1 FROM v WHERE day = '{{ ds }}'), day FROM r WHERE day = '{{ ds }}' ON CONFLICT (id, v) DO UPDATE SET day = excluded.day",
  ])('adds its rows again: %s', (sql) => expect(said(sql)).toBe('adds adds'));

  test.each([
    of('both', 'a, day', 'ON CONFLICT DO NOTHING'),
    of('made', 'a, day', 'ON CONFLICT DO NOTHING'),
    of('k', 'id, day', 'ON CONFLICT DO NOTHING'),
    of('g', 'sid, day, a', 'ON CONFLICT DO NOTHING'),
    of('unknown', 'day, a', 'ON CONFLICT DO NOTHING'),
    "INSERT INTO v SELECT id, (SELECT coalesce(max(v), 0) + 1 FROM v WHERE day < '{{ ds }}'), day FROM r WHERE day = '{{ ds }}' ON CONFLICT (id, v) DO UPDATE SET day = excluded.day",
  ])('meets its rows: %s', (sql) => expect(said(sql)).toBe('nothing silent'));

  test('a key that comes in makes the second run fail, in the same words', () =>
    expect(said(of('k', 'id, day', ''))).toBe('fails fails'));
});

describe('an INSERT that looks for rows in its target', () => {
  const from = (what: string, more: string): string =>
    `INSERT INTO t (id, day) SELECT ${what} FROM r WHERE r.day = '{{ ds }}' ${more}`;

  test.each([
    from('r.id, r.day', 'AND NOT EXISTS (SELECT 1 FROM t WHERE t.id = r.id)'),
    from('r.id, r.day', 'AND NOT EXISTS (SELECT 1 FROM t WHERE t.id = r.id AND t.day = r.day)'),
    from('r.id, r.day', "AND NOT EXISTS (SELECT 1 FROM t WHERE t.id = r.id AND t.day = '{{ ds }}')"),
    from('r.id, r.day', "AND r.id NOT IN (SELECT id FROM t WHERE day >= '{{ ds }}')"),
    from('r.id, r.day', 'EXCEPT SELECT id, day FROM t'),
    from('r.id, r.day', 'EXCEPT SELECT * FROM t'),
    from('r.id, r.day', "AND (SELECT count(*) FROM t WHERE t.day = '{{ ds }}') = 0"),
    from('r.*', 'AND NOT EXISTS (SELECT 1 FROM t WHERE t.id = r.id)'),
    "INSERT INTO t (id, day) SELECT r.id, r.day FROM r LEFT JOIN (SELECT * FROM t WHERE day = '{{ ds }}') o ON o.id = r.id WHERE o.id IS NULL AND r.day = '{{ ds }}'",
    from('r.id, r.day', "AND NOT EXISTS (SELECT 1 FROM t WHERE t.day = '{{ ds }}')"),
    "INSERT INTO t (id, day) SELECT r.id, r.day FROM r LEFT JOIN t o USING (id) WHERE o.id IS NULL AND r.day = '{{ ds }}'",
    "WITH n AS (SELECT id, day FROM r WHERE day = '{{ ds }}') INSERT INTO t (id, day) SELECT n.id, n.day FROM n WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.id = n.id AND t.day >= '{{ ds }}')",
  ])('finds what it has added: %s', (sql) => expect(said(sql)).toBe('leaves silent'));

  test.each([from('r.id, r.day', 'AND (SELECT count(*) FROM t WHERE t.id = 3) = 0')])(
    'may look at others only, which is said so: %s',
    (sql) => expect(said(sql)).toBe('leaves silent'),
  );

  test.each([
    from("r.id, '{{ ds }}'", "AND NOT EXISTS (SELECT 1 FROM t WHERE t.id = r.id AND t.day < '{{ ds }}')"),
    from('r.id, r.day', "AND r.id NOT IN (SELECT id FROM t WHERE day = '{{ macros.ds_add(ds, -1) }}')"),
    from('r.id, clock_timestamp()', 'EXCEPT SELECT id, day FROM t'),
    from('r.id, clock_timestamp()', 'EXCEPT SELECT * FROM t'),
    from('r.id + 1000, r.day', 'AND NOT EXISTS (SELECT 1 FROM t WHERE t.id = r.id)'),
    from('r.id, r.day + 1', "AND NOT EXISTS (SELECT 1 FROM t WHERE t.id = r.id AND t.day = '{{ ds }}')"),
    from('nullif(r.id, 3), r.day', 'AND NOT EXISTS (SELECT 1 FROM t WHERE t.id = nullif(r.id, 3))'),
    "INSERT INTO t (id, day) SELECT r.id, r.day FROM r LEFT JOIN (SELECT * FROM t WHERE day < '{{ ds }}') o ON o.id = r.id WHERE o.id IS NULL AND r.day = '{{ ds }}'",
    "WITH o AS (SELECT id FROM t WHERE day < '{{ ds }}') INSERT INTO t (id, day) SELECT r.id, r.day FROM r WHERE r.day = '{{ ds }}' AND NOT EXISTS (SELECT 1 FROM o WHERE o.id = r.id)",
    "INSERT INTO t (id, day) SELECT round(q.id / 7, 3), q.day FROM (SELECT id, day FROM r WHERE day = '{{ ds }}' EXCEPT SELECT id, day FROM t) q",
    "INSERT INTO t (id, day) SELECT r.id, r.day FROM r LEFT JOIN t o ON o.id = r.id AND o.day < '{{ ds }}' WHERE o.id IS NULL AND r.day = '{{ ds }}'",
  ])('looks elsewhere: %s', (sql) => expect(said(sql)).toBe('adds adds'));
});

describe('a table that is made anew of its own rows', () => {
  const rows = "SELECT id, day FROM r WHERE day = '{{ ds }}'";
  const beside = (query: string): string => `CREATE TABLE n AS ${query}; DROP TABLE t; ALTER TABLE n RENAME TO t;`;
  const modes = (sql: string): readonly string[] =>
    (
      workspace({ ddl: { tasks: { ddl: 'CREATE TABLE t (id int, day date);' } }, d: { tasks: { t: sql } } }).facts.get(
        'd.t',
      )?.writes ?? []
    ).map(({ mode }) => mode);

  test.each([
    beside(`SELECT * FROM t UNION ALL ${rows}`),
    `CREATE TEMP TABLE n AS SELECT * FROM t UNION ALL ${rows}; TRUNCATE t; INSERT INTO t SELECT * FROM n;`,
    `CREATE TABLE n (LIKE t); INSERT INTO n SELECT * FROM t; INSERT INTO n ${rows}; DROP TABLE t; ALTER TABLE n RENAME TO t;`,
    `CREATE TABLE m.n (LIKE m.t); INSERT INTO m.n SELECT * FROM m.t; INSERT INTO m.n ${rows}; DROP TABLE m.t; ALTER TABLE m.n RENAME TO t;`,
    `ALTER TABLE t RENAME TO o; CREATE TABLE t AS SELECT * FROM o UNION ALL ${rows}; DROP TABLE o;`,
  ])('and of those of the interval, so that they come again: %s', (sql) => expect(said(sql)).toBe('adds adds'));

  test.each([
    [beside(`SELECT * FROM t UNION ${rows}`), 'append'],
    [beside(`SELECT * FROM t WHERE day <> '{{ ds }}' UNION ALL ${rows}`), 'delete+insert'],
    [beside(`SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.id = t.id) UNION ALL ${rows}`), 'delete+insert'],
    [beside(`SELECT DISTINCT ON (id) * FROM (SELECT * FROM t UNION ALL ${rows}) q ORDER BY id`), 'update'],
    [
      `CREATE TABLE m.n (LIKE m.t); INSERT INTO m.n SELECT * FROM m.t WHERE day <> '{{ ds }}'; INSERT INTO m.n ${rows}; DROP TABLE m.t; ALTER TABLE m.n RENAME TO t;`,
      'delete+insert',
    ],
    [beside(rows), 'full_replace'],
    [`DELETE FROM t; INSERT INTO t ${rows}; INSERT INTO t SELECT 0, day FROM t;`, 'full_replace'],
  ])('%s: %s', (sql, mode) => {
    expect(modes(sql)).toEqual([mode]);
    expect(said(sql)).not.toMatch(/adds/);
  });
});
