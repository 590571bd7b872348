import { describe, expect, test } from 'vitest';
import { checkFiles, type Files, inWords } from '../../support/check-files.ts';

const header = '-- backfill: schedule=@daily start=2024-01-01\n';
const operators = `from datetime import datetime
import pandas as pd
import pendulum
from airflow import DAG
from airflow.models.param import Param
from airflow.operators.bash import BashOperator
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.providers.postgres.operators.postgres import PostgresOperator
from airflow.providers.snowflake.operators.snowflake import SnowflakeOperator
from airflow.providers.amazon.aws.hooks.s3 import S3Hook
from sqlalchemy import create_engine, text
`;

const dag = (body: string, before = '', options = ''): Files => ({
  'dags/d.py': `${operators}${before}
with DAG("d", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False${options}):
${body.replace(/^/gm, '    ')}
`,
});
const sql = (statements: string, ...files: readonly (readonly [string, string])[]): Files => ({
  'sql/a.sql': header + statements,
  ...Object.fromEntries(files),
});
const serious = (files: Files): string[] =>
  checkFiles(files)
    .filter(({ severity }) => severity === 'error' || severity === 'warning')
    .map((finding) => inWords(files, finding));

describe('clocks in quotes and under other names', () => {
  const replaced = (condition: string) =>
    sql(`BEGIN; DELETE FROM m.t WHERE ${condition}; INSERT INTO m.t SELECT * FROM r.t; COMMIT;`);

  test.each([
    ["d = 'yesterday'::date", "'yesterday'::date"],
    ["d = date 'today' - 1", "date 'today'"],
    ["at >= timestamptz 'now'", "timestamptz 'now'"],
    ["at >= CAST('today' AS timestamp)", "'today'"],
  ])('%s', (condition, mark) => {
    const files = {
      'sql/a.sql': `${header.trimEnd()} dialect=postgres\n${replaced(condition)['sql/a.sql']?.slice(header.length)}`,
    };
    expect(serious(files)).toContain(`wall-clock error «${mark}»`);
  });

  test.each(["word = 'today'", "word = 'now'::text", "d = '{{ ds }}' AND label = 'yesterday'", "'tomorrow' = name"])(
    'a word that is no time: %s',
    (condition) => expect(serious(replaced(condition)).filter((one) => one.startsWith('wall-clock'))).toEqual([]),
  );

  test('the query of UNLOAD, which stands in a string', () => {
    const unload = (bound: string): Files => ({
      'sql/a.sql': `${header.trimEnd()} dialect=redshift\nUNLOAD ('SELECT * FROM m.t WHERE d = ${bound}') TO 's3://b/{{ ds }}/' IAM_ROLE 'x';`,
    });
    expect(serious(unload('CURRENT_DATE - 1'))).toEqual(['wall-clock error «CURRENT_DATE»']);
    expect(serious(unload("''{{ ds }}''"))).toEqual([]);
  });

  test.each(['dag_run.start_date', 'ti.start_date', 'dag_run.queued_at', 'task_instance.start_date'])(
    '{{ %s }} is when the run began',
    (name) =>
      expect(
        serious(
          sql(
            `BEGIN; DELETE FROM m.t WHERE d = '{{ ${name} | ds }}'; INSERT INTO m.t SELECT * FROM r.t WHERE d = '{{ ds }}'; COMMIT;`,
          ),
        ),
      ).toContain(`wall-clock error «{{ ${name} | ds }}»`),
  );

  test('the run’s own dates and a stamp of the load are no such clocks', () => {
    expect(serious(sql("DELETE FROM m.t WHERE d = '{{ dag_run.logical_date | ds }}';"))).toEqual([]);
    expect(
      serious(
        sql(
          "INSERT INTO m.t (a, loaded_at) SELECT a, '{{ dag_run.start_date }}' FROM r.t WHERE d = '{{ ds }}' ON CONFLICT (a) DO UPDATE SET loaded_at = excluded.loaded_at;",
        ),
      ),
    ).toEqual([]);
  });

  test('a parameter whose default is the clock, where SQL uses it', () => {
    const pair = (name: string) =>
      `PostgresOperator(task_id="t", sql="DELETE FROM m.t WHERE d = '{{ params.${name} }}'")`;
    const options = ', params={"day": Param(default=pendulum.now().to_date_string()), "key": "a"}';
    expect(serious(dag(pair('day'), '', options))).toEqual(['wall-clock error «pendulum.now()»']);
    expect(serious(dag(pair('key'), '', options))).toEqual([]);
  });

  test.each([
    `BashOperator(task_id="t", bash_command=f'git commit -am "Lists of {datetime.today():%Y-%m-%d}"')`,
    `BashOperator(task_id="t", bash_command=f"echo started {datetime.today():%Y-%m-%d}")`,
    `BashOperator(task_id="t", bash_command=f"notify --subject 'Lists of {datetime.today():%Y-%m-%d}'")`,
  ])('a message decides no rows: %s', (body) => expect(serious(dag(body))).toEqual([]));

  test.each([
    `BashOperator(task_id="t", bash_command=f"echo {datetime.today():%Y-%m-%d} > /data/day")`,
    `BashOperator(task_id="t", bash_command=f"git log && python count.py --day {datetime.today():%Y-%m-%d}")`,
  ])('an argument does: %s', (body) => expect(serious(dag(body))).toEqual(['wall-clock warning «datetime.today()»']));

  test('what has grown old goes by the clock on purpose', () => {
    const purge = (bounds: string) =>
      dag(
        'PythonOperator(task_id="t", python_callable=purge)',
        `def purge():\n    hook = S3Hook("s3")\n    hook.delete_objects(bucket="b", keys=hook.list_keys(bucket_name="b", ${bounds}))\n`,
      );
    expect(serious(purge('to_datetime=pendulum.now("UTC").subtract(days=30)'))).toEqual([]);
    expect(serious(sql('DELETE FROM m.badges WHERE id IN (SELECT id FROM m.leavers WHERE left_at < now());'))).toEqual(
      [],
    );
    expect(
      serious(sql('DELETE FROM m.badges WHERE id IN (SELECT id FROM m.leavers WHERE left_at > now());')),
    ).not.toEqual([]);
    expect(
      serious(sql('DELETE FROM m.badges WHERE id NOT IN (SELECT id FROM m.leavers WHERE left_at < now());')),
    ).not.toEqual([]);
  });
});

