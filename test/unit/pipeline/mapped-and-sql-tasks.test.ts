import { describe, expect, test } from 'vitest';
import { windowInWords } from '../../../src/core/lineage/facts/window-words.ts';
import { factsOf } from '../../support/check-files.ts';
import { readBody, readTasks, statementsInWords } from '../../support/read-tasks.ts';

const imports = [
  'from airflow.decorators import dag, task',
  'from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator',
  'import pendulum',
  'from house import texts',
].join('\n');

const decorated = (lines: string): string =>
  `${imports}\n@dag(schedule="@daily", start_date=pendulum.datetime(2024, 1, 1), catchup=False)\ndef d():\n${lines
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\nd()\n`;

describe('a function under @task.sql', () => {
  const sql = (returned: string): string => decorated(`@task.sql(conn_id="dw")\ndef q():\n    return ${returned}\nq()`);

  test('sends what it returns, as a template', () => {
    const main = sql('"insert into m.t select * from r.s where d = \'{{ ds }}\'"');
    expect(readTasks(main).map(statementsInWords)).toEqual([['insert m.t < r.s']]);
    const [facts] = [...factsOf({ 'dags/d.py': main }).facts.values()];
    expect(facts?.reads.map(({ window }) => windowInWords(window))).toEqual([
      '[day of start (UTC), day of start (UTC) + 1 day)',
    ]);
  });

  test('hides what it sends where that is not known', () => {
    expect(readTasks(sql('texts.query()')).map(({ unread }) => unread.map(({ hides }) => hides))).toEqual([
      ['code', 'statement'],
    ]);
  });
});

describe('an operator that is mapped', () => {
  const unread = (line: string): readonly string[] =>
    readTasks(decorated(line)).flatMap((task) => task.unread.map(({ reason }) => reason));

  test('over its SQL hides it', () => {
    expect(unread('SQLExecuteQueryOperator.partial(task_id="o", conn_id="dw").expand_kwargs(texts.all())')).toEqual([
      'its SQL is one of the values that it is mapped over',
    ]);
  });

  test.each([
    'expand(sql=["truncate m.a", "delete from m.b where d = \'{{ ds }}\'"])',
    'expand(sql=[f"truncate m.{name}" for name in ("a", "b")])',
    'expand_kwargs([{"sql": "truncate m.a"}, {"sql": "truncate m.b"}])',
  ])('over SQL that is all in the file is run as what it is: %s', (call) => {
    const [task] = readTasks(decorated(`SQLExecuteQueryOperator.partial(task_id="o", conn_id="dw").${call}`));
    expect(task?.executor).toEqual({ kind: 'warehouse', connection: 'dw' });
    expect(task?.sql.map(({ session, reading }) => [session, reading.statements[0]?.target?.name])).toEqual([
      [0, 'm.a'],
      [1, 'm.b'],
    ]);
  });

  test.each([
    'expand(sql=["truncate m.a"], conn_id=["a", "b"])',
    'expand(sql=texts.all())',
    'expand(sql=["truncate m.a", *texts.all()])',
    'expand_kwargs([{"sql": "truncate m.a", "conn_id": "b"}])',
    'expand(parameters=[{"n": 1}, {"n": 2}])',
  ])('over anything else is left to Airflow: %s', (call) => {
    const [task] = readTasks(decorated(`SQLExecuteQueryOperator.partial(task_id="o", conn_id="dw").${call}`));
    expect(task?.executor).toEqual({ kind: 'airflow', reason: expect.stringMatching(/mapped|not known/) });
  });

  test('over something else hides nothing', () => {
    expect(
      unread('SQLExecuteQueryOperator.partial(task_id="o", sql="truncate m.t").expand(conn_id=["a", "b"])'),
    ).toEqual([]);
  });
});

test.each([
  ['import clickhouse_driver\nclickhouse_driver.Client("h").query_dataframe("select * from r.s")', 'select < r.s'],
  ['import clickhouse_connect\nclickhouse_connect.get_client(host="h").query_df("select * from r.s")', 'select < r.s'],
  [
    'import clickhouse_driver\nclickhouse_driver.Client("h").insert_dataframe("insert into m.t values", rows)',
    'insert m.t',
  ],
])('ClickHouse: %s', (lines, statement) => {
  expect(statementsInWords(readBody(lines))).toEqual([statement]);
});
