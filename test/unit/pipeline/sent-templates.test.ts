import { expect, test } from 'vitest';
import { readTasks, statementsInWords } from '../../support/read-tasks.ts';

const module = `
from airflow import DAG
from airflow.decorators import task
from airflow.models import BaseOperator
from airflow.operators.bash import BashOperator
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.providers.postgres.operators.postgres import PostgresOperator

hook = PostgresHook("dw")
DELETE = "DELETE FROM a WHERE day = '{{ ds }}'"

class House(BaseOperator):
    template_fields = ("sql",)
    def __init__(self, sql, other="", **kwargs):
        super().__init__(**kwargs)
        self.sql = sql
        self.other = other
    def execute(self, context):
        hook.run(self.sql or self.other)

class Inherited(PostgresOperator):
    def __init__(self, sql, **kwargs):
        super().__init__(sql=sql, **kwargs)
        self.sql = sql
    def execute(self, context):
        hook.run(self.sql)

def run(sql): hook.run(sql)
@task
def decorated(sql): hook.run(sql)
def run_table(table): hook.run(f"DELETE FROM {table} WHERE day = '1'")
def own(): hook.run(DELETE)
def cursor():
    with hook.get_conn().cursor() as cur:
        cur.execute(DELETE)
def templates(templates_dict): hook.run(templates_dict["sql"])
def render(**context): hook.run(context["task"].render_template(DELETE, context) + ";")
def inside(**context): PostgresOperator(task_id="x", sql=DELETE).execute(context)
def filled(day): hook.run(f"DELETE FROM a WHERE day = '{day}' AND note = '{{{{ ds }}}}'")
`;

const read = (task: string) => readTasks(`${module}\nwith DAG("d"):\n    ${task}\n`);

test.each([
  [1, 'PythonOperator(task_id="t", python_callable=run, op_args=[DELETE])'],
  [1, 'PythonOperator(task_id="t", python_callable=run, op_kwargs={"sql": DELETE})'],
  [1, 'PythonOperator(task_id="t", python_callable=run_table, op_kwargs={"table": "a_{{ ds_nodash }}"})'],
  [1, 'PythonOperator(task_id="t", python_callable=templates, templates_dict={"sql": DELETE})'],
  [1, 'PythonOperator(task_id="t", python_callable=render)'],
  [1, 'PythonOperator(task_id="t", python_callable=inside)'],
  [1, 'decorated(DELETE)'],
  [1, 'House(task_id="t", sql=DELETE)'],
  [1, 'Inherited(task_id="t", sql=DELETE)'],
  [1, 'PostgresOperator(task_id="t", sql=DELETE)'],
  [1, `BashOperator(task_id="t", bash_command="psql -c \\"DELETE FROM a WHERE day = '{{ ds }}'\\"")`],
  [0, 'PythonOperator(task_id="t", python_callable=own)'],
  [0, 'PythonOperator(task_id="t", python_callable=cursor)'],
  [0, 'PythonOperator(task_id="t", python_callable=filled, op_kwargs={"day": "{{ ds }}"})'],
  [0, 'House(task_id="t", sql="", other=DELETE)'],
])('%s template expressions: %s', (count, task) => {
  const tasks = read(task);
  expect(tasks.flatMap(statementsInWords)).toEqual([expect.stringMatching(/^delete /)]);
  const holes = tasks.flatMap(({ sql }) => sql.flatMap(({ masked }) => masked.holes));
  expect(holes.filter(({ origin }) => origin === 'template').length).toBe(count);
});

test.each([
  ['INSERT OR IGNORE INTO t SELECT 1', ['insert t']],
  ['INSERT OR REPLACE INTO t SELECT 1', ['insert t']],
  ['INSTALL spatial; LOAD spatial; INSERT INTO t SELECT 1', ['load', 'insert t']],
  ['insert or not', []],
  ['load the file', []],
])('%s is what it is', (text, expected) => {
  const [task] = readTasks(
    `from airflow import DAG\nfrom airflow.operators.python import PythonOperator\nimport sqlite3\ndef work():\n    sqlite3.connect("a.db").cursor().execute("${text}")\nwith DAG("d"):\n    PythonOperator(task_id="t", python_callable=work)\n`,
  );
  expect(task && statementsInWords(task).filter((one) => one !== 'other' && one !== 'load')).toEqual(
    expected.filter((one) => one !== 'load'),
  );
});
