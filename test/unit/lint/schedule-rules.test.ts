import { describe, expect, test } from 'vitest';
import { applyFix, checkFiles, type Files } from '../../support/check-files.ts';
import { saidBy } from '../../support/said-by.ts';

const imports = `from datetime import datetime, timedelta
from airflow import DAG
from airflow.operators.bash import BashOperator
from airflow.operators.empty import EmptyOperator
from airflow.operators.python import PythonOperator
from airflow.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.sensors.external_task import ExternalTaskSensor
`;
const dag = (id: string, schedule: string, body: string, more = ''): string =>
  `${imports}with DAG("${id}", schedule=${schedule}, start_date=datetime(2024, 1, 1), catchup=False${more}):
${body.replace(/^/gm, '    ')}
`;
const said = (files: Files, rule: string): string[] => saidBy(rule, files);

describe('trigger-drops-interval', () => {
  const rule = 'trigger-drops-interval';
  const dated = `BashOperator(task_id="pull", bash_command="pull {{ ds }}") >> `;
  const trigger = (more = '') => `TriggerDagRunOperator(task_id="go", trigger_dag_id="other"${more})`;
  const other = (body: string): Files => ({ 'dags/other.py': dag('other', 'None', body) });
  const usesDay = `BashOperator(task_id="t", bash_command="work {{ ds }}")`;
  const usesNone = `BashOperator(task_id="t", bash_command="work")`;

  test.each<[string, Files]>([
    ['the other DAG is not known and the interval was used', { 'dags/a.py': dag('a', '"@daily"', dated + trigger()) }],
    ['the other DAG uses it', { 'dags/a.py': dag('a', '"@daily"', trigger()), ...other(usesDay) }],
  ])('speaks: %s', (_, files) => expect(said(files, rule)).toEqual(['error «trigger_dag_id="other"»']));

  test.each<[string, Files]>([
    [
      'logical_date is passed',
      { 'dags/a.py': dag('a', '"@daily"', dated + trigger(', logical_date="{{ logical_date }}"')) },
    ],
    ['execution_date is passed', { 'dags/a.py': dag('a', '"@daily"', dated + trigger(', execution_date="{{ ds }}"')) }],
    ['conf is passed', { 'dags/a.py': dag('a', '"@daily"', dated + trigger(', conf={"day": "{{ ds }}"}')) }],
    ['the other DAG has no use for it', { 'dags/a.py': dag('a', '"@daily"', dated + trigger()), ...other(usesNone) }],
    ['nothing here uses it either', { 'dags/a.py': dag('a', '"@daily"', trigger()) }],
    ['there is none to pass on', { 'dags/a.py': dag('a', 'None', dated + trigger()) }],
    ['what uses it comes afterwards', { 'dags/a.py': dag('a', '"@daily"', `${trigger()} >> ${usesDay}`) }],
  ])('silent: %s', (_, files) => expect(said(files, rule)).toEqual([]));

  test('the fix speaks of dates as the version of Airflow does', () => {
    const files = {
      'dags/a.py': dag('a', '"@daily"', dated + trigger()),
      'requirements.txt': 'apache-airflow==3.1.0\n',
    };
    const [finding] = checkFiles(files).filter((one) => one.rule === rule);
    const after = applyFix(files, finding?.fixes[0] ?? { title: '', edits: [], preferred: false });
    expect(after['dags/a.py']).toContain('trigger_dag_id="other", logical_date="{{ logical_date }}")');
    expect(said(after, rule)).toEqual([]);
  });
});

