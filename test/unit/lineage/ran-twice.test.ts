import { describe, expect, test } from 'vitest';
import { addsTwice, changedColumn, surelyAgain } from '../../../src/core/lineage/facts/facts.ts';
import { checkFiles, dagWith } from '../../support/check-files.ts';
import { workspace } from './workspace.ts';

const day = "day = '{{ ds }}'";
const ddl = `create table t (id int primary key, day date not null, n int, st text);
  create table u (id int, shop text, day date); create table r (id int not null, shop text, day date not null, n int not null);
  create table p (id int, day date, n int, st text); create unique index one_open on p (id) where st = 'open';`;

/** What plan says of a second run, and which rules speak in check. */
function said(sql: string, more = ''): string {
  const { facts } = workspace({ ddl: { tasks: { ddl: more } }, d: { tasks: { t: sql } } });
  const plan = (facts.get('d.t')?.writes ?? []).map((write) => {
    if (surelyAgain(write) || (addsTwice(write) && write.tellsOfRuns !== true)) return 'refused';
    return changedColumn(write) !== undefined || write.mode === 'append' ? 'warned' : 'silent';
  });
  const rules = ['additive-update', 'plain-insert'];
  const check = checkFiles({ ...dagWith(sql), 'sql/ddl.sql': more })
    .filter(({ rule }) => rules.includes(rule))
    .map(({ rule, severity }) => `${rule} ${severity}`);
  return [plan.join(), ...check].join(' | ');
}

const again = 'refused | additive-update error';
const perhaps = 'warned | additive-update warning';

describe('a variable of a body carries the old value back into the table', () => {
  test.each([
    'DECLARE v int; BEGIN SELECT n INTO v FROM t WHERE id = 1; v := v + 1; UPDATE t SET n = v WHERE id = 1; END',
    'DECLARE v int; BEGIN SELECT n + 1 INTO STRICT v FROM t WHERE id = 1; UPDATE t SET n = v WHERE id = 1; END',
    'DECLARE v int; w int; BEGIN v := (SELECT n FROM t WHERE id = 1); w := v * 2; UPDATE t SET n = w WHERE id = 1; END',
    'DECLARE v int := (SELECT n FROM t WHERE id = 1); BEGIN UPDATE t SET n = v + 1 WHERE id = 1; END',
    `DECLARE q record; v int; BEGIN FOR q IN SELECT id, n FROM t WHERE ${day} LOOP v := q.n + 1; UPDATE t SET n = v WHERE id = q.id; END LOOP; END`,
    'DECLARE q record; BEGIN SELECT * INTO q FROM t WHERE id = 1; IF q.n > 0 THEN UPDATE t SET n = q.n + 5 WHERE id = 1; END IF; END',
    "DECLARE v int; BEGIN SELECT n INTO v FROM t WHERE id = 1; EXECUTE format('UPDATE %I SET n = $1 WHERE id = 1', 't') USING v + 1; END",
    "BEGIN EXECUTE format('UPDATE t SET n = n + %s WHERE id = 1', 5); END",
    "BEGIN EXECUTE format('UPDATE %I.%I SET n = n * 2 WHERE day = %L', 'public', 't', '2026-11-01'); END",
  ])('%s', (body) => expect(said(`DO $$ ${body} $$;`)).toBe(again));

  test.each([
    "DECLARE v int; BEGIN SELECT n INTO v FROM t WHERE id = 1; EXECUTE format('UPDATE %I SET n = $1 WHERE id = 1', 't') USING least(v, 4); END",
    "BEGIN EXECUTE format('UPDATE t SET n = %s WHERE id = 1', 5); END",
    `DECLARE v int; BEGIN SELECT sum(n) INTO v FROM r WHERE ${day}; v := v + 1; UPDATE t SET n = v WHERE ${day}; END`,
    `DECLARE v int; BEGIN SELECT n INTO v FROM t WHERE day = date '{{ ds }}' - 1; v := v + 1; UPDATE t SET n = v WHERE ${day}; END`,
    'DECLARE v int; BEGIN SELECT n INTO v FROM t WHERE id = 1; UPDATE t SET n = greatest(v, 3) WHERE id = 1; END',
    `DECLARE q record; BEGIN FOR q IN SELECT id, n FROM r WHERE ${day} LOOP UPDATE t SET n = q.n WHERE id = q.id; END LOOP; END`,
  ])('no old value of the same row: %s', (body) => expect(said(`DO $$ ${body} $$;`)).toBe('silent'));
});

