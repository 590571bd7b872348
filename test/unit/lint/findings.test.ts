import { describe, expect, test } from 'vitest';
import { checkFiles, dagWith, type Files, inWords } from '../../support/check-files.ts';

const serious = (files: Files): string[] =>
  checkFiles(files)
    .filter(({ severity }) => severity !== 'hint')
    .map((finding) => inWords(files, finding));

const pair = (deleted: string, inserted: string): string =>
  `DELETE FROM m.a WHERE ${deleted};\nINSERT INTO m.a SELECT * FROM r.a WHERE ${inserted};`;

describe('delete-insert-range-mismatch', () => {
  const found = ['delete-insert-range-mismatch error «DELETE FROM m.a»'];
  test.each([
    ['rolling insert', pair("d = '{{ ds }}'", "d >= '{{ ds }}'::date - 7 AND d <= '{{ ds }}'"), '"@daily"'],
    ['wider delete', pair("d >= '{{ macros.ds_add(ds, -6) }}' AND d <= '{{ ds }}'", "d = '{{ ds }}'"), '"@daily"'],
    ['delete open to the future', pair("d >= '{{ ds }}'", "d = '{{ ds }}'"), '"@daily"'],
    ['insert open to the future', pair("d = '{{ ds }}'", "d >= '{{ ds }}'"), '"@daily"'],
    ['another day', pair("d = '{{ ds }}'", "d = '{{ macros.ds_add(ds, -1) }}'"), '"@daily"'],
    [
      'month against day',
      pair("date_trunc('month', d) = date_trunc('month', DATE '{{ ds }}')", "d = '{{ ds }}'"),
      '"@daily"',
    ],
    [
      'a day cut by an interval from 5 to 5',
      `DELETE FROM m.a WHERE d = '{{ ds }}';
       INSERT INTO m.a (d, n) SELECT ts::date, count(*) FROM r.a
       WHERE ts >= '{{ data_interval_start }}' AND ts < '{{ data_interval_end }}' GROUP BY 1;`,
      '"0 5 * * *"',
    ],
    [
      'through a CTE and an alias',
      `DELETE FROM m.a WHERE d = '{{ ds }}';
       INSERT INTO m.a WITH x AS (SELECT r.day AS d, n FROM r.a r WHERE r.day > '{{ macros.ds_add(ds, -3) }}') SELECT d, n FROM x;`,
      '"@daily"',
    ],
    ['bound from the target', pair('d > (SELECT max(d) - 3 FROM m.a)', 'd > (SELECT max(d) FROM m.a)'), '"@daily"'],
  ])('%s', (_, sql, schedule) => expect(serious(dagWith(sql, { schedule }))).toEqual(found));
});

describe('inclusive-interval-end', () => {
  test.each([
    ["ts BETWEEN '{{ ds }}' AND '{{ next_ds }}'"],
    ["ts BETWEEN '{{ execution_date }}' AND '{{ next_execution_date }}'"],
    ["ts BETWEEN '{{ ds }}'::timestamp AND '{{ ds }}'::timestamp + interval '1 day'"],
    ["ts BETWEEN '{{ ds }}' AND '{{ macros.ds_add(ds, 1) }}'"],
    ["ts BETWEEN '{{ ts }}' AND '{{ data_interval_end }}'"],
  ])('%s', (predicate) => {
    const sql = `DELETE FROM m.a WHERE d = '{{ ds }}'; INSERT INTO m.a (d, n) SELECT '{{ ds }}', count(*) FROM r.a WHERE ${predicate};`;
    const found = serious(dagWith(sql)).filter((one) => !one.startsWith('removed-interval-macro'));
    expect(found).toEqual([`inclusive-interval-end error «${predicate}»`]);
  });

  const wholeDays = "BETWEEN '{{ macros.ds_add(ds, -1) }}' AND '{{ ds }}'";
  const upsert = (predicate: string): string =>
    `INSERT INTO m.a (id, n) SELECT id, n FROM r.a WHERE ${predicate} ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n`;
  test.each<[string, Files]>([
    ['a partition by day', dagWith(upsert(`dt ${wholeDays}`))],
    [
      'a day before and a day behind',
      dagWith(upsert("dt BETWEEN '{{ macros.ds_add(ds, -1) }}' AND '{{ macros.ds_add(ds, 1) }}'")),
    ],
    [
      'a date by its name',
      dagWith(upsert(`date_utc BETWEEN '{{ ds }}'::date - interval '1 day' AND '{{ ds }}'::date`)),
    ],
    [
      'the day of a time',
      dagWith(upsert(`to_date(received) ${wholeDays}`.replace('to_date(received)', 'received::date'))),
    ],
    [
      'a date by its definition',
      { ...dagWith(upsert(`happened ${wholeDays}`)), 'ddl/a.sql': 'CREATE TABLE r.a (id int, n int, happened date);' },
    ],
  ])('whole days that reach back end at no time that the next run begins with: %s', (_, files) =>
    expect(serious(files)).toEqual([]),
  );
  test.each<[string, Files]>([
    ['times from midnight to midnight', dagWith(upsert(`happened ${wholeDays}`))],
    ['a date up to the end of the interval', dagWith(upsert("dt BETWEEN '{{ ds }}' AND '{{ macros.ds_add(ds, 1) }}'"))],
    [
      'a time, whatever its name',
      {
        ...dagWith(upsert(`sent_date ${wholeDays}`)),
        'ddl/a.sql': 'CREATE TABLE r.a (id int, n int, sent_date timestamp);',
      },
    ],
  ])('the end of one is where the next begins: %s', (_, files) =>
    expect(serious(files).join()).toContain('inclusive-interval-end error'),
  );

  test('speaks for a pair that differs by its closed end only', () => {
    const sql = pair(
      "ts >= '{{ data_interval_start }}' AND ts < '{{ data_interval_end }}'",
      "ts >= '{{ data_interval_start }}' AND '{{ data_interval_end }}' >= ts",
    );
    expect(serious(dagWith(sql))).toEqual(["inclusive-interval-end error «'{{ data_interval_end }}' >= ts»"]);
  });
});

