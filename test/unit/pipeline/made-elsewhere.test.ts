import { describe, expect, test } from 'vitest';
import type { FileReading } from '../../../src/core/pipeline/model/model.ts';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();

const read = (texts: Readonly<Record<string, string>>): readonly FileReading[] =>
  createWorkspaceReader(parser, { ...defaultReaderOptions, airflowVersion: 2 }).read(
    fileSetOf(new Map(Object.entries(texts))),
  ).files;

const problemsOf = (texts: Readonly<Record<string, string>>): readonly string[] =>
  read(texts).flatMap(({ problems }) => problems.map(({ severity, message }) => `${severity} ${message}`));

describe('decorators of tasks that are imported by themselves', () => {
  const dag = (imported: string, used: string): string =>
    [
      `from airflow.decorators import dag, task`,
      imported,
      'import pendulum',
      '@dag(schedule="@daily", start_date=pendulum.datetime(2024, 1, 1), catchup=False)',
      'def d():',
      `    @${used}`,
      '    def choose():',
      '        return "load"',
      '    @task',
      '    def load():',
      '        pass',
      '    choose() >> load()',
      'd()',
    ].join('\n');

  test.each([
    ['from airflow.decorators import branch_task', 'branch_task', '@task.branch'],
    ['from airflow.decorators import branch_task', 'branch_task(task_id="choose")', '@task.branch'],
    ['from airflow.decorators import short_circuit_task', 'short_circuit_task()', '@task.short_circuit'],
    ['from airflow.decorators import python_task', 'python_task', '@task'],
    ['from airflow.decorators.sensor import sensor_task', 'sensor_task(mode="poke")', '@task.sensor'],
    ['from airflow.providers.standard.decorators.branch_python import branch_task', 'branch_task', '@task.branch'],
    ['from airflow.decorators import virtualenv_task', 'virtualenv_task(requirements=[])', '@task.virtualenv'],
  ])('%s: @%s is %s', (imported, used, operator) => {
    const [file] = read({ 'dags/d.py': dag(imported, used) });
    const [pipeline] = file?.pipelines ?? [];
    expect(pipeline?.tasks.map((task) => [task.name, task.operator])).toEqual([
      ['choose', operator],
      ['load', '@task'],
    ]);
    expect(pipeline?.edges.map(({ from, to }) => `${from} ${to}`)).toEqual(['d.choose d.load']);
  });

  test('of somebody else are none', () => {
    const [file] = read({ 'dags/d.py': dag('from house.decorators import branch_task', 'branch_task') });
    expect(file?.pipelines[0]?.tasks.map(({ name }) => name)).not.toContain('choose');
  });
});

describe('a DAG that is handed to code outside the workspace', () => {
  const dag = (line: string): Readonly<Record<string, string>> => ({
    'dags/d.py': [
      'from airflow import DAG',
      'from airflow.operators.empty import EmptyOperator',
      'from airflow.utils.dag_cycle_tester import check_cycle',
      'from house.tasks import add_tasks, register_dag',
      'import pendulum',
      'dag = DAG("d", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1), catchup=False)',
      'first = EmptyOperator(task_id="first", dag=dag)',
      line,
    ].join('\n'),
  });
  const said =
    'info add_tasks(…) is given the DAG and is defined outside the workspace: tasks that it makes are not shown.';

  test.each(['add_tasks(dag)', 'add_tasks(dag, after=first)', 'last = add_tasks(sql="x", dag=dag)'])(
    '%s may have tasks that are not shown',
    (line) => {
      expect(problemsOf(dag(line))).toContain(said);
    },
  );

  test.each(['print(dag)', 'check_cycle(dag)', 'register_dag(dag)', 'add_tasks("d")', 'globals()["d"] = dag'])(
    '%s has none',
    (line) => {
      expect(problemsOf(dag(line))).toEqual([]);
    },
  );

  test('where the workspace has the code, its tasks are there', () => {
    const texts = {
      ...dag('add_tasks(dag)'),
      'dags/house/tasks.py':
        'from airflow.operators.empty import EmptyOperator\ndef add_tasks(dag):\n    EmptyOperator(task_id="second", dag=dag)\ndef register_dag(dag):\n    pass\n',
    };
    expect(problemsOf(texts)).toEqual([]);
    expect(
      read(texts).flatMap(({ pipelines }) => pipelines.flatMap(({ tasks }) => tasks.map(({ name }) => name))),
    ).toEqual(['first', 'second']);
  });
});

describe('an id of a DAG that only the run knows', () => {
  const dag = (id: string): string =>
    [
      'import os',
      'from airflow import DAG',
      'import pendulum',
      `dag = DAG(${id}, schedule="@daily", start_date=pendulum.datetime(2024, 1, 1), catchup=False)`,
    ].join('\n');
  const used = (texts: Readonly<Record<string, string>>): readonly string[] =>
    problemsOf(texts).filter((problem) => problem.includes('is also used in'));

  test('is not said to be used twice, whatever it is shown as', () => {
    expect(
      used({ 'dags/a.py': dag('f"etl_{os.environ[\'A\']}"'), 'dags/b.py': dag('f"etl_{os.environ[\'A\']}"') }),
    ).toEqual([]);
    expect(used({ 'dags/a/one.py': dag('os.environ["A"]'), 'dags/b/one.py': dag('os.environ["A"]') })).toEqual([]);
    expect(used({ 'dags/a/one.py': dag('os.environ["A"]'), 'dags/b/two.py': dag('"one"') })).toEqual([]);
  });

  test('is told apart all the same', () => {
    const files = read({ 'dags/a/one.py': dag('os.environ["A"]'), 'dags/b/one.py': dag('os.environ["A"]') });
    expect(files.flatMap(({ pipelines }) => pipelines.map(({ id }) => id))).toEqual(['one', 'one (dags/b/one.py)']);
  });

  test('that is written twice is said', () => {
    expect(used({ 'dags/a.py': dag('"etl"'), 'dags/b.py': dag('"etl"') })).toHaveLength(1);
  });
});