describe('one statement deletes and inserts, on the table as it was before', () => {
  const rows = `SELECT id, day, n FROM r WHERE ${day}`;
  const cleared = `WITH d AS (DELETE FROM t WHERE ${day} RETURNING *)`;
  test.each([
    `${cleared} INSERT INTO t (id, day, n) ${rows} AND NOT EXISTS (SELECT 1 FROM t WHERE t.id = r.id)`,
    `${cleared} INSERT INTO t (id, day, n) ${rows} AND id NOT IN (SELECT id FROM t)`,
    `${cleared} INSERT INTO t (id, day, n) SELECT r.id, r.day, r.n FROM r LEFT JOIN t ON t.id = r.id WHERE r.${day} AND t.id IS NULL`,
    `${cleared} INSERT INTO t (id, day, n) ${rows} ON CONFLICT (id) DO NOTHING`,
  ])('rows come and go by turns: %s', (sql) => expect(said(sql, ddl)).toBe(again));

  test('rows that the DELETE leaves come twice', () =>
    expect(
      said(
        `WITH d AS (DELETE FROM u WHERE ${day} AND id > 3 RETURNING *) INSERT INTO u (id, shop, day) SELECT id, shop, day FROM r WHERE ${day}`,
      ),
    ).toBe(perhaps));

  test.each([
    `${cleared} INSERT INTO u (id, shop, day) SELECT id, st, day FROM d`,
    `WITH d AS (DELETE FROM u WHERE ${day} RETURNING *) INSERT INTO u (id, shop, day) SELECT id, shop, day FROM r WHERE ${day}`,
  ])('silent: %s', (sql) => expect(said(sql, ddl)).not.toContain('additive-update'));
});

describe('an upsert by a key of some rows', () => {
  const upsert = (st: string, key = "(id) WHERE st = 'open'"): string =>
    `INSERT INTO p (id, day, n, st) SELECT id, day, n, ${st} FROM r WHERE ${day} ON CONFLICT ${key} DO UPDATE SET n = excluded.n`;
  test('adds those that the key is not about', () => {
    expect(said(upsert('shop'), ddl)).toBe(perhaps);
    expect(said(upsert('shop'))).toBe(perhaps);
    expect(said(upsert("'closed'"), ddl)).toBe(again);
  });
  test('finds those that it is about, and all where another key is about all', () => {
    expect(said(upsert("'open'"), ddl)).toBe('silent');
    expect(said(upsert('shop'), `${ddl} create unique index whole on p (id);`)).toBe('silent');
  });
});

