import { describe, expect, test } from 'vitest';
import { readTasks } from '../../support/read-tasks.ts';

const head = `import logging
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator
try:
    from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator as SqlOp
except ImportError:
    from airflow.providers.postgres.operators.postgres import PostgresOperator as SqlOp
`;

const tasksOf = (above: string, lines: string) =>
  readTasks(`${head}${above}\nwith DAG("d", schedule="@daily"):\n${lines.replace(/^/gm, '    ')}\n`);
const sent = (task: ReturnType<typeof tasksOf>[number] | undefined) => task?.sql.map(({ source }) => source.text);

const wrapper = (body: string, more = '') => `
class Wrapped(PostgresOperator):
    def execute(self, context):
${body.replace(/^/gm, '        ')}
${more}`;
const use = 'Wrapped(task_id="t", postgres_conn_id="wh", sql="SELECT 1")';

describe('an operator of the workspace around one of Airflow', () => {
  test.each([
    'self.log.info("running %s", self.sql)\nreturn super().execute(context)',
    '"""Runs it."""\nresult = super().execute(context)\nlogging.info("done %s", str(result))\nreturn result',
    'super(Wrapped, self).execute(context=context)',
  ])('is run as that where it only writes to the log: %s', (body) => {
    expect(tasksOf(wrapper(body), use)).toMatchObject([
      { operator: 'PostgresOperator', executor: { kind: 'warehouse', connection: 'wh' } },
    ]);
  });

  test.each([
    ['self.sql = self.sql + " "\nreturn super().execute(context)', ''],
    ['notify(context)\nreturn super().execute(context)', ''],
    ['self.log.info(notify(context))\nreturn super().execute(context)', ''],
    ['if context["ti"].try_number > 1:\n    return None\nreturn super().execute(context)', ''],
    ['return super().execute(context)', '    def get_db_hook(self):\n        return other()\n'],
    ['self.log.info("nothing")', ''],
  ])('is left to Airflow where it does more, or less: %s%s', (body, more) => {
    expect(tasksOf(wrapper(body, more), use)).toMatchObject([{ executor: { kind: 'airflow' } }]);
  });

  test('may be a class that a call of type makes', () => {
    const made = 'Made = type("Made", (PostgresOperator,), {"ui_color": "#fff"})';
    expect(tasksOf(made, 'Made(task_id="t", postgres_conn_id="wh", sql="SELECT 1")')).toMatchObject([
      { operator: 'PostgresOperator', executor: { kind: 'warehouse', connection: 'wh' } },
    ]);
  });

  test('is mapped by whatever name it is imported', () => {
    const [task, ...more] = tasksOf(
      '',
      'SqlOp.partial(task_id="t", conn_id="wh").expand(sql=["SELECT 1", "SELECT 2"])',
    );
    expect(more).toEqual([]);
    expect(task?.operator).toMatch(/^(?:SQLExecuteQuery|Postgres)Operator$/);
    expect(sent(task)).toEqual(['SELECT 1', 'SELECT 2']);
  });
});

describe('names that a function binds in its module', () => {
  const run = (sql: string) => `PostgresOperator(task_id="t", postgres_conn_id="wh", sql=${sql})`;

  test('are those that the rest of the file sees', () => {
    const above = 'TABLE = None\ndef configure():\n    global TABLE\n    TABLE = "sales"\nconfigure()';
    expect(sent(tasksOf(above, run('f"SELECT 1 FROM {TABLE}"'))[0])).toEqual(['SELECT 1 FROM sales']);
  });

  test('change with each call', () => {
    const above = 'n = 0\ndef number():\n    global n\n    n += 1\n    return n\nnumber()';
    expect(sent(tasksOf(above, run('f"SELECT {number()}"'))[0])).toEqual(['SELECT 2']);
  });

  test('are not known where it is not known whether they were bound', () => {
    const above =
      'import os\nTABLE = "a"\ndef configure():\n    global TABLE\n    if os.environ["X"]:\n        TABLE = "b"\nconfigure()';
    const [task] = tasksOf(above, run('f"SELECT 1 FROM {TABLE}"'));
    expect(task?.executor.kind).toBe('airflow');
  });

  test('may be those of a function around it', () => {
    const above =
      'def outer():\n    table = "a"\n    def inner():\n        nonlocal table\n        table = "b"\n    inner()\n    return table';
    expect(sent(tasksOf(above, run('f"SELECT 1 FROM {outer()}"'))[0])).toEqual(['SELECT 1 FROM b']);
  });
});
