import { describe, expect, test } from 'vitest';
import { checkFiles, type Files, factsOf, inWords } from '../../support/check-files.ts';
import { bodyFile, readBody, readTasks, statementsInWords } from '../../support/read-tasks.ts';

const dag = (lines: string, imports = ''): string => `from airflow import DAG
from airflow.models import Variable
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator
${imports}
with DAG("d", schedule="@daily"):
${lines
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`;

const writes = (files: Files): string[] =>
  [...factsOf(files).facts.values()].flatMap(({ writes: all }) => all.map(({ table, mode }) => `${table} ${mode}`));

const unread = (lines: string, imports = ''): string[] => readBody(lines, imports).unread.map(({ reason }) => reason);

describe('operators of plugins', () => {
  const operator = `from airflow.hooks.postgres_hook import PostgresHook
from airflow.models import BaseOperator
class Pour(BaseOperator):
    def __init__(self, table, **kwargs):
        super().__init__(**kwargs)
        self.table = table
    def execute(self, context):
        PostgresHook("dw").run(f"INSERT INTO {self.table} SELECT * FROM raw")
`;
  const plugin = (list: string): string => `from airflow.plugins_manager import AirflowPlugin
from pour import Pour
class House(AirflowPlugin):
    name = "house_plugin"
    ${list} = [Pour]
`;
  test.each([
    ['a module of the plugin', 'operators', 'from airflow.operators.house_plugin import Pour'],
    ['the package of operators', 'operators', 'from airflow.operators import Pour'],
    ['a sensor among operators', 'operators', 'from airflow.sensors.house_plugin import Pour'],
  ])('%s', (_, list, line) => {
    const files = {
      'plugins/pour.py': operator,
      'plugins/house.py': plugin(list),
      'dags/main.py': dag('Pour(task_id="pour", table="mart.casks")', line),
    };
    expect(writes(files)).toEqual(['mart.casks append']);
  });

  test.each([
    ['a plugin of another name', 'from airflow.operators.other_plugin import Pour'],
    ['a class that no plugin lists', 'from airflow.operators.house_plugin import Rack as Pour'],
  ])('%s is none of the workspace', (_, line) => {
    const files = {
      'plugins/pour.py': operator,
      'plugins/house.py': plugin('operators'),
      'dags/main.py': dag('Pour(task_id="pour", table="mart.casks")', line),
    };
    expect(writes(files)).toEqual([]);
  });
});

describe('parameters', () => {
  const task = (params: string): string =>
    dag(
      `PythonOperator(task_id="t", python_callable=work${params})`,
      `from airflow.providers.postgres.hooks.postgres import PostgresHook
def work(**context):
    table = context["params"]["table"]
    PostgresHook("dw").run(f"INSERT INTO {table} SELECT * FROM raw")`,
    );

  test('of the task name a table', () => {
    const files = { 'dags/main.py': task(', params={"table": "hires"}') };
    expect(writes(files)).toEqual(['hires append']);
    expect([...factsOf(files).facts.values()].flatMap(({ unknowns }) => unknowns.map(({ about }) => about))).toEqual([
      'slice',
    ]);
    expect(checkFiles(files).map((finding) => inWords(files, finding))).toContain(
      'plain-insert error «INSERT INTO {table}»',
    );
  });

  test('that no file gives are known at run time only', () => {
    const files = { 'dags/main.py': task('') };
    expect(writes(files)).toEqual([]);
    expect([...factsOf(files).facts.values()].flatMap(({ unknowns }) => unknowns.map(({ about }) => about))).toContain(
      'table-name',
    );
  });

  const clock = (value: string): Files => ({
    'dags/main.py': dag(
      `PostgresOperator(task_id="t", params={"day": ${value}}, sql="DELETE FROM a WHERE day = '{{ params.day }}'; INSERT INTO a SELECT * FROM b WHERE day = '{{ params.day }}'")`,
      'import pendulum\nfrom airflow.models.param import Param',
    ),
  });
  test.each(['Param(default=pendulum.now().to_date_string())', 'Param(pendulum.today())', 'str(pendulum.now())'])(
    'whose default asks the clock: %s',
    (value) => {
      const found = checkFiles(clock(value)).filter(({ rule }) => rule === 'wall-clock');
      expect(found.map((finding) => inWords(clock(value), finding))).toEqual([
        expect.stringMatching(/^wall-clock error «pendulum\./),
      ]);
    },
  );
  test('whose default is a constant say nothing of the clock', () =>
    expect(checkFiles(clock('Param("2024-01-01")')).filter(({ rule }) => rule === 'wall-clock')).toEqual([]));
});

