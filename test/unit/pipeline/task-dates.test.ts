import { describe, expect, test } from 'vitest';
import { defaultReaderOptions, type ReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { toIso } from '../../../src/core/time/zones/iso.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parse = await loadPythonParser();

function read(lines: readonly string[], options: Partial<ReaderOptions> = {}) {
  const reader = createWorkspaceReader(parse, { ...defaultReaderOptions, ...options });
  const [reading] = reader.read(fileSetOf(new Map([['dags/d.py', lines.join('\n')]]))).files;
  if (reading === undefined) throw new Error('nothing was read');
  return reading;
}

const head = [
  'import pendulum',
  'from airflow import DAG',
  'from airflow.utils.task_group import TaskGroup',
  'from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator as Sql',
  'day = lambda d: pendulum.datetime(2024, 3, d, tz="UTC")',
];

test('a task has runs from its start to its end, those of its groups and of default_args', () => {
  const { pipelines } = read([
    ...head,
    'with DAG("d", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1, tz="UTC"), default_args={"end_date": day(20)}):',
    '  Sql(task_id="own", conn_id="w", sql="select 1", start_date=day(2), end_date=day(9))',
    '  with TaskGroup("g", default_args={"start_date": day(5)}):',
    '    Sql(task_id="grouped", conn_id="w", sql="select 1")',
    '  Sql(task_id="plain", conn_id="w", sql="select 1")',
  ]);
  const dates = pipelines[0]?.tasks.map(({ name, dates: own }) => [
    name,
    own?.first && toIso(own.first).slice(8, 10),
    own?.last && toIso(own.last).slice(8, 10),
  ]);
  expect(dates).toEqual([
    ['own', '02', '09'],
    ['g.grouped', '05', '20'],
    ['plain', undefined, '20'],
  ]);
});

test('a date of a task that only the run knows is said', () => {
  const { problems } = read([
    ...head,
    'import os',
    'with DAG("d", schedule="@daily", start_date=day(1)):',
    '  Sql(task_id="t", conn_id="w", sql="select 1", end_date=pendulum.parse(os.environ["LAST"]))',
  ]);
  expect(problems.map(({ message }) => message).join()).toContain('The end_date of task t is not a constant');
});

describe('when a DAG runs, as somebody says', () => {
  const times = (argument: string, dag: object, airflowVersion: 2 | 3 = 2) => {
    const lines = [...head, `with DAG("d", ${argument}):`, '  Sql(task_id="t", conn_id="w", sql="select 1")'];
    const said = { schedule: undefined, startDate: undefined, endDate: undefined, zone: undefined, catchup: undefined };
    const { pipelines, problems } = read(lines, { airflowVersion, dags: { d: { ...said, ...dag } } });
    return { ...pipelines[0], problems: problems.filter(({ severity }) => severity !== 'info') };
  };

  test.each(['schedule=None', 'schedule="@once"'])('%s has runs without a data interval at those dates', (argument) => {
    const { schedule, anchor, zone } = times(`${argument}, start_date=day(1)`, {
      schedule: '0 6 * * *',
      zone: 'Europe/Berlin',
    });
    expect(schedule?.value).toEqual({
      kind: 'cron',
      expression: '0 6 * * *',
      zone: 'Europe/Berlin',
      intervals: 'zero-width',
    });
    expect([anchor?.startDate, zone]).toEqual([Date.UTC(2024, 2, 1), 'Europe/Berlin']);
  });

  test('a schedule that only the run knows is the one that is said, and no problem any more', () => {
    const made = times('schedule=choose(), start_date=day(1)', {
      schedule: '@daily',
      startDate: '2024-02-01',
      catchup: false,
    });
    expect(made.schedule?.value).toMatchObject({ kind: 'cron', intervals: 'tick-to-tick' });
    expect(made.anchor).toEqual({ startDate: Date.UTC(2024, 1, 1), endDate: undefined, catchup: false });
    expect(made.problems).toEqual([]);
  });
});

describe('what the Airflow that runs it cannot load', () => {
  const dag = (argument: string): string =>
    `with DAG("d", ${argument}, start_date=day(1)):\n  Sql(task_id="t", conn_id="w", sql="select 1")`;
  const unloadable = (lines: readonly string[], airflowVersion: 2 | 3) => {
    const { pipelines, problems } = read(lines, { airflowVersion });
    const errors = problems.filter(({ severity }) => severity === 'error');
    return { reason: pipelines[0]?.unloadable, errors: errors.map(({ message }) => message) };
  };

  test.each([
    ['schedule_interval="@daily"', 'the DAG of Airflow 3 takes no schedule_interval'],
    ['schedule="@daily", concurrency=4', 'the DAG of Airflow 3 takes no concurrency'],
    ['schedule="@daily", fail_stop=True', 'the DAG of Airflow 3 takes no fail_stop'],
  ])('%s', (argument, reason) => {
    const found = unloadable([...head, dag(argument)], 3);
    expect(found.reason).toBe(reason);
    expect(found.errors).toEqual([expect.stringContaining('so it cannot load this file')]);
    expect(unloadable([...head, dag(argument)], 2)).toEqual({ reason: undefined, errors: [] });
  });

  test.each<[string, 2 | 3, string]>([
    ['from airflow.utils.dates import days_ago', 3, 'Airflow 3 has no module airflow.utils.dates'],
    [
      'from airflow.operators.python_operator import PythonOperator',
      3,
      'Airflow 3 has no module airflow.operators.python_operator',
    ],
    ['import airflow.contrib.hooks.x as x', 3, 'Airflow 3 has no module airflow.contrib.hooks.x'],
    ['from airflow.sdk import Asset', 2, 'Airflow 2 has no module airflow.sdk'],
  ])('%s', (line, version, reason) => {
    expect(unloadable([line, ...head, dag('schedule="@daily"')], version).reason).toBe(reason);
    expect(unloadable([line, ...head, dag('schedule="@daily"')], version === 2 ? 3 : 2).reason).toBeUndefined();
  });

  test('is not an import that is tried, stands in a function, or that Airflow still leads elsewhere', () => {
    const lines = [
      'try:\n  from airflow.sdk import DAG\nexcept ImportError:\n  from airflow import DAG',
      'from airflow.operators.python import PythonOperator',
      'def f():\n  from airflow.utils.dates import days_ago',
      ...head,
      dag('schedule="@daily"'),
    ];
    for (const version of [2, 3] as const)
      expect(unloadable(lines, version)).toEqual({ reason: undefined, errors: [] });
  });
});
