import { describe, expect, test } from 'vitest';
import { factsOf } from '../../support/check-files.ts';
import { accessInWords, readTasks, statementsInWords } from '../../support/read-tasks.ts';

const operators = `
from airflow.models import BaseOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.providers.postgres.operators.postgres import PostgresOperator
from airflow.sensors.base import BaseSensorOperator


class StageOperator(BaseOperator):
    template_fields = ("sql", "table")
    template_ext = (".sql",)
    insert = "INSERT INTO {} {}"

    def __init__(self, table, sql="", conn_id="dw", truncate=False, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.table = table
        self.sql = sql
        self.conn_id = conn_id
        self.truncate = truncate

    @property
    def hook(self):
        return PostgresHook(postgres_conn_id=self.conn_id)

    def clear(self):
        if self.truncate:
            self.hook.run(f"TRUNCATE {self.table}")

    def execute(self, context):
        self.clear()
        self.hook.run(self.insert.format(self.table, self.sql))


class FactOperator(StageOperator):
    insert = "INSERT INTO fact.{} {}"

    def clear(self):
        super().clear()
        self.hook.run(f"DELETE FROM fact.{self.table}")


class LogOperator(PostgresOperator):
    def __init__(self, table, **kwargs):
        super().__init__(sql=f"INSERT INTO log.{table} SELECT 1", postgres_conn_id="dw", **kwargs)


class ReadySensor(BaseSensorOperator):
    def __init__(self, table, **kwargs):
        super().__init__(**kwargs)
        self.table = table

    def poke(self, context):
        return PostgresHook("dw").get_first(f"SELECT 1 FROM {self.table}")
`;

const dag = (lines: string): string =>
  `from airflow import DAG\nfrom operators.house import *\nwith DAG("d"):\n${lines
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n`;

const read = (lines: string, others: Record<string, string> = {}) =>
  readTasks(dag(lines), { 'plugins/operators/house.py': operators, ...others });

describe('an operator of the workspace', () => {
  test.each([
    ['StageOperator(task_id="t", table="a", sql="SELECT * FROM b")', ['insert a < b']],
    ['StageOperator(task_id="t", table="a", sql="SELECT * FROM b", truncate=True)', ['truncate a', 'insert a < b']],
    ['FactOperator(task_id="t", table="a", sql="SELECT * FROM b")', ['delete fact.a', 'insert fact.a < b']],
    ['LogOperator(task_id="t", table="a")', ['insert log.a']],
    ['ReadySensor(task_id="t", table="a")', ['select < a']],
    ['StageOperator.partial(task_id="t", sql="SELECT * FROM b").expand(table="a")', ['insert a < b']],
  ])('%s', (call, expected) => {
    const [task] = read(call);
    expect(task?.name).toBe('t');
    expect(task && statementsInWords(task)).toEqual(expected);
    expect(task?.unread).toEqual([]);
  });

  test('each task of one class has its own values', () => {
    const tasks = read('for name in ["a", "b"]:\n    StageOperator(task_id=name, table=name, sql="SELECT * FROM c")');
    expect(tasks.map(statementsInWords)).toEqual([['insert a < c'], ['insert b < c']]);
  });

  test('template fields are templates, and the files that they name', () => {
    const [task] = read('StageOperator(task_id="t", table="a", sql="sql/b.sql")', {
      'dags/sql/b.sql': "SELECT * FROM b WHERE day = '{{ ds }}'",
    });
    expect(task && statementsInWords(task)).toEqual(['insert a < b']);
    expect(task?.sql.flatMap(({ masked }) => masked.holes.map(({ value }) => value.kind))).toEqual(['time']);
  });

  test('the place of an argument is where the DAG file says it', () => {
    const lines = 'LogOperator(task_id="t", table="a", retries=3)';
    const [task] = read(lines);
    expect(task?.retries?.at?.file).toBe('dags/main.py');
    expect(task?.executor).toEqual({ kind: 'warehouse', connection: 'dw' });
  });
});