describe('delete-insert-not-atomic', () => {
  const sql = pair("d = '{{ ds }}'", "d = '{{ ds }}'");
  const python = (body: string): Files => ({
    'dags/a.py': `from datetime import datetime
from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.google.cloud.operators.bigquery import BigQueryInsertJobOperator
from airflow.providers.snowflake.operators.snowflake import SnowflakeOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.providers.postgres.operators.postgres import PostgresOperator
${body}`,
  });
  const dag = 'with DAG("a", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):\n    ';
  const atInsert = ['delete-insert-not-atomic warning «INSERT INTO m.a»'];
  test.each([
    [
      'autocommit and a list',
      `${dag}PostgresOperator(task_id="t", autocommit=True, sql=["DELETE FROM m.a WHERE d='{{ ds }}'", "INSERT INTO m.a SELECT * FROM r.a WHERE d='{{ ds }}'"])\n`,
      ['delete-insert-not-atomic warning «autocommit=True»'],
    ],
    [
      'BigQuery',
      `${dag}BigQueryInsertJobOperator(task_id="t", configuration={"query": {"query": """${sql}"""}})\n`,
      atInsert,
    ],
    [
      'Snowflake, which splits by itself',
      `${dag}SnowflakeOperator(task_id="t", autocommit=True, sql="""${sql}""")\n`,
      ['delete-insert-not-atomic warning «autocommit=True»'],
    ],
    [
      'two calls of a hook',
      `def load(ds):\n    hook = PostgresHook("x")\n    hook.run("DELETE FROM m.a WHERE d = %s", parameters=(ds,))\n    hook.run("INSERT INTO m.a SELECT * FROM r.a WHERE d = %s", parameters=(ds,))\n${dag}PythonOperator(task_id="t", python_callable=load)\n`,
      atInsert,
    ],
    [
      'a COMMIT between',
      `${dag}PostgresOperator(task_id="t", sql="""BEGIN; ${sql.replace(';\n', '; COMMIT; BEGIN;\n')} COMMIT;""")\n`,
      atInsert,
    ],
  ])('%s', (_, body, expected) => expect(serious(python(body))).toEqual(expected));

  test('BigQuery with a transaction of its own is silent', () => {
    const body = `${dag}BigQueryInsertJobOperator(task_id="t", configuration={"query": {"query": """BEGIN TRANSACTION; ${sql} COMMIT TRANSACTION;"""}})\n`;
    expect(serious(python(body))).toEqual([]);
  });

  test.each<[string, string, boolean]>([
    [
      'what is there no more is taken away, what is new is added',
      `DELETE FROM mart.t WHERE NOT EXISTS (SELECT 1 FROM raw.t r WHERE r.id = mart.t.id); COMMIT;
       INSERT INTO mart.t SELECT r.* FROM raw.t r WHERE NOT EXISTS (SELECT 1 FROM mart.t m WHERE m.id = r.id)`,
      false,
    ],
    [
      'by way of a working table',
      `DELETE FROM mart.t WHERE id IN (SELECT id FROM raw.gone); COMMIT;
       CREATE TEMPORARY TABLE fresh AS SELECT * FROM raw.t r WHERE NOT EXISTS (SELECT 1 FROM mart.t m WHERE m.id = r.id);
       INSERT INTO mart.t SELECT * FROM fresh`,
      false,
    ],
    [
      'the slice is taken away and added again',
      `DELETE FROM mart.t WHERE day = '{{ ds }}'; COMMIT;
       INSERT INTO mart.t SELECT r.* FROM raw.t r WHERE day = '{{ ds }}' AND NOT EXISTS (SELECT 1 FROM mart.t m WHERE m.id = r.id)`,
      true,
    ],
    [
      'the rows that come in are taken away',
      'DELETE FROM mart.t WHERE id IN (SELECT id FROM raw.t); COMMIT; INSERT INTO mart.t SELECT * FROM raw.t',
      true,
    ],
  ])('rows that are pruned are none that the INSERT brings: %s', (_, sql, speaks) =>
    expect(serious(dagWith(sql)).some((one) => one.startsWith('delete-insert-not-atomic'))).toBe(speaks),
  );
});