describe('cross-dag-time-mismatch', () => {
  const rule = 'cross-dag-time-mismatch';
  const sensor = (more = '') =>
    `ExternalTaskSensor(task_id="wait", external_dag_id="up", external_task_id="done"${more})`;
  const pair = (down: string, up: string, more = '', upMore = ''): Files => ({
    'dags/down.py': dag('down', down, sensor(more)),
    'dags/up.py': dag('up', up, 'EmptyOperator(task_id="done")', upMore),
  });

  test.each<[string, Files, string]>([
    ['another hour', pair('"0 5 * * *"', '"0 3 * * *"'), 'external_dag_id="up"'],
    [
      'the wrong delta',
      pair('"0 5 * * *"', '"0 3 * * *"', ', execution_delta=timedelta(hours=1)'),
      'execution_delta=timedelta(hours=1)',
    ],
    [
      'the delta has the wrong sign',
      pair('"0 5 * * *"', '"0 3 * * *"', ', execution_delta=timedelta(hours=-2)'),
      'execution_delta=timedelta(hours=-2)',
    ],
    ['a daily DAG that waits for half past', pair('"@daily"', '"30 * * * *"'), 'external_dag_id="up"'],
  ])('speaks: %s', (_, files, mark) => expect(said(files, rule)).toEqual([`error «${mark}»`]));

  test.each<[string, Files]>([
    ['the same schedule', pair('"0 5 * * *"', '"0 5 * * *"')],
    ['the right delta', pair('"0 5 * * *"', '"0 3 * * *"', ', execution_delta=timedelta(hours=2)')],
    ['a day on which the weekly one runs', pair('"@daily"', '"@weekly"')],
    ['a finer one', pair('"@daily"', '"@hourly"')],
    ['no schedule to wait for', pair('"@daily"', 'None')],
    ['a function that is not followed', pair('"0 5 * * *"', '"0 3 * * *"', ', execution_date_fn=look_up')],
    ['a delta that is not known', pair('"0 5 * * *"', '"0 3 * * *"', ', execution_delta=delta_of("up")')],
    ['not in the workspace', { 'dags/down.py': dag('down', '"0 5 * * *"', sensor()) }],
  ])('silent: %s', (_, files) => expect(said(files, rule)).toEqual([]));

  test.each([
    ['', 'external_dag_id="up", execution_delta=timedelta(hours=2)'],
    [', execution_delta=timedelta(hours=1)', ', execution_delta=timedelta(hours=2))'],
  ])('the fix waits for the run before%s', (more, written) => {
    const files = pair('"0 5 * * *"', '"0 3 * * *"', more);
    const [finding] = checkFiles(files).filter((one) => one.rule === rule);
    const after = applyFix(files, finding?.fixes[0] ?? { title: '', edits: [], preferred: false });
    expect(after['dags/down.py']).toContain(written);
    expect(said(after, rule)).toEqual([]);
  });
});

describe('no-interval-in-run', () => {
  const rule = 'no-interval-in-run';
  const sql = (day: string) =>
    `SQLExecuteQueryOperator(task_id="t", conn_id="dw", sql="DELETE FROM m.t WHERE d = '${day}'")`;
  const three = { 'requirements.txt': 'apache-airflow==3.1.0\n' };
  const dataset = '[Dataset("s3://a")]';
  const withDataset = (body: string): string => `from airflow.datasets import Dataset\n${dag('a', dataset, body)}`;

  test.each<[string, Files, string]>([
    [
      'assets, Airflow 3',
      { 'dags/a.py': withDataset(sql('{{ ds }}')), ...three },
      "error «DELETE FROM m.t WHERE d = '{{ ds }}'»",
    ],
    [
      'datasets, Airflow 2',
      { 'dags/a.py': withDataset(sql('{{ ds }}')) },
      "error «DELETE FROM m.t WHERE d = '{{ ds }}'»",
    ],
    ['by hand', { 'dags/a.py': dag('a', 'None', sql('{{ ds }}')) }, "warning «DELETE FROM m.t WHERE d = '{{ ds }}'»"],
    [
      'an argument, Airflow 3',
      { 'dags/a.py': withDataset('BashOperator(task_id="t", bash_command="work {{ ds }}")'), ...three },
      'error «{{ ds }}»',
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files, rule)).toEqual([mark]));

  test.each<[string, Files]>([
    [
      'the bounds of the runs that updated the datasets',
      { 'dags/a.py': withDataset(sql('{{ data_interval_start | ds }}')) },
    ],
    [
      'Python that asks whether there is one',
      {
        'dags/a.py': withDataset('PythonOperator(task_id="t", python_callable=window)').replace(
          'with DAG',
          'from airflow.operators.python import PythonOperator\ndef window(dag_run=None):\n    if dag_run is None or dag_run.logical_date is None:\n        return None\n    return dag_run.logical_date.isoformat()\nwith DAG',
        ),
        ...three,
      },
    ],
    ['conf comes first', { 'dags/a.py': dag('a', 'None', sql("{{ dag_run.conf['day'] or ds }}")) }],
    ['a parameter', { 'dags/a.py': dag('a', 'None', sql('{{ params.day }}')) }],
    [
      'by hand, and only a file is named so',
      { 'dags/a.py': dag('a', 'None', 'BashOperator(task_id="t", bash_command="dump > {{ ds }}.sql")') },
    ],
    ['a schedule', { 'dags/a.py': dag('a', '"@daily"', sql('{{ ds }}')) }],
    [
      'another DAG starts it and says for when',
      {
        'dags/a.py': dag('a', 'None', sql('{{ ds }}')),
        'dags/b.py': dag(
          'b',
          '"@daily"',
          'TriggerDagRunOperator(task_id="go", trigger_dag_id="a", execution_date="{{ ds }}")',
        ),
      },
    ],
  ])('silent: %s', (_, files) => expect(said(files, rule)).toEqual([]));
});