describe('helper classes', () => {
  test.each([
    ['a hook that wraps another', 'House("dw").load("a")'],
    ['a static method', 'Helper.stage("a")'],
    ['a class method', 'Helper.named("a").go()'],
    ['a dataclass', 'Settings(table="a").load()'],
    [
      'a manager of a connection',
      'with House("dw").cursor() as cursor:\n    cursor.execute("INSERT INTO a SELECT * FROM b")',
    ],
    ['a partial function', 'partial(load, "a")()'],
    ['a thread', 'pool.submit(load, "a")'],
    ['a method handed on', 'pool.submit(Settings(table="a").load)'],
  ])('%s', (_, call) => {
    const main = `
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook

def load(table):
    PostgresHook("dw").run(f"INSERT INTO {table} SELECT * FROM b")

class House(PostgresHook):
    def load(self, table):
        self.run(f"INSERT INTO {table} SELECT * FROM b")

    @contextmanager
    def cursor(self):
        connection = self.get_conn()
        yield connection.cursor()

class Helper:
    def __init__(self, table):
        self.table = table

    @staticmethod
    def stage(table):
        load(table)

    @classmethod
    def named(cls, table):
        return cls(table)

    def go(self):
        load(self.table)

@dataclass
class Settings:
    table: str
    schema: str = "public"

    def load(self):
        load(self.table)

def work(**context):
${call
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}

with DAG("d"):
    PythonOperator(task_id="t", python_callable=work)
`;
    const [task] = readTasks(main);
    expect(task && statementsInWords(task)).toEqual(['insert a < b']);
    expect(task?.sql[0]?.dialect).toBe('postgres');
  });

  test('what a function makes anew each time is not shared', () => {
    const main = `
from airflow import DAG
from airflow.decorators import task
from airflow.providers.postgres.hooks.postgres import PostgresHook

class Target:
    def __init__(self):
        self.table = "a"

def settings():
    return {"table": "a"}

def target():
    return Target()

def named(values):
    values["table"] = "c"

with DAG("d"):
    @task
    def work():
        first, other = settings(), target()
        first["table"], other.table = "b", "b"
        one, two = {}, {}
        named(one)
        named(two)
        for table in (first["table"], settings()["table"], other.table, target().table, two["table"]):
            PostgresHook("dw").run(f"DELETE FROM {table}")
    work()
`;
    expect(readTasks(main).map(statementsInWords)).toEqual([
      ['delete b', 'delete a', 'delete b', 'delete a', 'delete c'],
    ]);
  });

  test('an operator that Python runs is that Python', () => {
    const tasks = readTasks(`
from airflow import DAG
from airflow.decorators import task
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("d"):
    @task
    def work(**context):
        SQLExecuteQueryOperator(task_id="inner", conn_id="dw", sql="DELETE FROM a").execute(context)
    work()
`);
    expect(tasks.map(({ name }) => name)).toEqual(['work']);
    expect(tasks.map(statementsInWords)).toEqual([['delete a']]);
  });
});

test('an access by an attribute of the operator is read per task', () => {
  const main = `
from airflow import DAG
from airflow.models import BaseOperator

class SaveOperator(BaseOperator):
    def __init__(self, table, mode="append", **kwargs):
        super().__init__(**kwargs)
        self.table, self.mode = table, mode

    def execute(self, context):
        frame.to_sql(self.table, engine, if_exists=self.mode)

with DAG("d"):
    SaveOperator(task_id="a", table="x")
    SaveOperator(task_id="b", table="y", mode="replace")
`;
  expect(readTasks(main).map(({ accesses }) => accesses.map(accessInWords))).toEqual([
    ['write x append by to_sql'],
    ['write y full_replace by to_sql'],
  ]);
});