describe('one cause, one finding', () => {
  test('a text that two tasks run is reported once, at its gravest', () => {
    const files: Files = {
      'dags/a.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
with DAG("a", schedule=None, start_date=datetime(2024, 1, 1)):
    SQLExecuteQueryOperator(task_id="x", conn_id="dw", sql="load.sql")
with DAG("b", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    SQLExecuteQueryOperator(task_id="y", conn_id="dw", sql="load.sql")
`,
      'dags/load.sql': 'INSERT INTO m.a SELECT * FROM r.a',
    };
    expect(serious(files)).toEqual(['plain-insert error «INSERT INTO m.a»']);
  });

  test('clock calls of one task are one finding with the others as related places', () => {
    const files = dagWith(pair('d = current_date', 'd = current_date AND ts < now()'));
    const [finding, ...others] = checkFiles(files);
    expect(others).toEqual([]);
    expect(finding?.related.length).toBe(2);
  });

  test('retention does not make room for an INSERT', () => {
    const files = dagWith(
      "DELETE FROM m.a WHERE ts < now() - interval '30 days'; INSERT INTO m.a SELECT * FROM r.a WHERE d = '{{ ds }}';",
    );
    expect(serious(files)).toEqual(['plain-insert error «INSERT INTO m.a»']);
  });
});

describe('missing-interval-filter', () => {
  test.each([
    [
      'a join that nothing cuts',
      'SELECT o.d, o.id, c.name FROM raw.orders o JOIN dim.c c ON c.id = o.cid',
      'raw.orders',
    ],
    [
      'behind a CTE',
      'WITH x AS (SELECT order_date AS d, sum(t) t FROM raw.orders GROUP BY 1) SELECT d, t FROM x',
      'raw.orders',
    ],
    [
      'one branch of a UNION',
      "SELECT d, id FROM raw.x WHERE d = '{{ ds }}' UNION ALL SELECT d, id FROM raw.y",
      'raw.y',
    ],
  ])('%s', (_, query, table) => {
    const files = dagWith(`DELETE FROM m.a WHERE d = '{{ ds }}'; INSERT INTO m.a ${query};`);
    expect(serious(files)).toEqual([`missing-interval-filter error «${table}»`]);
  });
});

describe('upserts', () => {
  const scheduled = (dialect: string, sql: string): Files => ({
    'sql/a.sql': `-- backfill: schedule=@daily dialect=${dialect}\n${sql}`,
  });
  test.each([
    [
      'mysql',
      "INSERT INTO m.a (id, n) SELECT id, 1 FROM r.a WHERE d = '{{ ds }}' ON DUPLICATE KEY UPDATE n = n + VALUES(n);",
      'additive-update error «n = n + VALUES(n)»',
    ],
    [
      'mysql',
      "INSERT IGNORE INTO m.a (id, n) SELECT id, n FROM r.a WHERE d = '{{ ds }}';",
      'do-nothing-upsert warning «IGNORE»',
    ],
    [
      'postgres',
      'MERGE INTO m.a t USING r.a s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n);',
      'do-nothing-upsert warning «INSERT (id, n) VALUES (s.id, s.n)»',
    ],
    [
      'postgres',
      'UPDATE m.a t SET n = t.n + s.n FROM r.a s WHERE s.id = t.id AND NOT EXISTS (SELECT 1 FROM ops.applied p WHERE p.batch = s.batch);',
      'additive-update info «n = t.n + s.n»',
    ],
  ])('%s %s', (dialect, sql, expected) => expect(serious(scheduled(dialect, sql))).toEqual([expected]));
});