describe('a guard by what may be NULL', () => {
  const guarded = (column: string): string =>
    `INSERT INTO u (id, shop, day) SELECT id, shop, day FROM r WHERE ${day} AND NOT EXISTS (SELECT 1 FROM u WHERE u.${column} = r.${column})`;
  const nullOf = (sql: string, more: string): string | undefined =>
    workspace({ ddl: { tasks: { ddl: more } }, d: { tasks: { t: sql } } }).facts.get('d.t')?.writes[0]?.addsNull;
  test('lets rows in again that have it there, where both tables take it', () => {
    expect(nullOf(guarded('shop'), ddl)).toBe('shop');
    expect(nullOf(guarded('shop').replace('u.shop = r.shop', 'u.id = r.id AND u.shop = r.shop'), ddl)).toBe('shop');
    expect(
      nullOf(
        `INSERT INTO u (id, shop, day) SELECT r.id, r.shop, r.day FROM r LEFT JOIN u ON u.shop = r.shop WHERE r.${day} AND u.day IS NULL`,
        ddl,
      ),
    ).toBe('shop');
  });
  test('is one where neither is so, where NULL is like NULL, and where nobody knows the columns', () => {
    expect(nullOf(guarded('id'), ddl)).toBeUndefined();
    expect(
      nullOf(guarded('shop').replace('u.shop = r.shop', 'u.shop IS NOT DISTINCT FROM r.shop'), ddl),
    ).toBeUndefined();
    expect(nullOf(guarded('shop'), '')).toBeUndefined();
  });
});

describe('a DELETE that chooses among the rows that are left', () => {
  test.each([
    ['refused', 'WHERE id = (SELECT max(id) FROM t)'],
    ['refused', 'WHERE n < (SELECT avg(n) FROM t)'],
    ['refused', 'USING (SELECT id, ntile(5) OVER (ORDER BY n) AS b FROM t) x WHERE x.id = t.id AND x.b = 5'],
    ['warned', `WHERE ctid IN (SELECT ctid FROM t WHERE ${day} LIMIT 100)`],
    ['warned', 'WHERE n > (SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY n) FROM t)'],
    ['refused', 'WHERE id IN (SELECT id FROM t ORDER BY n LIMIT 10)'],
  ])('%s: DELETE FROM t %s', (verdict, which) =>
    expect(said(`DELETE FROM t ${which}`)).toBe(verdict === 'refused' ? again : perhaps),
  );
  test.each([
    'WHERE ctid NOT IN (SELECT min(ctid) FROM t GROUP BY id)',
    'USING (SELECT ctid, row_number() OVER (PARTITION BY id ORDER BY n, day) AS rn FROM t) x WHERE x.ctid = t.ctid AND x.rn > 1',
    'WHERE id = (SELECT max(id) FROM r)',
    'WHERE day < (SELECT max(day) FROM t)',
    'WHERE id NOT IN (SELECT id FROM t ORDER BY n LIMIT 10)',
    `WHERE ${day}`,
  ])('silent: DELETE FROM t %s', (which) => expect(said(`DELETE FROM t ${which}`)).toBe('silent'));
});

describe('a DELETE by key in front of an INSERT', () => {
  const rows = `INSERT INTO u (id, shop, day) SELECT id, shop, day FROM r WHERE ${day}`;
  test.each([
    `DELETE FROM u USING (SELECT id FROM r WHERE ${day} AND n = 3) x WHERE u.id = x.id; ${rows}`,
    `DELETE FROM u USING r JOIN shops s ON s.id = r.shop WHERE u.id = r.id; ${rows}`,
  ])('finds fewer rows than come in: %s', (sql) => expect(said(sql)).toBe(perhaps));
  test.each([
    `DELETE FROM u WHERE id IN (SELECT id FROM r WHERE ${day}); ${rows}`,
    `DELETE FROM u USING r WHERE u.id = r.id AND u.shop = r.shop AND r.${day}; ${rows}`,
    `DELETE FROM u USING (SELECT DISTINCT id FROM r) x WHERE u.id = x.id; ${rows}`,
  ])('silent: %s', (sql) => expect(said(sql)).toBe('silent'));
});