test('a class of the workspace with code of its own is that code, also under the name of an operator of Airflow', () => {
  const read = (base: string, code: string) =>
    factsOf({
      'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow.models import BaseOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.providers.postgres.operators.postgres import PostgresOperator as Real

class PostgresOperator(${base}):
    template_fields = ("sql",)
${code}

with DAG("d", schedule="@daily", start_date=datetime(2024, 1, 1)):
    PostgresOperator(task_id="t", postgres_conn_id="dw", sql="INSERT INTO mart.t SELECT 1")
`,
    }).tasks.get('d.t')?.task.executor;
  const own = `    def __init__(self, sql, postgres_conn_id, **kwargs):
        super().__init__(**kwargs)
        self.sql = sql

    def execute(self, context):
        PostgresHook("elsewhere").run("INSERT INTO log.t SELECT 1; " + self.sql)`;
  expect(read('BaseOperator', own)).toEqual({ kind: 'airflow', reason: 'runs Python code' });
  expect(read('Real', '    ui_color = "#fff"')).toEqual({ kind: 'warehouse', connection: 'dw' });
});

test('what a class sets after its base was initialised is what runs, what it sets before is not', () => {
  const { facts } = factsOf({
    'dags/d.py': `
import pendulum
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator


class Later(PostgresOperator):
    def __init__(self, table, **kwargs):
        super().__init__(sql="SELECT 1", postgres_conn_id="dw", **kwargs)
        self.sql = f"TRUNCATE mart.{table}"


class Earlier(PostgresOperator):
    def __init__(self, table, **kwargs):
        self.sql = "SELECT 1"
        super().__init__(sql=f"TRUNCATE mart.{table}", postgres_conn_id="dw", **kwargs)


with DAG("d", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1, tz="UTC")):
    Later(task_id="later", table="a")
    Earlier(task_id="earlier", table="b")
`,
  });
  const written = (task: string) => facts.get(task)?.writes.map(({ table }) => table);
  expect(written('d.later')).toEqual(['mart.a']);
  expect(written('d.earlier')).toEqual(['mart.b']);
});

test('a class that has its base do its work sends what the base sends, beside SQL of its own', () => {
  const { facts, pipelines } = factsOf({
    'dags/d.py': `
import pendulum
from airflow import DAG
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.providers.postgres.operators.postgres import PostgresOperator


class Noted(PostgresOperator):
    def execute(self, context):
        self.log.info("begun")
        result = super().execute(context)
        PostgresHook(postgres_conn_id="dw").run("INSERT INTO ops.log SELECT 1")
        return result


class Named(Noted):
    def execute(self, context):
        self.sql = f"TRUNCATE mart.{self.task_name}"
        return super().execute(context)

    def __init__(self, task_name, **kwargs):
        super().__init__(sql="SELECT 1", postgres_conn_id="dw", **kwargs)
        self.task_name = task_name


with DAG("d", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1, tz="UTC")):
    Noted(task_id="noted", sql="TRUNCATE mart.a; INSERT INTO mart.a SELECT * FROM raw.a", postgres_conn_id="dw")
    Named(task_id="named", task_name="b")
`,
  });
  const written = (task: string) => facts.get(task)?.writes.map(({ table }) => table);
  expect(written('d.noted')).toEqual(['mart.a', 'ops.log']);
  expect(written('d.named')).toEqual(['mart.b', 'ops.log']);
  expect(pipelines[0]?.tasks.map(({ executor }) => executor.kind)).toEqual(['airflow', 'airflow']);
});

describe('a class that calls `execute` of its base', () => {
  const read = (base: string, body: string, given = '') =>
    readTasks(`
from airflow import DAG
from airflow.exceptions import AirflowSkipException
from airflow.models import Variable
from airflow.operators.python import PythonOperator
from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.providers.google.cloud.transfers.gcs_to_bigquery import GCSToBigQueryOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook

def load(table):
    PostgresHook("dw").run(f"INSERT INTO {table} SELECT 1")

class House(${base}):
    def execute(self, context):
        if Variable.get("skipped") == "yes":
            raise AirflowSkipException()
        ${body}

with DAG("d"):
    House(task_id="t"${given})
`)[0];
  const reasons = (base: string, body: string) => read(base, body)?.unread.map(({ reason }) => reason);

  test('does what the base does, where nobody can look', () => {
    expect(reasons('KubernetesPodOperator', 'super().execute(context)')).toEqual(['it runs a container']);
    expect(reasons('KubernetesPodOperator', 'print(context)')).toEqual([]);
  });

  test.each(['"{% if params.force %}{% else %}yes{% endif %}"', '"{{ params.skipped }}"'])(
    'a template that skips it may come to nothing: %s',
    (skip) => {
      const [task] = readTasks(`
from airflow import DAG
from airflow.exceptions import AirflowSkipException
from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator

class House(KubernetesPodOperator):
    template_fields = KubernetesPodOperator.template_fields + ("skip",)

    def __init__(self, skip, **kwargs):
        super().__init__(image="x", **kwargs)
        self.skip = skip

    def execute(self, context):
        if self.skip:
            raise AirflowSkipException()
        super().execute(context)

with DAG("d"):
    House(task_id="t", skip=${skip})
`);
      expect(task?.unread.map(({ reason }) => reason)).toEqual(['it runs a container']);
    },
  );

  test('writes the tables that its base writes', () => {
    const given = ', destination_project_dataset_table="mart.t", write_disposition="WRITE_TRUNCATE"';
    const words = (body: string) => read('GCSToBigQueryOperator', body, given)?.accesses.map(accessInWords);
    expect(words('return super().execute(context)')).toEqual(['write mart.t full_replace by GCSToBigQueryOperator']);
    expect(words('return None')).toEqual([]);
  });

  test('runs the function that its base is given', () => {
    const given = ', python_callable=load, op_kwargs={"table": "mart.t"}';
    const sent = (body: string) => statementsInWords(read('PythonOperator', body, given) as never);
    expect(sent('super().execute(context)')).toEqual(['insert mart.t']);
    expect(sent('print(context)')).toEqual([]);
  });
});

test('a base that is initialised by its name is one task with what `super()` would hand on', () => {
  const main = `from airflow import DAG
from airflow.models import BaseOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.utils.log.logging_mixin import LoggingMixin
class Named:
    def __init__(self, table):
        self.table = table
class Clear(Named, BaseOperator, LoggingMixin):
    def __init__(self, *, table, **kwargs):
        Named.__init__(self, table)
        BaseOperator.__init__(self, **kwargs)
        LoggingMixin.__init__(self)
    def execute(self, context):
        PostgresHook("dw").run(f"TRUNCATE {self.table}")
with DAG("d"):
    Clear(task_id="one", table="shop.a") >> Clear(task_id="two", table="shop.b")
`;
  const tasks = readTasks(main);
  expect(tasks.map(({ id, operator }) => `${id} ${operator}`)).toEqual(['d.one Clear', 'd.two Clear']);
  expect(tasks.flatMap(statementsInWords)).toEqual(['truncate shop.a', 'truncate shop.b']);
});
