import { describe, expect, test } from 'vitest';
import { applyFix, checkFiles, dagWith, type Files } from '../../support/check-files.ts';
import { saidBy } from '../../support/said-by.ts';

const day = "WHERE day = '{{ ds }}'";
const pg = (sql: string, more: Files = {}): Files => ({
  'dags/one.py': `from datetime import datetime
import uuid
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator

with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    PostgresOperator(task_id="load", sql="""
${sql}
""")
`,
  ...more,
});
const snow = (sql: string): Files => ({
  'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.snowflake.operators.snowflake import SnowflakeOperator

with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    SnowflakeOperator(task_id="load", sql="""
${sql}
""")
`,
});
const replaced = (items: string, from = `FROM raw.a ${day}`) =>
  pg(`DELETE FROM m.t ${day}; INSERT INTO m.t SELECT ${items} ${from}`);

describe('unstable-key', () => {
  const said = (files: Files) => saidBy('unstable-key', files);
  const upsert = (items: string, { key = 'id', act = 'UPDATE SET n = EXCLUDED.n', from = `FROM raw.a ${day}` } = {}) =>
    pg(`INSERT INTO m.t (id, day, n) SELECT ${items} ${from} ON CONFLICT (${key}) DO ${act}`);
  const merge = (items: string, on: string, values = 's.id, s.n') =>
    pg(`MERGE INTO m.t USING (SELECT ${items} FROM raw.a ${day}) s ON ${on}
      WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT (id, n) VALUES (${values})`);

  test.each<[string, Files, string]>([
    ['a random key', upsert('gen_random_uuid(), day, n'), 'gen_random_uuid()'],
    ['in a hash', upsert('md5(random()::text) AS id, day, n'), 'md5(random()::text) AS id'],
    ['a sequence', upsert("nextval('s'), day, n"), "nextval('s')"],
    [
      'nothing is done for one that is there',
      upsert('gen_random_uuid(), day, n', { act: 'NOTHING' }),
      'gen_random_uuid()',
    ],
    [
      'through a derived table',
      upsert('id, day, n', { from: `FROM (SELECT uuid_generate_v4() AS id, day, n FROM raw.a ${day}) q` }),
      'uuid_generate_v4() AS id',
    ],
    ['row_number without an order', upsert('row_number() OVER (), day, n'), 'row_number() OVER ()'],
    [
      'row_number with an order that says nothing',
      upsert('row_number() OVER (ORDER BY (SELECT NULL)), day, n'),
      'row_number() OVER (ORDER BY (SELECT NULL))',
    ],
    [
      'numbers that begin anew with each interval',
      upsert('row_number() OVER (ORDER BY ts, k), day, n'),
      'row_number() OVER (ORDER BY ts, k)',
    ],
    ['a MERGE', merge('gen_random_uuid() AS id, n', 'm.t.id = s.id'), 'gen_random_uuid() AS id'],
    [
      'an identifier of a slice that is replaced',
      replaced('gen_random_uuid() AS event_id, day'),
      'gen_random_uuid() AS event_id',
    ],
    [
      'of a table that is made anew',
      pg('DROP TABLE m.t; CREATE TABLE m.t AS SELECT row_number() OVER () AS place_id, city FROM raw.a'),
      'row_number() OVER () AS place_id',
    ],
    [
      'one that an upsert sets',
      upsert('gen_random_uuid() AS id, day, n', { key: 'day', act: 'UPDATE SET id = EXCLUDED.id, n = EXCLUDED.n' }),
      'gen_random_uuid() AS id',
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`error «${mark}»`]));

  test.each<[string, Files]>([
    ['a key of the record', upsert('id, day, n')],
    ['a hash of the record', upsert('md5(day::text || n::text) AS id, day, n')],
    ['a surrogate key of new rows', upsert('gen_random_uuid(), day, n', { key: 'day' })],
    ['one that a MERGE gives new rows', merge('k, n', 'm.t.k = s.k', 'gen_random_uuid(), s.n')],
    [
      'numbers within the day',
      upsert('row_number() OVER (PARTITION BY day ORDER BY ts, k), day, n', { key: 'day, id' }),
    ],
    ['numbers of the whole table', upsert('row_number() OVER (ORDER BY k), day, n', { from: 'FROM raw.a' })],
    ['an identifier of the run', replaced('gen_random_uuid() AS batch_id, day')],
    [
      'rows of one run',
      pg(
        'DELETE FROM m.t WHERE job_id = %(job_id)s; INSERT INTO m.t SELECT gen_random_uuid() AS id, job_id FROM raw.a',
      ),
    ],
    [
      'rows that come out of no table',
      pg('TRUNCATE m.t; INSERT INTO m.t SELECT gen_random_uuid() AS user_id, i FROM generate_series(1, 9) i'),
    ],
    ['a number that is drawn', replaced('(random() * 9)::int AS user_id, day')],
    ['a random value that is no key', replaced('random() AS share, day')],
    ['numbers with an order', replaced('row_number() OVER (ORDER BY k) AS place_id, day')],
    [
      'a record of jobs',
      pg(`INSERT INTO m.load_log (id, day) SELECT gen_random_uuid(), day FROM raw.a ON CONFLICT (id) DO NOTHING`),
    ],
    ['a temporary table', pg('CREATE TEMP TABLE t AS SELECT row_number() OVER () AS id, city FROM raw.a')],
    [
      'a migration',
      { 'migrations/1.sql': 'DROP TABLE m.t; CREATE TABLE m.t AS SELECT gen_random_uuid() AS id, city FROM raw.a;' },
    ],
    [
      'rows that nothing takes away, of which plain-insert speaks',
      pg(`INSERT INTO m.t SELECT gen_random_uuid() AS id, day FROM raw.a ${day}`),
    ],
    ['the clock, of which wall-clock speaks', upsert('now(), day, n')],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));

  test('the staging table that the same task fills is looked into', () => {
    const files = pg(`CREATE TEMP TABLE s AS SELECT gen_random_uuid() AS id, n FROM raw.a ${day};
      MERGE INTO m.t USING s ON m.t.id = s.id
      WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)`);
    expect(said(files)).toEqual(['error «gen_random_uuid() AS id»']);
  });

  test('where an upsert names no key, the only one of the table decides', () => {
    const ddl = { 'ddl/t.sql': 'CREATE TABLE m.t (id uuid PRIMARY KEY, day date, n int);' };
    const sql = `INSERT INTO m.t (id, day, n) SELECT gen_random_uuid(), day, n FROM raw.a ${day} ON CONFLICT DO NOTHING`;
    expect(said(pg(sql, ddl))).toEqual(['error «gen_random_uuid()»']);
    expect(said(pg(sql))).toEqual([]);
  });

  test('one cause is one finding', () => {
    const rules = checkFiles(upsert('gen_random_uuid(), day, n', { act: 'NOTHING' })).map(({ rule }) => rule);
    expect(rules).toEqual(['unstable-key']);
  });

  test('can be suppressed', () => {
    const files = pg(`INSERT INTO m.t (id, n)
-- backfill-disable-next-line unstable-key: the table is emptied by hand
SELECT gen_random_uuid(), n FROM raw.a ${day} ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n`);
    expect(said(files)).toEqual([]);
  });
});

describe('unstable-pick', () => {
  const said = (files: Files) => saidBy('unstable-pick', files);
  const ranked = (over: string, { items = '*', outer = '*', from = 'raw.a', where = 'rn = 1' } = {}) =>
    pg(
      `TRUNCATE m.t; INSERT INTO m.t SELECT ${outer} FROM (SELECT ${items}, row_number() OVER (${over}) AS rn FROM ${from}) q WHERE ${where}`,
    );
  const ddl = { 'ddl/a.sql': 'CREATE TABLE raw.a (k int, at timestamptz, n int, PRIMARY KEY (k, at));' };

  test.each<[string, Files, string]>([
    ['a time', ranked('PARTITION BY k ORDER BY sent_at DESC'), 'ORDER BY sent_at DESC'],
    ['two columns', ranked('PARTITION BY k ORDER BY sent_at DESC, amount'), 'ORDER BY sent_at DESC, amount'],
    ['the first three', ranked('PARTITION BY k ORDER BY total DESC', { where: 'q.rn <= 3' }), 'ORDER BY total DESC'],
    ['no order', ranked('PARTITION BY k'), 'row_number() OVER (PARTITION BY k)'],
    ['an order that says nothing', ranked('PARTITION BY k ORDER BY (SELECT 1)'), 'ORDER BY (SELECT 1)'],
    ['by lot', ranked('PARTITION BY k ORDER BY random()'), 'ORDER BY random()'],
    [
      'DISTINCT ON',
      pg('TRUNCATE m.t; INSERT INTO m.t SELECT DISTINCT ON (k) k, n FROM raw.a ORDER BY k, sent_at DESC'),
      'ORDER BY k, sent_at DESC',
    ],
    [
      'DISTINCT ON without an order',
      pg('TRUNCATE m.t; INSERT INTO m.t SELECT DISTINCT ON (k) k, n FROM raw.a'),
      'DISTINCT ON (k)',
    ],
    [
      'a name of the list where the engine means a column by it',
      pg("TRUNCATE m.t; INSERT INTO m.t SELECT DISTINCT ON (k) k AS wallet, concat('x', wallet) AS w FROM raw.a"),
      'DISTINCT ON (k)',
    ],
    ['LIMIT', pg('TRUNCATE m.t; INSERT INTO m.t SELECT k, n FROM raw.a ORDER BY n DESC LIMIT 10'), 'ORDER BY n DESC'],
    ['LIMIT without an order', pg('TRUNCATE m.t; INSERT INTO m.t SELECT k, n FROM raw.a LIMIT 10'), 'LIMIT 10'],
    [
      'QUALIFY',
      snow(
        'CREATE OR REPLACE TABLE m.t AS SELECT * FROM raw.a QUALIFY row_number() OVER (PARTITION BY k ORDER BY sent_at) = 1',
      ),
      'ORDER BY sent_at',
    ],
    [
      'a DELETE of copies',
      pg(
        'WITH c AS (SELECT *, row_number() OVER (PARTITION BY k ORDER BY sent_at) AS rn FROM m.t) DELETE FROM m.t USING c WHERE m.t.k = c.k AND c.rn > 1',
      ),
      'ORDER BY sent_at',
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`warning «${mark}»`]));

  test.each<[string, Files]>([
    ['a unique column ends the order', ranked('PARTITION BY k ORDER BY sent_at DESC, event_id')],
    ['an offset of a log', ranked('PARTITION BY k ORDER BY kafka_offset DESC')],
    ['a number of a change log', ranked('PARTITION BY k ORDER BY cdc_dsn DESC')],
    ['a day of snapshots', ranked('PARTITION BY k ORDER BY snapshot_date DESC')],
    ['the key of the source', { ...ranked('PARTITION BY k ORDER BY at DESC'), ...ddl }],
    [
      'the rows are one of each',
      ranked('PARTITION BY k ORDER BY day_sent DESC', {
        from: '(SELECT k, day_sent, sum(n) AS n FROM raw.a GROUP BY k, day_sent) g',
      }),
    ],
    [
      'the rows are distinct',
      ranked('PARTITION BY k ORDER BY sent_at', { from: '(SELECT DISTINCT k, sent_at FROM raw.a) g' }),
    ],
    ['only what is alike is taken', ranked('PARTITION BY k ORDER BY sent_at DESC', { outer: 'k, sent_at' })],
    ['only what is alike is there', ranked('PARTITION BY k ORDER BY sent_at DESC', { items: 'k, sent_at' })],
    [
      'what is taken is made of the key, by another name of it',
      snow(
        "CREATE OR REPLACE TABLE m.t AS SELECT DISTINCT ON (address) address AS wallet, concat('x', upper(wallet)) AS w FROM raw.a",
      ),
    ],
    ['numbers that are kept', ranked('PARTITION BY k ORDER BY sent_at DESC', { where: 'true' })],
    [
      'rank keeps all that are alike',
      pg(
        'TRUNCATE m.t; INSERT INTO m.t SELECT * FROM (SELECT *, rank() OVER (PARTITION BY k ORDER BY sent_at) AS rn FROM raw.a) q WHERE rn = 1',
      ),
    ],
    ['an order that only the run knows', ranked('PARTITION BY k ORDER BY {{ params.column }}')],
    [
      'a named window',
      pg(
        'TRUNCATE m.t; INSERT INTO m.t SELECT * FROM (SELECT *, row_number() OVER w AS rn FROM raw.a WINDOW w AS (PARTITION BY k ORDER BY sent_at)) q WHERE rn = 1',
      ),
    ],
    ['LIMIT of no rows', pg('DROP TABLE m.t; CREATE TABLE m.t AS SELECT * FROM raw.a LIMIT 0')],
    ['LIMIT of one row of sums', pg('TRUNCATE m.t; INSERT INTO m.t SELECT count(*), max(n) FROM raw.a LIMIT 1')],
    [
      'LIMIT in a branch of the template',
      pg('TRUNCATE m.t; INSERT INTO m.t SELECT k, n FROM raw.a {% if params.dev %} LIMIT 100 {% endif %}'),
    ],
    [
      'a value that is looked up',
      pg('TRUNCATE m.t; INSERT INTO m.t SELECT k, (SELECT d.v FROM raw.d d WHERE d.k = a.k LIMIT 1) FROM raw.a a'),
    ],
    [
      'a row that is looked up for each',
      pg(
        'TRUNCATE m.t; INSERT INTO m.t SELECT a.k, d.v FROM raw.a a CROSS JOIN LATERAL (SELECT v FROM raw.d d WHERE d.k = a.k LIMIT 1) d',
      ),
    ],
    ['a query that writes nothing', pg('SELECT * FROM raw.a ORDER BY sent_at LIMIT 10')],
    ['the newest day', pg('TRUNCATE m.t; INSERT INTO m.t SELECT sent_at FROM raw.a ORDER BY sent_at DESC LIMIT 1')],
    [
      'a migration',
      { 'db/migrations/1.sql': 'CREATE TABLE t AS SELECT DISTINCT ON (k) * FROM a ORDER BY k, sent_at;' },
    ],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));

  test.each([
    ["ORDER BY (doc->>'price')::float8 DESC", "(doc->>'price')::float8"],
    ['ORDER BY length(name), sent_at', 'length(name), sent_at'],
    ['ORDER BY a.sent_at', 'sent_at'],
  ])('names what is alike as it is written: %s', (order, alike) => {
    const [finding] = checkFiles(ranked(`PARTITION BY k ${order}`, { from: 'raw.a a' })).filter(
      ({ rule }) => rule === 'unstable-pick',
    );
    expect(finding?.message).toContain(`Rows of one k with the same ${alike} stand in any order`);
  });

  test.each<[string, string, Files, string]>([
    ['the rest of the key of the source', 'PARTITION BY k ORDER BY n DESC', ddl, 'ORDER BY n DESC, at)'],
  ])('the fix ends the order with %s', (_, over, more, after) => {
    const files = { ...ranked(over), ...more };
    const [finding] = checkFiles(files).filter(({ rule }) => rule === 'unstable-pick');
    const fixed = applyFix(files, finding?.fixes[0] ?? { title: '', edits: [], preferred: false });
    expect(fixed['dags/one.py']).toContain(after);
    expect(checkFiles(fixed)).toEqual([]);
  });

  test('the fix ends a LIMIT over groups with what they are grouped by', () => {
    const files = pg(
      'TRUNCATE m.t; INSERT INTO m.t SELECT city, sum(n) AS total FROM raw.a GROUP BY city ORDER BY total DESC LIMIT 10',
    );
    const [finding] = checkFiles(files).filter(({ rule }) => rule === 'unstable-pick');
    const fixed = applyFix(files, finding?.fixes[0] ?? { title: '', edits: [], preferred: false });
    expect(fixed['dags/one.py']).toContain('ORDER BY total DESC, city LIMIT 10');
    expect(checkFiles(fixed)).toEqual([]);
  });
});

describe('nullable-merge-key', () => {
  const said = (files: Files) => saidBy('nullable-merge-key', files);
  const merge = (
    items: string,
    { on = 't.k = s.k', from = `raw.a ${day}`, matched = '', act = 'INSERT (k, n) VALUES (s.k, s.n)' } = {},
  ) =>
    pg(`MERGE INTO m.t AS t USING (SELECT ${items} FROM ${from}) s ON ${on}
      WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED ${matched}THEN ${act}`);
  const upsert = (items: string, more: Files = {}) =>
    pg(
      `INSERT INTO m.t (k, d, n) SELECT ${items} FROM raw.a ${day} ON CONFLICT (k, d) DO UPDATE SET n = EXCLUDED.n`,
      more,
    );
  const outer = `raw.a a LEFT JOIN raw.d d ON d.id = a.id WHERE a.day = '{{ ds }}'`;

  test.each<[string, Files, string]>([
    ['nullif', merge("nullif(trim(k), '') AS k, n"), "error «nullif(trim(k), '') AS k»"],
    ['a cast that may fail', merge('try_cast(k AS int) AS k, n'), 'error «try_cast(k AS int) AS k»'],
    ['CASE without ELSE', merge("CASE WHEN x = 1 THEN 'a' END AS k, n"), "error «CASE WHEN x = 1 THEN 'a' END AS k»"],
    ['an outer join', merge('d.k, a.n', { from: outer }), 'error «d.k»'],
    ['inside a function', merge("lower(nullif(k, '')) AS k, n"), "error «lower(nullif(k, '')) AS k»"],
    ['one of two', merge("nullif(k, '') AS k, n, d", { on: 't.d = s.d AND t.k = s.k' }), "error «nullif(k, '') AS k»"],
    ['a table that may refuse it', upsert("nullif(k, ''), d, n"), "warning «nullif(k, '')»"],
    [
      'a unique key that takes it',
      upsert("nullif(k, ''), d, n", {
        'ddl/t.sql': 'CREATE TABLE m.t (id int PRIMARY KEY, k text, d date, n int, UNIQUE (k, d));',
      }),
      "error «nullif(k, '')»",
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([mark]));

  test.each<[string, Files]>([
    ['a column as it is', merge('k, n')],
    ['coalesce', merge("coalesce(nullif(k, ''), '-') AS k, n")],
    ['a comparison that finds NULL', merge("nullif(k, '') AS k, n", { on: 't.k IS NOT DISTINCT FROM s.k' })],
    ['coalesce on both sides', merge("nullif(k, '') AS k, n", { on: "coalesce(t.k, '') = coalesce(s.k, '')" })],
    ['a condition on the column', merge("nullif(k, '') AS k, n", { from: `raw.a ${day} AND k <> ''` })],
    ['only some are inserted', merge("nullif(k, '') AS k, n", { matched: 'AND s.k IS NOT NULL ' })],
    [
      'nothing is inserted',
      pg(
        `MERGE INTO m.t AS t USING (SELECT nullif(k, '') AS k, n FROM raw.a) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET n = s.n`,
      ),
    ],
    ['CASE with ELSE', merge("CASE WHEN x = 1 THEN 'a' ELSE 'b' END AS k, n")],
    ['an outer join that a condition makes an inner one', merge('d.k, a.n', { from: `${outer} AND d.active` })],
    ['the side of an outer join that is there', merge('a.k, a.n', { from: outer })],
    [
      'a column that refuses NULL',
      { ...merge("nullif(k, '') AS k, n"), 'ddl/t.sql': 'CREATE TABLE m.t (k text NOT NULL, n int);' },
    ],
    [
      'a primary key',
      upsert("nullif(k, ''), d, n", { 'ddl/t.sql': 'CREATE TABLE m.t (k text, d date, n int, PRIMARY KEY (k, d));' }),
    ],
    [
      'a table that is made anew',
      pg(
        `TRUNCATE m.t; INSERT INTO m.t (k, n) SELECT nullif(k, ''), n FROM raw.a ON CONFLICT (k) DO UPDATE SET n = EXCLUDED.n`,
      ),
    ],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));

  test('the staging table that the same task fills is looked into', () => {
    const files = pg(`CREATE TEMP TABLE s AS SELECT nullif(k, '') AS k, n FROM raw.a ${day};
      MERGE INTO m.t AS t USING s ON t.k = s.k
      WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT (k, n) VALUES (s.k, s.n)`);
    expect(said(files)).toEqual(["error «nullif(k, '') AS k»"]);
  });
});

describe('merge-key-not-grain', () => {
  const said = (files: Files) => saidBy('merge-key-not-grain', files);
  const upsert = (
    items: string,
    { key = 'day, place', from = `raw.a ${day}`, act = 'UPDATE SET n = EXCLUDED.n', more = {} as Files } = {},
  ) => pg(`INSERT INTO m.t (day, place, x, n) SELECT ${items} FROM ${from} ON CONFLICT (${key}) DO ${act}`, more);
  const lines = {
    'ddl/a.sql': 'CREATE TABLE raw.a (order_id int, line int, day date, n int, PRIMARY KEY (order_id, line));',
  };
  const byOrder = (items: string, from = 'raw.a', more: Files = lines) =>
    pg(
      `MERGE INTO m.o AS t USING (SELECT ${items} FROM ${from} ${day}) s ON (t.order_id = s.order_id)
      WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT (order_id, n) VALUES (s.order_id, s.n)`,
      more,
    );

  test.each<[string, Files, string]>([
    ['an event in a key of times', upsert('day, place, tx_hash, n'), 'ON CONFLICT (day, place)'],
    [
      'an id that is one of several columns of the key',
      upsert('id AS day, place, version, n', {
        key: 'day',
        more: {
          'ddl/a.sql': 'CREATE TABLE raw.a (id int, version int, place text, n int, PRIMARY KEY (id, version));',
        },
      }),
      'ON CONFLICT (day)',
    ],
    ['a column of the key of the source', byOrder('order_id, line, n'), 'ON (t.order_id = s.order_id)'],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`warning «${mark}»`]));

  test.each<[string, Files]>([
    ['grouped', upsert('day, place, min(tx_hash), sum(n)', { from: `raw.a ${day} GROUP BY day, place` })],
    [
      'distinct',
      upsert('DISTINCT ON (day, place) day, place, tx_hash, n', { from: `raw.a ${day} ORDER BY day, place, tx_hash` }),
    ],
    ['the event is in the key', upsert('day, place, tx_hash, n', { key: 'day, x' })],
    ['an identifier is in the key', upsert('day, place_id, order_id, n', { key: 'day, place' })],
    ['an attribute', upsert('day, place, country_id, n')],
    ['what is there is left', upsert('day, place, tx_hash, n', { act: 'NOTHING' })],
    [
      'two tables',
      upsert('a.day, a.place, b.order_id, a.n', { from: `raw.a a JOIN raw.b b USING (k) WHERE a.day = '{{ ds }}'` }),
    ],
    [
      'the source has one row of each',
      byOrder('order_id, line, n', 'raw.a', {
        'ddl/a.sql': 'CREATE TABLE raw.a (order_id int PRIMARY KEY, line int, day date, n int);',
      }),
    ],
    [
      'an id that is made for each row, beside the key',
      upsert('id AS day, code, place, n', {
        key: 'day',
        more: {
          'ddl/a.sql':
            'CREATE TABLE raw.a (id uuid DEFAULT gen_random_uuid(), code text PRIMARY KEY, place text, n int);',
        },
      }),
    ],
    ['the finer column does not come along', byOrder('order_id, n')],
    [
      'the first of each',
      byOrder(
        'order_id, line, n',
        `(SELECT *, row_number() OVER (PARTITION BY order_id ORDER BY line) AS rn FROM raw.a) q WHERE rn = 1 AND 1 = 1 --`,
      ),
    ],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});

describe('engine-replay-dedup', () => {
  const said = (files: Files) => saidBy('engine-replay-dedup', files);
  const house = (sql: string, engine?: string): Files => ({
    'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow_clickhouse_plugin.operators.clickhouse import ClickHouseOperator

with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    ClickHouseOperator(task_id="load", sql="""
${sql}
""")
`,
    ...(engine === undefined
      ? {}
      : { 'ddl/t.sql': `CREATE TABLE m.t (day Date, n Int64) ENGINE = ${engine} ORDER BY day;` }),
  });
  const insert = `INSERT INTO m.t SELECT day, n FROM raw.a ${day}`;

  test.each<[string, Files]>([
    ['a mutation', house(`ALTER TABLE m.t DELETE ${day}; ${insert}`)],
    ['a mutation that tells the engine', dagWith(`ALTER TABLE m.t DELETE ${day}; ${insert}`)],
    ['a DELETE', house(`DELETE FROM m.t ${day}; ${insert}`)],
    ['a replicated table', house(`DELETE FROM m.t ${day}; ${insert}`, "ReplicatedMergeTree('/t', '{replica}')")],
    ['the clock only filters', house(`DELETE FROM m.t ${day}; ${insert} AND seen < now()`)],
    ['a shared table', house(`DELETE FROM m.t ${day}; ${insert}`, 'SharedReplacingMergeTree')],
  ])('speaks: %s', (_, files) => expect(said(files)).toEqual(['warning «INSERT INTO m.t»']));

  test.each<[string, Files]>([
    ['a plain table', house(`DELETE FROM m.t ${day}; ${insert}`, 'MergeTree')],
    ['the partition is dropped', house(`ALTER TABLE m.t DROP PARTITION '{{ ds }}'; ${insert}`)],
    ['the table is emptied', house(`TRUNCATE TABLE m.t; ${insert}`)],
    ['the setting of the INSERT', house(`DELETE FROM m.t ${day}; ${insert} SETTINGS insert_deduplicate = 0`)],
    ['the setting of the session', house(`SET insert_deduplicate = 0; DELETE FROM m.t ${day}; ${insert}`)],
    ['another engine', dagWith(`DELETE FROM m.t ${day}; ${insert}`)],
    [
      'the time of the run makes another block of it',
      house(`DELETE FROM m.t ${day}; INSERT INTO m.t SELECT day, n, now() AS updated FROM raw.a ${day}`),
    ],
    ['chance does so too', house(`DELETE FROM m.t ${day}; INSERT INTO m.t SELECT day, rand() AS n FROM raw.a ${day}`)],
    ['nothing is deleted', house(insert)],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});