describe('what leaves out the rows of a first run', () => {
  const insert = `INSERT INTO u (id, shop, day) SELECT id, shop, day FROM r WHERE ${day}`;
  const versions = 'INSERT INTO u (id, hash, valid_from, valid_to)';
  test.each([
    `UPDATE u SET valid_to = '{{ ds }}' FROM r WHERE r.id = u.id AND u.valid_to IS NULL AND u.hash <> r.hash;
     ${versions} SELECT r.id, r.hash, '{{ ds }}', NULL FROM r WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = r.id AND u.valid_to IS NULL AND u.hash = r.hash)`,
    `UPDATE u SET valid_to = now() FROM r WHERE r.id = u.id AND u.valid_to IS NULL AND u.hash IS DISTINCT FROM r.hash AND r.${day};
     ${versions} SELECT r.id, r.hash, now(), NULL FROM r LEFT JOIN u ON u.id = r.id AND u.valid_to IS NULL WHERE r.${day} AND u.id IS NULL`,
    `WITH up AS (UPDATE u SET shop = r.shop FROM r WHERE r.id = u.id AND r.${day} RETURNING u.id) ${insert} AND NOT EXISTS (SELECT 1 FROM up WHERE up.id = r.id)`,
    `WITH up AS (UPDATE u SET shop = r.shop FROM r WHERE r.id = u.id RETURNING u.*) INSERT INTO u (id, shop, day) SELECT r.id, r.shop, r.day FROM r LEFT JOIN up ON up.id = r.id WHERE up.id IS NULL`,
    `DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM u WHERE ${day}) THEN ${insert}; END IF; END $$`,
    `DO $$ BEGIN IF (SELECT count(*) FROM u WHERE ${day}) = 0 THEN ${insert}; END IF; END $$`,
    `DO $$ BEGIN IF EXISTS (SELECT 1 FROM u WHERE ${day}) THEN RETURN; END IF; ${insert}; END $$`,
    `DO $$ BEGIN PERFORM 1 FROM u WHERE ${day}; IF NOT FOUND THEN ${insert}; END IF; END $$`,
    `DO $$ DECLARE c int; BEGIN SELECT count(*) INTO c FROM u WHERE ${day}; IF c = 0 THEN ${insert}; END IF; END $$`,
  ])('warned, not refused: %s', (sql) => expect(said(sql)).toBe('warned'));

  test.each([
    `DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM u WHERE day = date '{{ ds }}' - 1) THEN ${insert}; END IF; END $$`,
    `DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM z WHERE ${day}) THEN ${insert}; END IF; END $$`,
    `DO $$ BEGIN IF random() > 0.5 THEN ${insert}; END IF; END $$`,
    `WITH up AS (UPDATE u SET shop = r.shop FROM r WHERE r.id = u.id RETURNING u.id) ${insert}`,
  ])('refused: %s', (sql) => expect(said(sql)).toMatch(/^refused/));
});

describe('a body that asks its table what is there, in a way that is not followed', () => {
  const insert = `INSERT INTO u (id, shop, day) SELECT id, shop, day FROM r WHERE ${day}`;
  test.each([
    `BEGIN IF (SELECT bool_and(etl.is_whole(id)) FROM u WHERE ${day}) IS NULL THEN ${insert}; END IF; END`,
    `BEGIN IF 0 = ALL (SELECT 1 FROM u WHERE ${day}) THEN ${insert}; END IF; END`,
    `DECLARE c int := (SELECT etl.number(id) FROM u); BEGIN IF c > 0 THEN RETURN; END IF; ${insert}; END`,
    `DECLARE c int; BEGIN SELECT etl.number(id) INTO c FROM u; IF c = 0 THEN ${insert}; END IF; END`,
    `BEGIN CASE WHEN EXISTS (SELECT 1 FROM u WHERE ${day}) THEN NULL; ELSE ${insert}; END CASE; END`,
    `BEGIN LOOP IF EXISTS (SELECT 1 FROM u WHERE ${day}) THEN EXIT; END IF; ${insert}; END LOOP; END`,
  ])('may find what it has added itself: %s', (body) => expect(said(`DO $$ ${body} $$`)).toBe('warned'));

  test.each([
    `BEGIN ${insert}; IF (SELECT etl.number(id) FROM u) = 0 THEN RAISE 'none'; END IF; END`,
    `BEGIN IF (SELECT etl.number(id) FROM r) = 0 THEN ${insert}; END IF; END`,
  ])('asks afterwards, or another table: %s', (body) => expect(said(`DO $$ ${body} $$`)).toMatch(/^refused/));
});