describe('what runs out of sight', () => {
  test.each([
    ['client.exec_command("make")', 'import paramiko\nclient = paramiko.SSHClient()', 'on another machine'],
    ['fabric.Connection("a").run("make")', 'import fabric', 'on another machine'],
    ['docker.from_env().containers.run("image")', 'import docker', 'a container'],
    ['client.CoreV1Api().create_namespaced_pod("ns", {})', 'from kubernetes import client', 'a container'],
    ['boto3.client("ecs").run_task(cluster="a")', 'import boto3', 'a job of another service'],
    ['subprocess.run(["psql", "-c", "delete from t", "-f", "a.sql"])', 'import subprocess', 'the command psql'],
    ['subprocess.run(["mysql", "-e", "USE shop; SOURCE shop.sql"])', 'import subprocess', 'the command mysql'],
    ['subprocess.run(["./load.sh"])', 'import subprocess', 'the command load.sh'],
    ['subprocess.run(f"{context[\'x\']} go", shell=True)', 'import subprocess', 'a shell command'],
    ['subprocess.run("wget a | psql", shell=True)', 'import subprocess', 'a shell command'],
    ['os.system("Rscript a.R")', 'import os', 'the command Rscript'],
    ['runpy.run_path("jobs/load.py", run_name="__main__")', 'import runpy', 'another Python file'],
    ['run_module("jobs.load")', 'from runpy import run_module', 'another Python file'],
  ])('%s', (lines, imports, words) => expect(unread(lines, imports)).toEqual([expect.stringContaining(words)]));

  test.each([
    'subprocess.run(["wget", "a"])',
    'subprocess.check_call(["gzip", "a"])',
    'subprocess.run("mv a b", shell=True)',
  ])('files are no tables: %s', (lines) => expect(unread(lines, 'import subprocess')).toEqual([]));
});

describe('a query that only the run knows', () => {
  const hook = 'from airflow.providers.trino.hooks.trino import TrinoHook\nhook = TrinoHook("t")\nquery = context()';
  test.each([
    ['hook.run(f"CREATE TABLE IF NOT EXISTS a AS {query}")', ['create_table_as a']],
    ['hook.run(f"CREATE TABLE a AS ({query})")', ['create_table_as a']],
    ['hook.run(f"INSERT INTO a {query}")', ['insert a']],
    ['hook.run(f"INSERT INTO a (x, y) {query}")', ['insert a']],
  ])('%s', (lines, statements) => {
    const task = readBody(lines, hook);
    expect(statementsInWords(task)).toEqual(statements);
    expect(task.unread.map(({ reason }) => reason)).toEqual([expect.stringContaining('which tables it reads')]);
  });
});

describe('a template file that the workspace does not have', () => {
  const writing = `def write(ds):
    with open("/tmp/pages.sql", "w") as out:
        for page in ("a", "b"):
            out.write(f"INSERT INTO page_reads VALUES ('{page}', '{ds}');")`;
  const file = (more: string, imports: string): Files => ({
    'dags/main.py': dag(
      `PythonOperator(task_id="w", python_callable=write)\nPostgresOperator(task_id="l", sql="pages.sql")`,
      imports,
    ).replace('DAG("d"', `DAG("d"${more}`),
  });
  const problems = (files: Files): string[] => {
    const [, load] = readTasks(files['dags/main.py'] ?? '');
    return (load?.unread ?? []).map(({ reason }) => reason);
  };

  test('is what a task writes into it', () => {
    const files = file(', template_searchpath="/tmp"', writing);
    expect(writes(files)).toEqual(['page_reads append']);
    expect(problems(files)).toEqual([expect.stringContaining('what a task writes')]);
  });

  test('may be in a folder of the scheduler', () => {
    const files = file(', template_searchpath="/opt/sql"', 'def write():\n    pass');
    expect(problems(files)).toEqual([expect.stringContaining('is looked for in /opt/sql')]);
  });
});

test('SQL that a condition chooses is kept both ways, and left to Airflow', () => {
  const [task] = readTasks(
    dag(
      'PostgresOperator(task_id="t", sql="INSERT INTO a SELECT 1" if Variable.get("x") else "INSERT INTO b SELECT 1")',
    ),
  );
  expect(task && statementsInWords(task)).toEqual(['insert a', 'insert b']);
  expect(task?.executor).toEqual({ kind: 'airflow', reason: expect.stringContaining('depends on a condition') });
});

test('a table that only the run knows is one that nothing empties where nothing of the run empties any', () => {
  const body = (lines: string): Files => ({
    'dags/main.py': bodyFile(
      lines,
      'from airflow.models import Variable\nfrom airflow.providers.postgres.hooks.postgres import PostgresHook\nhook = PostgresHook("dw")\nt = Variable.get("t")',
    ).replace('DAG("d")', 'DAG("d", schedule="@daily")'),
  });
  const insert = 'hook.run(f"INSERT INTO {t} SELECT * FROM raw")';
  const found = (files: Files): string[] =>
    checkFiles(files)
      .filter(({ rule }) => rule === 'plain-insert')
      .map((finding) => inWords(files, finding));
  expect(found(body(insert))).toEqual(['plain-insert warning «INSERT INTO {t}»']);
  expect(found(body(`hook.run("DELETE FROM other WHERE day = 1")\n${insert}`))).toEqual([]);
});
