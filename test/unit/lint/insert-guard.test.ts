import { describe, expect, test } from 'vitest';
import { checkFiles, dagWith, type Files, inWords } from '../../support/check-files.ts';

const found = (files: Files): string[] =>
  checkFiles(files)
    .filter(({ rule }) => rule === 'plain-insert')
    .map((finding) => inWords(files, finding));

test('a routine that is called before and takes rows away by its name may keep them from doubling', () => {
  const said = (call: string): string[] => {
    const files = dagWith(`SELECT m.${call}('{{ ds }}'); INSERT INTO m.t SELECT * FROM r.t WHERE d = '{{ ds }}'`);
    return checkFiles(files).map(({ rule, severity, message }) => `${rule} ${severity} ${message}`);
  };
  expect(said('clear_volumes').join()).toContain(
    'plain-insert warning A second run of the same interval adds the same rows to m.t again, unless m.clear_volumes(…), which is called before it, takes them out',
  );
  expect(said('count_volumes').join()).toContain('plain-insert error');
});

test.each([
  ['dw', 'A rerun fails on the key (id) of m.t'],
  // Redshift takes a key for a hint, and is often reached as if it were Postgres.
  ['redshift', 'adds the same rows to m.t again'],
])('a key is what the database behind the connection makes of it: %s', (connection, said) => {
  const hook = `from datetime import datetime
from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
def load(ds):
    PostgresHook(postgres_conn_id="${connection}").run(f"INSERT INTO m.t (id, n) SELECT id, n FROM r.t WHERE day = '{ds}'")
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    PythonOperator(task_id="load", python_callable=load)
`;
  const operator = `from datetime import datetime
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    PostgresOperator(task_id="load", postgres_conn_id="${connection}", sql="INSERT INTO m.t (id, n) SELECT id, n FROM r.t WHERE day = '{{ ds }}'")
`;
  for (const text of [hook, operator]) {
    const files = { 'dags/one.py': text, 'sql/t.sql': 'CREATE TABLE m.t (id int PRIMARY KEY, n int);' };
    expect(checkFiles(files).map(({ message }) => message)).toEqual([expect.stringContaining(said)]);
  }
});

test.each([
  ['ops.processexecutionlogs', 0],
  ['logging.steps', 0],
  ['ops.etl_job', 0],
  ['logs.pageviews', 1],
  ['ops.blogs', 1],
])('each run adds its own row to a table that tells of runs, and to no other: %s', (table, count) =>
  expect(found(dagWith(`INSERT INTO ${table} SELECT * FROM r.t WHERE day = '{{ ds }}'`))).toHaveLength(count),
);

test.each([
  ['(r.a, r.b) NOT IN (SELECT x.a, x.b FROM m.t x)', 0],
  ['(r.a, r.b) NOT IN (SELECT x.b, x.a FROM m.t x)', 1],
  // A row without a name gets one, and is looked for without.
  ['NOT EXISTS (SELECT 1 FROM m.t x WHERE x.a = r.a AND x.b = r.c)', 1],
])('finds what it has added by several columns, or not: %s', (where, count) => {
  const files = dagWith(`INSERT INTO m.t (a, b) SELECT r.a, coalesce(r.b, -1) FROM r.t r WHERE ${where}`);
  const plain = dagWith(`INSERT INTO m.t (a, b) SELECT r.a, r.b FROM r.t r WHERE ${where}`);
  expect(found(where.startsWith('NOT') ? files : plain)).toHaveLength(count);
});

test('a value put in where there is none is not found by the column that has none', () => {
  const into = (compared: string): Files =>
    dagWith(`INSERT INTO m.t (a, b) SELECT s.a, coalesce(p.b, -1) FROM r.s s LEFT JOIN r.p p ON p.k = s.k
      WHERE NOT EXISTS (SELECT 1 FROM m.t x WHERE x.a = s.a AND x.b = ${compared})`);
  expect(found(into('p.b'))).toHaveLength(1);
  expect(found(into('coalesce(p.b, -1)'))).toEqual([]);
});

test.each([
  ['by its key, before', 'MERGE INTO m.t USING r.s ON m.t.id = r.s.id WHEN MATCHED THEN DELETE', 0],
  ['another table', 'MERGE INTO m.u USING r.s ON m.u.id = r.s.id WHEN MATCHED THEN DELETE', 1],
  ['by rows of another source', 'MERGE INTO m.t USING r.q ON m.t.id = r.q.id WHEN MATCHED THEN DELETE', 1],
])('a MERGE takes out what comes: %s', (_, merge, count) =>
  expect(found(dagWith(`${merge}; INSERT INTO m.t SELECT * FROM r.s`))).toHaveLength(count),
);