describe('check and plan say the same', () => {
  const insert = `INSERT INTO u (id, shop, day) SELECT id, shop, day FROM r WHERE ${day}`;
  test('of an INSERT in a body', () => {
    expect(said(`DO $$ BEGIN ${insert}; END $$`)).toBe('refused | plain-insert error');
    expect(said(`DO $$ BEGIN DELETE FROM u WHERE ${day}; ${insert}; END $$`)).toBe('silent');
  });
  test('of a row that tells of the run', () => {
    expect(said("INSERT INTO mart.load_log (day, n) SELECT '{{ ds }}', count(*) FROM r")).toBe('warned');
    expect(said("INSERT INTO mart.log (run) VALUES ('{{ run_id }}')")).toBe('warned');
    expect(said(`INSERT INTO mart.log SELECT * FROM raw.log WHERE ${day}`)).toBe('refused | plain-insert error');
  });
  test('of rows that the task marks as done where they come from', () => {
    expect(
      said('INSERT INTO u SELECT id, shop FROM q WHERE done = false; UPDATE q SET done = true WHERE done = false'),
    ).toBe('warned,silent');
    expect(
      said('INSERT INTO u SELECT id, shop FROM q WHERE done = false; UPDATE q SET seen = true WHERE done = false'),
    ).toMatch(/^refused/);
  });
});

test('ON CONFLICT DO NOTHING promises nothing where no key of the table is known', () => {
  const insert = `INSERT INTO u (id, day) SELECT id, day FROM r WHERE ${day} ON CONFLICT DO NOTHING`;
  const messages = (more: string) =>
    checkFiles({ ...dagWith(insert), 'sql/ddl.sql': more })
      .filter(({ rule }) => rule === 'do-nothing-upsert')
      .map(({ message }) => message)
      .join();
  expect(messages('')).toContain('rows that meet none come again');
  expect(messages('create table u (id int primary key, day date, n int)')).not.toContain('come again');
});

describe('a dimension that keeps its versions, with a key that would refuse them', () => {
  const keyed = `create table dim (id int, name text, valid_from date, valid_to date, is_current boolean, primary key (id, valid_from));
    create table s (id int, name text, day date)`;
  const closes = (open: string, close: string) =>
    `UPDATE dim d SET ${close} FROM s WHERE s.${day} AND s.id = d.id AND d.${open} AND d.name <> s.name;`;
  const opens = (open: string, value: string, more = '') =>
    `INSERT INTO dim (id, name, valid_from, ${value.split('=')[0]}) SELECT s.id, s.name, s.day, ${value.split('=')[1]} FROM s WHERE s.${day} AND NOT EXISTS (SELECT 1 FROM dim d WHERE d.id = s.id AND d.${open}${more})`;

  test.each([
    ["valid_to = 'infinity'", "valid_to = '{{ ds }}'", "valid_to='infinity'"],
    ["valid_to = '9999-12-31'", "valid_to = date '{{ ds }}'", "valid_to='9999-12-31'"],
    ['is_current', "valid_to = '{{ ds }}', is_current = false", 'is_current=true'],
  ])('adds only versions that are not open: %s', (open, close, value) =>
    expect(said(`${closes(open, close)} ${opens(open, value)}`, keyed)).toMatch(/^warned(?:$|.*warning$)/),
  );

  test('without its guard the key refuses it', () =>
    expect(
      said(
        `${closes("valid_to = 'infinity'", "valid_to = '{{ ds }}'")} INSERT INTO dim (id, name, valid_from, valid_to) SELECT id, name, day, 'infinity' FROM s WHERE ${day}`,
        keyed,
      ),
    ).toMatch(/^refused/));
});