describe('plain-insert asks what the table and the source are', () => {
  const insert = (columns: string, source = 'SELECT a, b FROM r.t') => `INSERT INTO m.t ${columns} ${source};`;
  const table = (definition: string): readonly [string, string] => ['sql/ddl.sql', `CREATE TABLE m.t (${definition});`];

  test.each([
    ['the first columns of the table, in order', insert(''), 'k text PRIMARY KEY, b text, c text'],
    ['one row for each place', insert('', "VALUES (1, 'x'), (2, 'y')"), 'k int PRIMARY KEY, b text'],
    ['every column, and the key has to be given', insert('', 'SELECT * FROM r.t'), 'k text PRIMARY KEY, b text'],
    [
      'a list that only the run knows names what has to be given',
      insert('({{ params.names }})'),
      'k text PRIMARY KEY, b text',
    ],
  ])('silent: %s', (_, text, definition) => expect(serious(sql(text, table(definition)))).toEqual([]));

  test.each([
    ['the key stands behind what is written', insert(''), 'a text, b text, k bigserial PRIMARY KEY'],
    ['the table makes the key', insert('', 'SELECT * FROM r.t'), 'k bigserial PRIMARY KEY, b text'],
    ['the key has a default', insert('({{ params.names }})'), 'k uuid PRIMARY KEY DEFAULT gen_random_uuid(), b text'],
    ['the key is not in the list', insert('(b, c)'), 'k text PRIMARY KEY DEFAULT 1, b text, c text'],
  ])('speaks: %s', (_, text, definition) =>
    expect(serious(sql(text, table(definition)))).toEqual(['plain-insert error «INSERT INTO m.t»']),
  );

  test.each([
    ['the key is among the columns that are written', insert('(k, b)'), 'warning'],
    ['the rows are written down', insert('(k, b)', "VALUES ('a', 'x')"), 'info'],
    ['only the definition tells which column is the key', insert(''), 'info'],
  ])('a key makes the second run fail: %s', (_, text, severity) => {
    const found = checkFiles(sql(text, table('k text PRIMARY KEY, b text'))).filter(
      ({ rule }) => rule === 'plain-insert',
    );
    expect(found.map((one) => one.severity)).toEqual([severity]);
    expect(found[0]?.message).toContain('A rerun fails on the key (k) of m.t');
  });

  test('an engine that takes a key for a hint keeps nothing out', () => {
    const files = sql(insert('(k, b)'), table('k text PRIMARY KEY, b text'));
    const redshift = { ...files, 'sql/a.sql': `${header.trimEnd()} dialect=redshift\n${insert('(k, b)')}` };
    expect(serious(redshift)).toEqual(['plain-insert error «INSERT INTO m.t»']);
  });

  test('a stream of changes is used up as it is read', () => {
    const load = (from: string, columns = 'a') =>
      dag(`SnowflakeOperator(task_id="t", sql="INSERT INTO m.t SELECT ${columns} FROM ${from}")`);
    const made = { 'sql/s.sql': '-- backfill: dialect=snowflake\nCREATE OR REPLACE STREAM r.changes ON TABLE r.t;' };
    expect(serious({ ...load('r.changes'), ...made })).toEqual([]);
    expect(serious(load('r.changes', 'a, metadata$action'))).toEqual([]);
    expect(serious({ ...load('r.others'), ...made })).toEqual(['plain-insert error «INSERT INTO m.t»']);
  });

  test('a partition that is made anew is empty', () => {
    const load = (first: string) =>
      serious(
        dag(
          `PostgresOperator(task_id="t", sql="""${first}; INSERT INTO m.t SELECT * FROM r.t WHERE d = '{{ ds }}'""")`,
        ),
      );
    const made = (options: string, of: string) =>
      `CREATE TABLE ${options} m.t_{{ ds_nodash }} PARTITION OF ${of} FOR VALUES FROM ('{{ ds }}') TO ('{{ macros.ds_add(ds, 1) }}')`;
    expect(load(`DROP TABLE IF EXISTS m.t_{{ ds_nodash }}; ${made('', 'm.t')}`)).toEqual([]);
    expect(load(made('IF NOT EXISTS', 'm.t'))).not.toEqual([]);
    expect(load(`DROP TABLE IF EXISTS m.u_{{ ds_nodash }}; ${made('', 'm.u')}`)).not.toEqual([]);
  });

  test('what differs from the open row is said as that', () => {
    const changed = (first = '') =>
      sql(
        `BEGIN; ${first} INSERT INTO m.t SELECT s.* FROM r.t s LEFT JOIN m.t old ON old.k = s.k AND old.ended_at IS NULL WHERE s.v IS DISTINCT FROM old.v; COMMIT;`,
      );
    const [finding] = checkFiles(changed());
    expect(finding?.message).toContain('compared with the row that is open there');
    expect(serious(changed())).toEqual(['plain-insert warning «INSERT INTO m.t»']);
    expect(
      serious(changed('UPDATE m.t old SET ended_at = s.at FROM r.t s WHERE old.k = s.k AND old.v <> s.v;')),
    ).toEqual([]);
  });
});

