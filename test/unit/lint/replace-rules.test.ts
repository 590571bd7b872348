import { describe, expect, test } from 'vitest';
import { checkFiles, dagWith, type Files } from '../../support/check-files.ts';
import { saidBy } from '../../support/said-by.ts';

const imports = `from datetime import datetime
from airflow import DAG
from airflow.operators.bash import BashOperator
from airflow.operators.empty import EmptyOperator
from airflow.operators.python import PythonOperator
from airflow.providers.amazon.aws.operators.ecs import EcsRunTaskOperator
from airflow.providers.amazon.aws.operators.emr import EmrAddStepsOperator
from airflow.providers.amazon.aws.operators.glue import GlueJobOperator
from airflow.providers.databricks.operators.databricks import DatabricksRunNowOperator
from airflow.providers.google.cloud.operators.bigquery import BigQueryInsertJobOperator
from airflow.providers.google.cloud.transfers.gcs_to_bigquery import GCSToBigQueryOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator
from airflow.providers.snowflake.operators.snowflake import SnowflakeOperator
from airflow.utils.trigger_rule import TriggerRule
import pandas as pd
from sqlalchemy import create_engine
`;
const dag = (body: string, more = '', schedule = '"@daily"', before = ''): Files => ({
  'dags/a.py': `${imports}${before}with DAG("a", schedule=${schedule}, start_date=datetime(2024, 1, 1)${more}):
${body.replace(/^/gm, '    ')}
`,
});
const day = "WHERE day = '{{ ds }}'";
const once = ', catchup=False';