describe('a DELETE behind the INSERT takes out what was copied', () => {
  const move = (where: string, also = where): string =>
    `INSERT INTO m.old SELECT * FROM r.live WHERE ${where}; DELETE FROM r.live WHERE ${also};`;
  const age = "booked < current_date - interval '60 days'";
  const said = (files: Files): string[] =>
    checkFiles(files).flatMap(({ rule, severity, message }) =>
      rule === 'plain-insert' || rule === 'wall-clock' ? [`${rule} ${severity} ${message}`] : [],
    );

  test('in one transaction', () => expect(said(dagWith(`BEGIN; ${move(age)} COMMIT`))).toEqual([]));

  test.each([
    ['by another condition', move(age, "booked < current_date - interval '90 days'")],
    ['from another table', move(age).replace('DELETE FROM r.live', 'DELETE FROM r.dead')],
    [
      'what the run itself has put there',
      `INSERT INTO r.live SELECT * FROM r.src WHERE day = '{{ ds }}'; ${move(age)}`,
    ],
  ])('not %s', (_, sql) =>
    expect(said(dagWith(`BEGIN; ${sql} COMMIT`)).join()).toContain('adds the same rows to m.old'),
  );

  test('in a task of its own, unless only the first one runs again', () => {
    const [insert = '', take = ''] = move(age).split(';');
    const text = `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    copy = SQLExecuteQueryOperator(task_id="copy", conn_id="dw", sql="${insert}")
    copy >> SQLExecuteQueryOperator(task_id="take", conn_id="dw", sql="${take}")
`;
    expect(said({ 'dags/one.py': text }).join()).toContain(
      'warning A second run of the same interval adds the same rows to m.old again, unless the DELETE behind it has taken them out of r.live',
    );
  });
});