describe('dynamic-overwrite-empty', () => {
  const said = (files: Files) => saidBy('dynamic-overwrite-empty', files);
  const hive = (sql: string, operator = 'HiveOperator', argument = 'hql'): Files => ({
    'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.apache.hive.operators.hive import HiveOperator
from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator

with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    ${operator}(task_id="load", ${argument}="""
${sql}
""")
`,
  });
  const dynamic = "INSERT OVERWRITE TABLE m.t PARTITION (ds) SELECT n, ds FROM raw.a WHERE ds = '{{ ds }}'";
  test.each<[string, Files, string]>([
    ['Hive', hive(dynamic), 'PARTITION (ds)'],
    [
      'some partitions',
      hive(
        "INSERT OVERWRITE TABLE m.t PARTITION (ds = '{{ ds }}', country) SELECT n, country FROM raw.a WHERE ds = '{{ ds }}'",
      ),
      "PARTITION (ds = '{{ ds }}', country)",
    ],
    [
      'Spark that is told to',
      hive(`SET spark.sql.sources.partitionOverwriteMode = dynamic; ${dynamic}`, 'SparkSqlOperator', 'sql'),
      'PARTITION (ds)',
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`info «${mark}»`]));
  test.each<[string, Files]>([
    [
      'the partition is named',
      hive("INSERT OVERWRITE TABLE m.t PARTITION (ds = '{{ ds }}') SELECT n FROM raw.a WHERE ds = '{{ ds }}'"),
    ],
    ['it is dropped before', hive(`ALTER TABLE m.t DROP IF EXISTS PARTITION (ds = '{{ ds }}'); ${dynamic}`)],
    ['the whole table', hive('INSERT OVERWRITE TABLE m.t PARTITION (ds) SELECT n, ds FROM raw.a')],
    ['a staging table', hive(dynamic.replaceAll('m.t', 'm.stg_t'))],
    ['Spark by default, of which whole-target-overwrite speaks', hive(dynamic, 'SparkSqlOperator', 'sql')],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});
