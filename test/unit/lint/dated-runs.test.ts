import { describe, expect, test } from 'vitest';
import { applyFix, checkFiles, type Files } from '../../support/check-files.ts';
import { saidBy } from '../../support/said-by.ts';

const imports = `import pendulum
from datetime import datetime, timedelta
from airflow import DAG
from airflow.decorators import task
from airflow.operators.bash import BashOperator
from airflow.operators.email import EmailOperator
from airflow.operators.empty import EmptyOperator
from airflow.operators.latest_only import LatestOnlyOperator
from airflow.operators.python import PythonOperator
from airflow.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.sensors.filesystem import FileSensor
`;
const dag = (given: string, body: string, before = '', more: Files = {}): Files => ({
  'dags/a.py': `${imports}${before}
with DAG("a", ${given}):
${body.replace(/^/gm, '    ')}
`,
  ...more,
});
const airflow3: Files = { 'requirements.txt': 'apache-airflow==3.0.2\n' };
const plain = 'schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False';
const caught = 'schedule="@daily", start_date=datetime(2024, 1, 1), catchup=True';
const sql = (text: string, id = 'load') => `SQLExecuteQueryOperator(task_id="${id}", conn_id="dw", sql="""${text}""")`;
const slice = "DELETE FROM m.t WHERE day = '{{ ds }}'; INSERT INTO m.t SELECT * FROM r.t WHERE day = '{{ ds }}'";

describe('dst-local-cron', () => {
  const said = (cron: string, zone: string) =>
    saidBy(
      'dst-local-cron',
      dag(
        `schedule="${cron}", start_date=pendulum.datetime(2024, 3, 1, tz="${zone}"), catchup=False`,
        'EmptyOperator(task_id="x")',
      ),
    );
  test.each([
    ['an hour that is skipped', '30 2 * * *', 'America/New_York'],
    ['an hour that comes twice', '30 1 * * *', 'America/New_York'],
    ['an hour of a step', '0 */2 * * *', 'Europe/Paris'],
    ['on Sundays', '15 2 * * 0', 'Europe/Paris'],
    ['south of the equator', '0 2 * * *', 'Australia/Sydney'],
  ])('speaks: %s', (_, cron, zone) => expect(said(cron, zone)).toEqual([`info «schedule="${cron}"»`]));
  test.each([
    ['another hour', '30 4 * * *', 'America/New_York'],
    ['UTC', '30 2 * * *', 'UTC'],
    ['a zone without changes', '30 2 * * *', 'Asia/Tokyo'],
    ['every hour', '30 * * * *', 'Europe/Paris'],
    ['never on a Sunday', '30 2 * * 1-5', 'Europe/Paris'],
    ['midnight', '@daily', 'Europe/Paris'],
    ['a day of the month that is no such night', '30 2 1 * *', 'Europe/Paris'],
  ])('silent: %s', (_, cron, zone) => expect(said(cron, zone)).toEqual([]));
  test('the nights are named', () => {
    const files = dag(
      'schedule="30 1,2 * * *", start_date=pendulum.datetime(2024, 3, 1, tz="America/New_York"), catchup=False',
      'EmptyOperator(task_id="x")',
    );
    expect(checkFiles(files)[0]?.message).toMatch(
      /02:30 does not exist on 2024-03-10.* 01:30 comes twice on 2024-11-03/,
    );
  });
});