describe('append-write', () => {
  const frame = (work: string) =>
    serious(
      dag(
        'PythonOperator(task_id="t", python_callable=load)',
        `engine = create_engine("postgresql://dw")\ndef load(ds):\n    frame = pd.read_csv(f"/data/{ds}.csv")\n${work.replace(/^/gm, '    ')}\n`,
      ),
    );
  const append = 'frame.to_sql("t", engine, if_exists="append")';

  test('speaks', () => expect(frame(append)).toEqual(['append-write error «if_exists="append"»']));

  test.each([
    ['replaced', 'frame.to_sql("t", engine, if_exists="replace")'],
    ['emptied before', `engine.execute("TRUNCATE t")\n${append}`],
    ['the slice is deleted before', `engine.execute(text("DELETE FROM t WHERE d = :d"), {"d": ds})\n${append}`],
    [
      'the first chunk replaces',
      `for i, part in enumerate(frame):\n    part.to_sql("t", engine, if_exists="replace" if i == 0 else "append")`,
    ],
    ['a record of runs', 'frame.to_sql("etl_job_log", engine, if_exists="append")'],
  ])('silent: %s', (_, work) => expect(frame(work)).toEqual([]));

  test.each([
    ['COPY m.t FROM STDIN', 'append-write'],
    ['COPY m.t TO STDOUT', undefined],
  ])('%s', (statement, rule) => {
    const found = frame(`PostgresHook("dw").copy_expert("${statement}", f"/data/{ds}.csv")`);
    expect(found.map((one) => one.split(' ')[0])).toEqual(rule === undefined ? [] : [rule]);
  });

  test('an engine that remembers its files loads them once', () =>
    expect(serious(dag('SnowflakeOperator(task_id="t", sql="COPY INTO m.t FROM @stage/{{ ds }}/")'))).toEqual([]));

  test('a task before empties the table', () => {
    const load = 'b = PostgresOperator(task_id="b", sql="COPY m.t FROM \'/data/{{ ds }}.csv\'")';
    expect(serious(dag(`a = PostgresOperator(task_id="a", sql="TRUNCATE m.t")\n${load}\na >> b`))).toEqual([
      'delete-insert-not-atomic warning «COPY m.t»',
    ]);
    expect(serious(dag(load))).toEqual(['append-write error «COPY m.t»']);
  });
});