describe('overlapping-runs', () => {
  const said = (files: Files) => saidBy('overlapping-runs', files);
  const snap = (more = '', command = 'dbt snapshot -s m') =>
    `BashOperator(task_id="t", bash_command="${command}"${more})`;
  const marked = ['warning «bash_command="dbt snapshot -s m"»'];
  test.each<[string, Files]>([
    ['every half hour', dag(snap(), once, '"*/30 * * * *"')],
    ['days are caught up on', dag(snap(), ', catchup=True')],
    ['four runs are let through', dag(snap(), ', catchup=False, max_active_runs=4')],
  ])('speaks: %s', (_, files) => expect(said(files)).toEqual(marked));
  test.each<[string, Files]>([
    ['one run at a time', dag(snap(), ', max_active_runs=1', '"*/30 * * * *"')],
    ['once a day', dag(snap(), once)],
    ['waits for the run before', dag(snap(', depends_on_past=True'), once, '"*/30 * * * *"')],
    ['one of the task at a time', dag(snap(', max_active_tis_per_dag=1'), once, '"*/30 * * * *"')],
    ['dbt run', dag(snap('', 'dbt run -s snapshot_dates'), once, '"*/30 * * * *"')],
    ['another tool', dag(snap('', 'zfs snapshot pool'), once, '"*/30 * * * *"')],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});

describe('external-job-resubmit', () => {
  const said = (files: Files) => saidBy('external-job-resubmit', files);
  test.each<[string, string]>([
    ['Glue', 'GlueJobOperator(task_id="t", job_name="j", retries=3)'],
    ['Databricks', 'DatabricksRunNowOperator(task_id="t", job_id=7, retries=3)'],
    ['ECS that does not look', 'EcsRunTaskOperator(task_id="t", cluster="c", reattach=False, retries=3)'],
    [
      'EMR that is waited for',
      'EmrAddStepsOperator(task_id="t", job_flow_id="j", wait_for_completion=True, retries=3)',
    ],
  ])('speaks: %s', (_, body) => expect(said(dag(body))).toEqual(['warning «retries=3»']));
  test.each<[string, string]>([
    ['it looks for the job', 'GlueJobOperator(task_id="t", job_name="j", retries=3, resume_glue_job_on_retry=True)'],
    [
      'a token of the interval',
      'DatabricksRunNowOperator(task_id="t", job_id=7, idempotency_token="{{ run_id }}", retries=3)',
    ],
    ['ECS looks', 'EcsRunTaskOperator(task_id="t", cluster="c", reattach=True, retries=3)'],
    ['it only submits', 'EmrAddStepsOperator(task_id="t", job_flow_id="j", retries=3)'],
    ['no retries', 'GlueJobOperator(task_id="t", job_name="j", retries=0)'],
    ['nobody says that there are', 'GlueJobOperator(task_id="t", job_name="j")'],
    ['no job', 'BashOperator(task_id="t", bash_command="work", retries=3)'],
  ])('silent: %s', (_, body) => expect(said(dag(body))).toEqual([]));
});

describe('all-done-on-write', () => {
  const said = (files: Files) => saidBy('all-done-on-write', files);
  const load = `sql="DELETE FROM m.t ${day}; INSERT INTO m.t SELECT * FROM s.t ${day}"`;
  const chain = (task: string, first = 'BashOperator(task_id="pull", bash_command="pull {{ ds }}")') =>
    dag(`${first} >> ${task}`);
  const sql = (text: string, rule = '"all_done"') => `PostgresOperator(task_id="t", trigger_rule=${rule}, ${text})`;
  test.each<[string, Files, string]>([
    ['a load', chain(sql(load)), 'trigger_rule="all_done"'],
    ['by the name of the enum', chain(sql(load, 'TriggerRule.ALL_DONE')), 'trigger_rule=TriggerRule.ALL_DONE'],
    ['any one is enough', chain(sql(load, '"one_success"')), 'trigger_rule="one_success"'],
    [
      'what it reads is written before it',
      chain(
        sql(load),
        `PostgresOperator(task_id="p", sql="DELETE FROM s.t ${day}; INSERT INTO s.t SELECT * FROM r.t ${day}")`,
      ),
      'trigger_rule="all_done"',
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`error «${mark}»`]));
  test.each<[string, Files]>([
    ['clearing up', chain(sql('sql="DROP TABLE IF EXISTS stage.t"'))],
    ['a record of the run', chain(sql(`sql="INSERT INTO etl.job_log VALUES ('{{ ds }}')"`))],
    ['skipped ones only', chain(sql(load, '"none_failed"'))],
    ['a message', chain('EmptyOperator(task_id="end", trigger_rule="all_done")')],
    ['nothing before it', dag(sql(load))],
    ['nothing is made before it', chain(sql(load), 'EmptyOperator(task_id="start")')],
    [
      'loads of tables of their own, one after the other',
      chain(
        sql(load),
        `PostgresOperator(task_id="p", sql="DELETE FROM m.u ${day}; INSERT INTO m.u SELECT * FROM r.u ${day}")`,
      ),
    ],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});

describe('copy-force', () => {
  const said = (files: Files) => saidBy('copy-force', files);
  const snow = (sql: string) => dag(`SnowflakeOperator(task_id="t", sql="""${sql}""")`);
  test.each<[string, string]>([
    ['at the end', 'COPY INTO r.t FROM @s FORCE = TRUE'],
    ['in small letters', 'copy into r.t from @s file_format = (type = csv) force=true'],
  ])('speaks: %s', (_, sql) => expect(said(snow(sql))).toHaveLength(1));
  test.each<[string, string]>([
    ['without it', 'COPY INTO r.t FROM @s'],
    ['switched off', 'COPY INTO r.t FROM @s FORCE = FALSE'],
    ['the table is emptied first', 'TRUNCATE TABLE r.t; COPY INTO r.t FROM @s FORCE = TRUE'],
    ['the table is made anew', 'CREATE OR REPLACE TABLE r.t (a int); COPY INTO r.t FROM @s FORCE = TRUE'],
    ['an unload', 'COPY INTO @s FROM r.t OVERWRITE = TRUE'],
  ])('silent: %s', (_, sql) => expect(said(snow(sql))).toEqual([]));
});

describe('whole-target-overwrite', () => {
  const said = (files: Files) => saidBy('whole-target-overwrite', files);
  const insert = `INSERT INTO m.t (day, n) SELECT day, n FROM r.t ${day}`;
  const load = (table: string, more = '') =>
    `GCSToBigQueryOperator(task_id="t", bucket="b", source_objects=["t/{{ ds }}/*"], destination_project_dataset_table="${table}"${more}, write_disposition="WRITE_TRUNCATE")`;
  const byDay = ', time_partitioning={"type": "DAY"}';
  const spark = (sql: string) => ({
    'sql/a.sql': `-- backfill: schedule=@daily start=2024-01-01 dialect=spark\n${sql};`,
  });

  test.each<[string, Files, string]>([
    ['TRUNCATE', dagWith(`TRUNCATE m.t; ${insert}`), 'TRUNCATE m.t'],
    ['DELETE of all', dagWith(`DELETE FROM m.t; ${insert}`), 'DELETE FROM m.t'],
    [
      'CREATE OR REPLACE',
      dagWith(`CREATE OR REPLACE TABLE m.t AS SELECT * FROM r.t ${day}`),
      'CREATE OR REPLACE TABLE m.t',
    ],
    [
      'a stamp of the interval',
      dagWith(`TRUNCATE m.t; INSERT INTO m.t SELECT '{{ ds }}' AS day, count(*) FROM r.t ${day}`),
      'TRUNCATE m.t',
    ],
    [
      'through a common table',
      dagWith(`TRUNCATE m.t; INSERT INTO m.t WITH x AS (SELECT * FROM r.t ${day}) SELECT day, n FROM x`),
      'TRUNCATE m.t',
    ],
    [
      'INSERT OVERWRITE without a partition',
      spark(`INSERT OVERWRITE TABLE m.t SELECT * FROM r.t ${day}`),
      'INSERT OVERWRITE TABLE m.t',
    ],
    ['files of the day over a table of days', dag(load('p.d.t', byDay)), 'write_disposition="WRITE_TRUNCATE"'],
    [
      'another task replaces days of it',
      {
        ...dagWith(`TRUNCATE m.t; INSERT INTO m.t SELECT * FROM r.t WHERE ds = '{{ ds }}'`),
        'sql/b.sql': `-- backfill: schedule=@daily\nDELETE FROM m.t WHERE ds = '{{ ds }}';`,
      },
      'TRUNCATE m.t',
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`error «${mark}»`]));

  test.each<[string, Files]>([
    ['a whole rebuild', dagWith('TRUNCATE m.t; INSERT INTO m.t SELECT day, n FROM r.t')],
    ['all up to the day', dagWith("TRUNCATE m.t; INSERT INTO m.t SELECT day, n FROM r.t WHERE day <= '{{ ds }}'")],
    ['a staging table', dagWith(`TRUNCATE stage.t; INSERT INTO stage.t SELECT day, n FROM r.t ${day}`)],
    [
      'read again by the run',
      dagWith(
        `TRUNCATE m.u; INSERT INTO m.u SELECT * FROM r.t ${day}; DELETE FROM m.t ${day}; INSERT INTO m.t SELECT * FROM m.u`,
      ),
    ],
    [
      'moved afterwards',
      dagWith(
        `CREATE TABLE m.t_next AS SELECT * FROM r.t ${day}; ALTER TABLE m.t ATTACH PARTITION m.t_next FOR VALUES IN ('{{ ds }}')`,
      ),
    ],
    ['figures without a date', dagWith(`TRUNCATE m.t; INSERT INTO m.t SELECT count(*) FROM r.t ${day}`)],
    [
      'the newest snapshot',
      dagWith(`TRUNCATE m.t; INSERT INTO m.t SELECT * FROM r.t WHERE snapshot_date = '{{ ds }}'`),
    ],
    [
      'a table of its own for each day',
      dagWith(`CREATE OR REPLACE TABLE m.t_{{ ds_nodash }} AS SELECT * FROM r.t ${day}`),
    ],
    [
      'it brings the others back',
      dagWith(
        `CREATE OR REPLACE TABLE m.t AS SELECT * FROM m.t WHERE day <> '{{ ds }}' UNION ALL SELECT * FROM r.t ${day}`,
      ),
    ],
    ['its partition', spark(`INSERT OVERWRITE TABLE m.t PARTITION (day = '{{ ds }}') SELECT n FROM r.t ${day}`)],
    [
      'dynamic partitions',
      spark(
        `SET spark.sql.sources.partitionOverwriteMode=dynamic; INSERT OVERWRITE TABLE m.t SELECT * FROM r.t ${day}`,
      ),
    ],
    ['a DELETE of the day', dagWith(`DELETE FROM m.t ${day}; ${insert}`)],
    ["the day's partition of BigQuery", dag(load(['p.d.t', '{{ ds_nodash }}'].join('$'), byDay))],
    ['files that may be whole dumps', dag(load('p.d.t'))],
    ['a table named by the day', dag(load('p.d.t_{{ ds_nodash }}', byDay))],
    [
      'loaded, then read by the run',
      dag(
        `${load('p.d.t', byDay)} >> PostgresOperator(task_id="u", sql="DELETE FROM m.x; INSERT INTO m.x SELECT * FROM p.d.t")`,
      ),
    ],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});

test.each([
  ['INSERT INTO m.t SELECT * FROM r.t', true],
  ['INSERT INTO m.t SELECT * FROM r.t ON CONFLICT (a) DO NOTHING', false],
  ['INSERT INTO m.t SELECT r.* FROM r.t r WHERE NOT EXISTS (SELECT 1 FROM m.t x WHERE x.a = r.a)', false],
])('delete-insert-not-atomic says what clearing the second task alone does: %s', (insert, isAdding) => {
  const files = dag(
    `PostgresOperator(task_id="d", sql="TRUNCATE m.t") >> PostgresOperator(task_id="i", sql="${insert}")`,
  );
  const said = checkFiles(files).filter(({ rule }) => rule === 'delete-insert-not-atomic');
  expect(said.map(({ message }) => message.includes('clearing this task alone adds its rows'))).toEqual([isAdding]);
});

describe('shared-staging-name', () => {
  const said = (files: Files) => saidBy('shared-staging-name', files);
  const two = (
    fill: string,
    read = 'INSERT INTO m.t SELECT * FROM stage.t ON CONFLICT (a) DO UPDATE SET b = EXCLUDED.b',
  ) => `PostgresOperator(task_id="fill", sql="${fill}") >> PostgresOperator(task_id="load", sql="${read}")`;
  const fill = `TRUNCATE stage.t; INSERT INTO stage.t SELECT * FROM r.t ${day}`;
  const caughtUp = ', catchup=True';
  test.each<[string, Files, string]>([
    ['days are caught up on', dag(two(fill), caughtUp), 'warning «stage.t»'],
    ['several runs are let through', dag(two(fill), `${once}, max_active_runs=3`), 'error «stage.t»'],
    ['by the hour', dag(two(fill), once, '"@hourly"'), 'warning «stage.t»'],
    [
      'made and dropped by tasks of their own',
      dag(
        `${two(`CREATE TABLE stage.t AS SELECT * FROM r.t ${day}`)} >> PostgresOperator(task_id="d", sql="DROP TABLE stage.t")`,
        caughtUp,
      ),
      'warning «stage.t»',
    ],
    [
      'made anew',
      dag(two(`DROP TABLE IF EXISTS stage.t; CREATE TABLE stage.t AS SELECT * FROM r.t ${day}`), caughtUp),
      'warning «stage.t»',
    ],
    [
      'in one task, without a lock',
      dag(
        `PostgresOperator(task_id="t", sql="DELETE FROM stage.t; INSERT INTO stage.t SELECT * FROM r.t ${day}; INSERT INTO m.t SELECT * FROM stage.t ON CONFLICT (a) DO UPDATE SET b = 1")`,
        caughtUp,
      ),
      'warning «stage.t»',
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([mark]));
  test.each<[string, Files]>([
    ['one run at a time', dag(two(fill), `${caughtUp}, max_active_runs=1`)],
    [
      'made and dropped within one transaction',
      dag(
        `PostgresOperator(task_id="t", sql="BEGIN; CREATE TABLE stage.since AS SELECT DATE '{{ ds }}' - 90 AS d; DELETE FROM m.t WHERE d >= (SELECT d FROM stage.since); INSERT INTO m.t SELECT * FROM r.t WHERE d >= (SELECT d FROM stage.since); DROP TABLE stage.since; COMMIT")`,
        caughtUp,
      ),
    ],
    [
      "a table that keeps the other runs' rows",
      dag(
        two(
          `DELETE FROM mart.t ${day}; INSERT INTO mart.t SELECT * FROM r.t ${day}`,
          'INSERT INTO m.t SELECT * FROM mart.t WHERE d = CURRENT_DATE - 1',
        ),
        caughtUp,
      ),
    ],
    ['once a day', dag(two(fill), once)],
    [
      'a name of its own',
      dag(
        two(
          fill.replaceAll('stage.t', 'stage.t_{{ ds_nodash }}'),
          'INSERT INTO m.t SELECT * FROM stage.t_{{ ds_nodash }}',
        ),
        caughtUp,
      ),
    ],
    [
      'a temporary table',
      dag(
        `PostgresOperator(task_id="t", sql="CREATE TEMP TABLE stage_t AS SELECT * FROM r.t ${day}; INSERT INTO m.t SELECT * FROM stage_t")`,
        caughtUp,
      ),
    ],
    [
      'TRUNCATE keeps the others out until the end',
      dag(`PostgresOperator(task_id="t", sql="${fill}; INSERT INTO m.t SELECT * FROM stage.t")`, caughtUp),
    ],
    [
      'each reads its own part',
      dag(
        two(
          `DELETE FROM stage.t ${day}; INSERT INTO stage.t SELECT * FROM r.t ${day}`,
          `INSERT INTO m.t SELECT * FROM stage.t ${day}`,
        ),
        caughtUp,
      ),
    ],
    ['nothing reads it', dag(`PostgresOperator(task_id="t", sql="${fill}")`, caughtUp)],
    [
      'a dimension that is the same in every run',
      dag(
        two('TRUNCATE m.dim; INSERT INTO m.dim SELECT * FROM r.dim', 'INSERT INTO m.t SELECT * FROM m.dim'),
        caughtUp,
      ),
    ],
    ['no schedule', dag(two(fill), '', 'None')],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));

  const shell = (write: string, read: string, more = caughtUp) =>
    dag(
      `BashOperator(task_id="w", bash_command="${write}") >> BashOperator(task_id="r", bash_command="${read}")`,
      more,
    );
  test.each<[string, Files]>([
    ['redirected', shell('fetch {{ ds }} > /tmp/v.csv', 'load /tmp/v.csv')],
    ['named as an option', shell('curl -o /tmp/v.csv https://x/{{ ds }}', 'load /tmp/v.csv')],
  ])('speaks of a file: %s', (_, files) => expect(said(files)).toEqual(['warning «/tmp/v.csv»']));
  test.each<[string, Files]>([
    ['a name of its own', shell('fetch {{ ds }} > /tmp/v_{{ ds }}.csv', 'load /tmp/v_{{ ds }}.csv')],
    ['the same for every run', shell('fetch all > /tmp/v.csv', 'load /tmp/v.csv')],
    ['nobody reads it', shell('fetch {{ ds }} > /tmp/v.log', 'load')],
    ['one run at a time', shell('fetch {{ ds }} > /tmp/v.csv', 'load /tmp/v.csv', ', max_active_runs=1')],
  ])('silent of a file: %s', (_, files) => expect(said(files)).toEqual([]));
});