describe('skips-intervals', () => {
  const said = (files: Files) => saidBy('skips-intervals', files);
  const guard = 'LatestOnlyOperator(task_id="newest")';
  test.each<[string, Files]>([
    ['right before the load', dag(plain, `${guard} >> ${sql(slice)}`)],
    ['before what is before it', dag(caught, `${guard} >> EmptyOperator(task_id="e") >> ${sql(slice)}`)],
    [
      'before a job',
      dag(plain, `${guard} >> BashOperator(task_id="b", bash_command="spark-submit load.py --day {{ ds }}")`),
    ],
  ])('speaks: %s', (_, files) => expect(said(files)).toEqual([`error «${guard}»`]));
  test.each<[string, Files]>([
    ['behind the load', dag(plain, `${sql(slice)} >> ${guard} >> EmailOperator(task_id="e", subject="{{ ds }}")`)],
    ['beside it', dag(plain, `${guard}\n${sql(slice)}`)],
    ['a whole rebuild', dag(plain, `${guard} >> ${sql('TRUNCATE m.t; INSERT INTO m.t SELECT * FROM r.t')}`)],
    [
      'a task that runs all the same',
      dag(plain, `${guard} >> ${sql(slice).replace(/\)$/, ', trigger_rule="all_done")')}`),
    ],
    ['by hand only', dag('schedule=None, start_date=datetime(2024, 1, 1)', `${guard} >> ${sql(slice)}`)],
    [
      'only its path is of the interval',
      dag(plain, `${guard} >> GCSToGCSOperator(task_id="b", destination_object="x/{{ ds }}")`),
    ],
    [
      'a filter called ts',
      dag(
        plain,
        `${guard} >> BashOperator(task_id="b", bash_command="spark-submit load.py {{ dag_run.start_date | ts }}")`,
      ),
    ],
    ['a message', dag(plain, `${guard} >> BashOperator(task_id="b", bash_command="echo {{ ds }}")`)],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});

describe('catchup-of-undated-work', () => {
  const said = (files: Files) => saidBy('catchup-of-undated-work', files);
  const rebuild = sql('TRUNCATE m.t; INSERT INTO m.t SELECT * FROM r.t');
  const python = (code: string, call = 'PythonOperator(task_id="w", python_callable=work)') =>
    dag(caught, call, `${code}\n`);
  test.each<[string, Files]>([
    ['a rebuild', dag(caught, rebuild)],
    ['a command', dag(caught, 'BashOperator(task_id="b", bash_command="python load.py")')],
    ['Python that is read', python('def work():\n    open("/data/x", "w").write("x")')],
    ['behind a sensor', dag(caught, `FileSensor(task_id="s", filepath="/x") >> ${rebuild}`)],
  ])('speaks: %s', (_, files) => expect(said(files)).toEqual(['warning «catchup=True»']));
  test('where it is only the default, it is worth knowing', () => {
    const given = 'schedule="@daily", start_date=datetime(2024, 1, 1)';
    expect(said(dag(given, rebuild))).toEqual(['info «schedule="@daily"»']);
    expect(said(dag(given, rebuild, '', airflow3))).toEqual([]);
  });
  test.each<[string, Files]>([
    ['off', dag(plain, rebuild)],
    ['SQL of the interval', dag(caught, sql(slice))],
    ['one task of several', dag(caught, `${rebuild}\n${sql(slice, 'b')}`)],
    ['a command of the interval', dag(caught, 'BashOperator(task_id="b", bash_command="load {{ ds }}")')],
    ['a parameter of the callable', python('def work(ds):\n    load(ds)')],
    ['an entry of the context', python('def work(**kwargs):\n    load(kwargs["data_interval_start"])')],
    ['the context is handed on', python('def work(**kwargs):\n    load(**kwargs)')],
    [
      'the context is asked for',
      python('from airflow.operators.python import get_current_context\ndef work():\n    load(get_current_context())'),
    ],
    ['its task instance is handed on', python('def work(ti):\n    load(ti)')],
    [
      'code that is not there',
      dag(caught, 'PythonOperator(task_id="w", python_callable=work)', 'from elsewhere import work\n'),
    ],
    [
      'an operator of one’s own',
      dag(caught, 'LoadOperator(task_id="w", table="t")', 'from elsewhere import LoadOperator\n'),
    ],
    ['a script of its own', dag(caught, 'BashOperator(task_id="b", bash_command="load.sh ")')],
    [
      'an argument that a name holds',
      dag(caught, 'BashOperator(task_id="b", bash_command="load", env=ENV)', 'from elsewhere import ENV\n'),
    ],
    [
      'a template that a name holds',
      dag(caught, 'BashOperator(task_id="b", bash_command="load " + DAY)', 'DAY = "{{ ds }}"\n'),
    ],
    ['nothing is done', dag(caught, 'EmptyOperator(task_id="a") >> FileSensor(task_id="s", filepath="/x")')],
    ['something is shown', dag(caught, 'BashOperator(task_id="b", bash_command="echo hello")')],
    ['another DAG is started', dag(caught, 'TriggerDagRunOperator(task_id="b", trigger_dag_id="other")')],
    ['by hand only', dag('schedule=None, start_date=datetime(2024, 1, 1), catchup=True', rebuild)],
    ['once', dag('schedule="@once", start_date=datetime(2024, 1, 1), catchup=True', rebuild)],
    ['a start that moves', dag('schedule="@daily", start_date=datetime.now(), catchup=True', rebuild)],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
  test('its fix switches it off', () => {
    const files = dag(caught, rebuild);
    const fix = checkFiles(files).find(({ rule }) => rule === 'catchup-of-undated-work')?.fixes[0];
    expect(fix && checkFiles(applyFix(files, fix))).toEqual([]);
  });
});

describe('removed-interval-macro', () => {
  const rule = 'removed-interval-macro';
  const said = (files: Files) => saidBy(rule, files);
  const cut = (text: string) =>
    sql(`DELETE FROM m.t WHERE day = '${text}'; INSERT INTO m.t SELECT * FROM r.t WHERE day = '${text}'`);
  const python = (code: string, more: Files = {}) =>
    dag(plain, 'PythonOperator(task_id="w", python_callable=work)', `${code}\n`, more);
  test.each<[string, Files, string]>([
    ['in SQL', dag(plain, cut('{{ yesterday_ds }}')), 'warning «{{ yesterday_ds }}»'],
    [
      'inside an expression',
      dag(plain, cut("{{ execution_date.strftime('%Y-%m-%d') }}")),
      "warning «{{ execution_date.strftime('%Y-%m-%d') }}»",
    ],
    [
      'in an argument',
      dag(plain, 'BashOperator(task_id="b", bash_command="load {{ next_ds }}")'),
      'warning «{{ next_ds }}»',
    ],
    ['the tick before', dag(plain, cut('{{ prev_ds }}')), 'warning «{{ prev_ds }}»'],
    [
      'in Python',
      python('def work(**context):\n    load(context["execution_date"])'),
      'warning «context["execution_date"]»',
    ],
    [
      'a parameter of the callable',
      python('def work(execution_date, **kwargs):\n    load(execution_date)'),
      'warning «execution_date»',
    ],
    [
      'behind a current name',
      python('def work(ds, **context):\n    load(ds, context["next_ds"])'),
      'warning «context["next_ds"]»',
    ],
    ['of the run', dag(plain, cut('{{ dag_run.execution_date }}')), 'warning «{{ dag_run.execution_date }}»'],
    [
      'in a chain of calls',
      python('def work(**context):\n    load(context["execution_date"].isoformat())'),
      'warning «context["execution_date"]»',
    ],
    ['of the task instance', python('def work(ti):\n    load(ti.execution_date)'), 'warning «ti.execution_date»'],
    ['in Airflow 3', dag(plain, cut('{{ tomorrow_ds }}'), '', airflow3), 'error «{{ tomorrow_ds }}»'],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([mark]));
  test.each<[string, Files]>([
    ['current names', dag(plain, cut('{{ data_interval_end | ds }}'))],
    ['a parameter of that name', dag(plain, cut('{{ params.execution_date }}'))],
    ['an entry of the configuration', dag(plain, cut('{{ dag_run.conf["execution_date"] }}'))],
    ['a Variable of that name', dag(plain, cut('{{ var.value.next_ds }}'))],
    ['part of a longer name', dag(plain, cut('{{ params.x ~ my_execution_date_2 }}'))],
    ['a keyword', dag(plain, cut('{{ my_macro(execution_date=ds) }}'))],
    [
      'an entry of an answer',
      python('def work():\n    for dag_run in fetch():\n        load(dag_run.get("execution_date"))'),
    ],
    ['an entry of a row', python('def work():\n    for row in fetch():\n        load(row["execution_date"])')],
    [
      'what the task gives itself',
      dag(
        plain,
        'PythonOperator(task_id="w", python_callable=work, op_kwargs={"execution_date": "{{ ds }}"})',
        'def work(execution_date):\n    load(execution_date)\n',
      ),
    ],
    [
      'a column of that name',
      dag(
        plain,
        sql(
          "DELETE FROM m.t WHERE execution_date = '{{ ds }}'; INSERT INTO m.t SELECT * FROM r.t WHERE execution_date = '{{ ds }}'",
        ),
      ),
    ],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));

  const mended = (files: Files): string | undefined => {
    const fix = checkFiles(files).find((one) => one.rule === rule)?.fixes[0];
    const after = fix && applyFix(files, fix);
    if (after !== undefined) expect(said(after)).toEqual([]);
    return after?.['dags/a.py'];
  };
  test.each([
    ['{{ execution_date }}', '{{ logical_date }}'],
    ['{{ next_ds }}', '{{ data_interval_end | ds }}'],
    ['{{ next_ds_nodash }}', '{{ data_interval_end | ds_nodash }}'],
    ["{{ next_ds.replace('-', '') }}", "{{ (data_interval_end | ds).replace('-', '') }}"],
    ['{{ macros.ds_add(next_ds, -1) }}', '{{ macros.ds_add((data_interval_end | ds), -1) }}'],
    ['{{ yesterday_ds }}', '{{ macros.ds_add(ds, -1) }}'],
    ['{{ tomorrow_ds_nodash }}', '{{ (logical_date + macros.timedelta(days=1)) | ds_nodash }}'],
    [
      '{{ (execution_date - macros.timedelta(hours=1)).strftime("%H") }}',
      '{{ (logical_date - macros.timedelta(hours=1)).strftime("%H") }}',
    ],
    ['{{ dag_run.execution_date }}', '{{ dag_run.logical_date }}'],
  ])('%s becomes %s', (before, after) =>
    expect(
      mended(dag(plain, `BashOperator(task_id="b", bash_command='load ${before.replaceAll("'", '"')}')`)),
    ).toContain(`load ${after.replaceAll("'", '"')}`),
  );
  test.each<[string, Files]>([
    ['a name without a current one', dag(plain, cut('{{ prev_ds }}'))],
    ['an interval that is empty', dag(plain, cut('{{ next_ds }}'), '', airflow3)],
    ['a parameter of the callable', python('def work(execution_date, **kwargs):\n    load(execution_date)')],
    ['a file for Airflow 1', dag(plain, cut('{{ execution_date }}'), 'from airflow.contrib.operators.x import y\n')],
  ])('no fix: %s', (_, files) => expect(mended(files)).toBeUndefined());
  test('an entry of the context gets its current name', () => {
    expect(mended(python('def work(**context):\n    load(context["execution_date"])'))).toContain(
      'load(context["logical_date"])',
    );
  });
});