describe('dynamic-start-date says what a date that moves does', () => {
  const message = (start: string): string | undefined =>
    checkFiles({
      'dags/a.py': `import pendulum
from datetime import datetime, timedelta
from airflow import DAG
from airflow.utils.dates import days_ago
from airflow.operators.empty import EmptyOperator
with DAG("a", schedule="@daily", start_date=${start}, catchup=False):
    EmptyOperator(task_id="t")
`,
    }).find(({ rule }) => rule === 'dynamic-start-date')?.message;

  test.each([
    'days_ago(2)',
    'days_ago(n=1)',
    'pendulum.yesterday("UTC")',
    'datetime.now() - timedelta(days=7)',
    'datetime.now().replace(hour=0) - timedelta(days=7)',
    'pendulum.today("UTC").add(days=-2)',
    'pendulum.now().subtract(days=2)',
  ])('always as long ago: %s', (start) => expect(message(start)).toContain('the oldest interval of "a" falls out'));

  test.each([
    'datetime.now()',
    'datetime.today()',
    'days_ago(0)',
    'pendulum.today("UTC")',
    'pendulum.now().add(days=1)',
  ])('now: %s', (start) => expect(message(start)).toContain('the first interval never ends'));
});

describe('tasks that follow each other with other start dates', () => {
  const found = (schedule: string): boolean =>
    checkFiles({
      'dags/d.py': [
        'from airflow import DAG',
        'from airflow.operators.bash import BashOperator',
        'import pendulum',
        `with DAG("d", schedule=${schedule}, start_date=pendulum.datetime(2024, 1, 1), catchup=False):`,
        '    a = BashOperator(task_id="a", bash_command="load {{ ds }}")',
        '    a >> BashOperator(task_id="b", bash_command="sum {{ ds }}", start_date=pendulum.datetime(2020, 1, 1))',
      ].join('\n'),
    }).some(({ rule, message }) => rule === 'dynamic-start-date' && message.includes('other start dates'));

  test('have intervals that run one without the other, where a schedule makes any', () => {
    expect(found('"@daily"')).toBe(true);
    expect(found('None')).toBe(false);
  });
});

describe('templates that functions under @task are given', () => {
  const said = (call: string): boolean =>
    checkFiles({
      'dags/d.py': [
        'from airflow.decorators import dag, task',
        'import pendulum',
        'import requests',
        'day = "{{ data_interval_start.format(\'YYYYMMDD\') }}"',
        '@dag(schedule="@daily", start_date=pendulum.datetime(2024, 1, 1), catchup=True)',
        'def d():',
        '    @task',
        '    def fetch(start=None, **options):',
        '        requests.post("https://example.com", data=start)',
        `    ${call}`,
        'd()',
      ].join('\n'),
    }).some(({ rule }) => rule === 'catchup-of-undated-work');

  test('date their work', () => {
    expect(said('fetch(f"{day}01")')).toBe(false);
    expect(said('fetch(start="{{ ds }}")')).toBe(false);
    expect(said('fetch([day, "a"])')).toBe(false);
    expect(said('fetch.override(task_id="x")(day)')).toBe(false);
    expect(said('fetch("01")')).toBe(true);
    expect(said('fetch()')).toBe(true);
  });
});