describe('consume-once-source', () => {
  const pair = (read: string, mark: string, target = 'm.t') =>
    serious(
      sql(
        `BEGIN; INSERT INTO ${target} SELECT a FROM r.t WHERE ${read} ON CONFLICT (a) DO UPDATE SET a = excluded.a; UPDATE r.t SET ${mark}; COMMIT;`,
      ),
    );

  test.each([
    ['done = false', 'done = true WHERE done = false'],
    ['NOT done', 'done = true'],
    ['sent_at IS NULL', 'sent_at = now() WHERE sent_at IS NULL'],
    ['done = false', 'done = true WHERE a IN (SELECT a FROM m.t)'],
  ])('%s … %s', (read, mark) => expect(pair(read, mark)).toEqual(['consume-once-source error «UPDATE r.t»']));

  test.each([
    ['another column', 'done = false', 'seen = true'],
    ['a mark that the interval gives', "taken = '{{ ds }}'", "taken = '{{ ds }}' WHERE taken IS NULL"],
    ['back to nothing', 'done = false', 'done = NULL'],
    [
      'what became of the thing itself',
      'deleted_flg IS FALSE',
      'deleted_flg = true WHERE a NOT IN (SELECT a FROM m.t)',
    ],
    ['those that a third table tells of', 'open = true', 'open = false WHERE a IN (SELECT a FROM r.gone)'],
  ])('silent: %s', (_, read, mark) => expect(pair(read, mark)).toEqual([]));

  test('rows of a history that are closed', () =>
    expect(
      serious(
        sql(
          'BEGIN; INSERT INTO m.h SELECT s.* FROM r.t s LEFT JOIN m.h o ON o.k = s.k AND o.open = true WHERE o.k IS NULL; UPDATE m.h SET open = false WHERE open = true; COMMIT;',
        ),
      ),
    ).toEqual([]));
});

describe('delete-insert-not-atomic', () => {
  const apart = (first: string, second: string) =>
    serious(
      dag(
        `a = PostgresOperator(task_id="a", sql="${first}")\nb = PostgresOperator(task_id="b", sql="${second}")\na >> b`,
      ),
    );

  test('what is pruned stays away, whether or not the upsert follows', () => {
    const upsert = 'INSERT INTO m.t (k, v) SELECT k, v FROM r.t ON CONFLICT (k) DO UPDATE SET v = excluded.v';
    expect(apart('DELETE FROM m.t WHERE k IN (SELECT k FROM r.gone)', upsert)).toEqual([]);
    expect(apart("DELETE FROM m.t WHERE d = '{{ ds }}'", upsert)).toEqual([
      'delete-insert-not-atomic warning «INSERT INTO m.t»',
    ]);
  });

  test('two tasks: a warning that names what clearing the second alone does', () => {
    expect(apart('TRUNCATE m.t', 'INSERT INTO m.t SELECT * FROM r.t')).toEqual([
      'delete-insert-not-atomic warning «INSERT INTO m.t»',
    ]);
  });
});