describe('the INSERT looks into its target through a view of the workspace', () => {
  const withView = (view: string, insert: string): Files => ({ ...dagWith(insert), 'sql/views.sql': view });
  const latest = `CREATE VIEW mart.vw_a AS SELECT t.* FROM mart.a t
    JOIN (SELECT id, max(seen) AS seen FROM mart.a GROUP BY id) m ON m.id = t.id AND m.seen = t.seen;`;
  const changed = `INSERT INTO mart.a SELECT s.* FROM raw.a s LEFT JOIN mart.vw_a v ON v.id = s.id
    WHERE coalesce(v.checksum, '') <> s.checksum;`;
  const whole = 'CREATE VIEW mart.vw_a AS SELECT * FROM mart.a;';

  test.each([
    ['what changed, by a presumed value', latest, changed],
    [
      'what changed, by IS DISTINCT FROM',
      latest,
      changed.replace(/coalesce\(.*checksum;/, 'v.checksum IS DISTINCT FROM s.checksum;'),
    ],
    [
      'what changed, by the name of the view',
      latest,
      changed.replace('vw_a v', 'vw_a').replaceAll('v.', 'vw_a.').replace('mart.vw_vw_a.', 'mart.vw_a'),
    ],
    [
      'what is not there',
      whole,
      'INSERT INTO mart.a SELECT s.* FROM raw.a s LEFT JOIN mart.vw_a v ON v.id = s.id WHERE v.id IS NULL;',
    ],
    [
      'NOT EXISTS',
      whole,
      'INSERT INTO mart.a SELECT s.* FROM raw.a s WHERE NOT EXISTS (SELECT 1 FROM mart.vw_a v WHERE v.id = s.id);',
    ],
    [
      'a view over a view',
      `${latest} CREATE VIEW mart.vw_b AS SELECT * FROM mart.vw_a;`,
      changed.replace('vw_a', 'vw_b'),
    ],
  ])('%s', (_, view, insert) => expect(found(withView(view, insert))).toEqual([]));

  const plain = ['plain-insert error «INSERT INTO mart.a»'];
  test.each([
    ['no view of the workspace', '', changed],
    ['a view of another table', latest.replaceAll('mart.a', 'mart.b'), changed],
    ['all rows that there ever were, old ones too', whole, changed],
    ['rows of the last refresh', latest.replace('VIEW', 'MATERIALIZED VIEW'), changed],
    ['a join that leaves nothing out', latest, changed.replace(/\s+WHERE.*/, ';')],
  ])('no guard: %s', (_, view, insert) => expect(found(withView(view, insert))).toEqual(plain));
});

describe('a body that runs before the INSERT', () => {
  const insert = "INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}';";
  const afterBody = (body: string): string[] => found(dagWith(`DO $$ BEGIN ${body} END $$;\n${insert}`));

  test.each([
    "DELETE FROM mart.a WHERE day = '{{ ds }}';",
    "IF true THEN DELETE FROM mart.a WHERE day = '{{ ds }}'; END IF;",
    'TRUNCATE mart.a;',
    `EXECUTE 'DELETE FROM mart.a WHERE day = ' || quote_literal('{{ ds }}');`,
  ])('empties the table: %s', (body) => expect(afterBody(body)).toEqual([]));

  test.each([
    "RAISE NOTICE 'delete from mart.a';",
    'PERFORM 1; -- delete from mart.a',
    "DELETE FROM mart.a WHERE day < now() - interval '90 days';",
    "DELETE FROM other.a WHERE day = '{{ ds }}';",
  ])('leaves it: %s', (body) => expect(afterBody(body)).toEqual(['plain-insert error «INSERT INTO mart.a»']));
});

describe('a guard that looks back from the clock', () => {
  const insert = (asked: string, loaded = 'now()') => `INSERT INTO mart.a (id, loaded_at)
    SELECT s.id, ${loaded} FROM raw.a s
    LEFT JOIN (SELECT id FROM mart.a WHERE ${asked}) known ON known.id = s.id WHERE known.id IS NULL`;
  const said = (sql: string): string[] =>
    checkFiles(dagWith(sql)).flatMap(({ rule, severity, message }) =>
      severity === 'error' || severity === 'warning' ? [`${rule} ${severity} ${message}`] : [],
    );

  test.each(["loaded_at > now() - interval '30 days'", "loaded_at >= current_date - interval '7 days'"])(
    'finds the rows of a run that was not long ago: %s',
    (asked) => {
      const [clock = ''] = asked.match(/now\(\)|current_date/) ?? [];
      expect(said(insert(asked))).toEqual([
        `wall-clock warning ${clock} says how far back mart.a is asked for rows that are there, so a rerun later than that adds them again.`,
      ]);
    },
  );
  test('finds none where it asks for the very time', () =>
    expect(said(insert('loaded_at = now()')).join()).toContain('plain-insert error'));
});

describe('what the engine makes of a second copy', () => {
  const house = (sql: string, engine?: string): Files => ({
    'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow_clickhouse_plugin.operators.clickhouse import ClickHouseOperator
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False, default_args={"retries": 2}):
    ClickHouseOperator(task_id="load", sql="""${sql}""")
`,
    ...(engine === undefined ? {} : { 'ddl/a.sql': `CREATE TABLE mart.a (id Int64, n Int64) ENGINE = ${engine};` }),
  });
  const insert = "INSERT INTO mart.a SELECT id, n FROM raw.a WHERE day = '{{ ds }}'";
  const optimize = 'OPTIMIZE TABLE mart.a FINAL';
  const said = (files: Files): string[] => found(files);

  test.each<[string, Files, string[]]>([
    ['a Set holds each value once', house(insert, 'Set()'), []],
    [
      'what is merged in the end',
      house(insert, 'ReplacingMergeTree(v) ORDER BY id'),
      ['plain-insert info «INSERT INTO mart.a»'],
    ],
    ['what is merged by the task', house(`${insert}; ${optimize}`, 'ReplacingMergeTree ORDER BY id'), []],
    ['what may be merged by the task', house(`${insert}; ${optimize}`), ['plain-insert warning «INSERT INTO mart.a»']],
    ['nothing merges', house(insert, 'MergeTree ORDER BY id'), ['plain-insert error «INSERT INTO mart.a»']],
    [
      'another table is merged',
      house(`${insert}; OPTIMIZE TABLE mart.b FINAL`),
      ['plain-insert error «INSERT INTO mart.a»'],
    ],
    ['it is merged before', house(`${optimize}; ${insert}`), ['plain-insert error «INSERT INTO mart.a»']],
  ])('%s', (_, files, expected) => expect(said(files)).toEqual(expected));
});

test('of a file that no pipeline runs no run is spoken of, whatever may keep rows out', () => {
  const put = { 'etl/load.sql': 'INSERT INTO mart.a SELECT * FROM raw.a {{ params.on_conflict }};' };
  const [of] = checkFiles(put).filter(({ rule }) => rule === 'plain-insert');
  expect(of?.message).toContain('nothing else in the file deletes them');
});

test('of a file that no pipeline runs nothing is said of a run', () => {
  const files = { 'etl/load.sql': "INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}';" };
  const [only] = checkFiles(files).filter(({ rule }) => rule === 'plain-insert');
  expect(only?.message).toBe(
    'A second run of the same interval adds the same rows to mart.a again, unless what runs this file deletes them before: nothing else in the file deletes them, and no key or anti-join keeps them out.',
  );
});

describe('a key that holds the time of the run', () => {
  const ddl = (type: string): Files => ({
    'ddl/a.sql': `CREATE TABLE mart.gone (id int, at ${type}, PRIMARY KEY (id, at));`,
  });
  const said = (value: string, type = 'timestamptz'): string =>
    checkFiles({ ...dagWith(`INSERT INTO mart.gone (id, at) SELECT id, ${value} FROM raw.a`), ...ddl(type) })
      .filter(({ rule }) => rule === 'plain-insert')
      .map(({ message }) => message)
      .join();
  test.each(['now()', 'current_timestamp'])('refuses no second row: %s', (value) =>
    expect(said(value)).toContain('adds the same rows'),
  );
  test.each([
    ['current_date', 'date'],
    ['now()::date', 'date'],
    ["date_trunc('day', now())", 'timestamptz'],
    ['seen', 'timestamptz'],
  ])('may refuse it: %s', (value, type) => expect(said(value, type)).toContain('A rerun fails on the key'));
});

describe('the partition of the interval is emptied before rows go into its table', () => {
  const task = dagWith(
    "TRUNCATE mart.p_{{ ds_nodash }}; INSERT INTO mart.p SELECT at::date, id FROM raw.o WHERE at >= '{{ ds }}' AND at < '{{ macros.ds_add(ds, 1) }}'",
  );
  const said = (files: Files): string[] =>
    checkFiles(files).flatMap(({ rule, severity, message }) =>
      rule === 'plain-insert' ? [`${severity} ${message}`] : [],
    );

  test('silent where a definition says which days the partition holds', () => {
    const ddl = `CREATE TABLE mart.p (day date, id int) PARTITION BY RANGE (day);
      CREATE TABLE mart.p_20261101 PARTITION OF mart.p FOR VALUES FROM ('2026-11-01') TO ('2026-11-02');`;
    expect(said({ ...task, 'sql/p.sql': ddl })).toEqual([]);
  });

  test('may add where nothing says so', () => {
    expect(said(task)).toEqual([
      expect.stringContaining(
        'warning A second run of the same interval adds the same rows to mart.p again, unless mart.p_<yyyymmdd>, which it empties, is the partition that holds them',
      ),
    ]);
  });
});

test('a task before whose SQL is not known may be what empties the table', () => {
  const files = (before: string): Files => ({
    'dags/one.py': `from datetime import datetime
import requests
from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator
def load():
    frame.to_sql("marks", engine, if_exists="append")
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    first = PostgresOperator(task_id="first", postgres_conn_id="dw", sql=${before})
    first >> PythonOperator(task_id="load", python_callable=load)
    first >> PostgresOperator(task_id="fill", postgres_conn_id="dw", sql="INSERT INTO notes SELECT * FROM raw.notes")
`,
  });
  const said = (before: string): string[] =>
    checkFiles(files(before)).map(
      ({ rule, severity, message }) => `${rule} ${severity}${message.includes('unless task "first"') ? ' unless' : ''}`,
    );
  expect(said('requests.get("http://a").text')).toEqual(['append-write warning unless', 'plain-insert warning unless']);
  expect(said('"SELECT 1"')).toEqual(['append-write error', 'plain-insert error']);
});

test.each([
  ['clean_up', 'plain-insert warning'],
  ['download', 'plain-insert error'],
])('a task before that is named for clearing and runs a command may empty the table: %s', (id, said) => {
  const files: Files = {
    'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow.operators.bash import BashOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    first = BashOperator(task_id="${id}", bash_command="./run.sh")
    first >> PostgresOperator(task_id="fill", postgres_conn_id="dw", sql="INSERT INTO notes SELECT * FROM raw.notes")
`,
  };
  expect(checkFiles(files).map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([said]);
});
