import { describe, expect, test } from 'vitest';
import { startOptions } from '../../../src/core/pipeline/readers/airflow/session/start-options.ts';
import { sessionInWords } from '../../../src/core/view/words/session-words.ts';
import { readBody, readTasks, statementsInWords } from '../../support/read-tasks.ts';

const taskOf = (args: string, sql = 'SELECT 1', operator = 'SQLExecuteQueryOperator') => {
  const [task] = readTasks(`
from airflow import DAG
from airflow.providers.common.sql.hooks.handlers import fetch_all_handler
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator
from airflow.providers.snowflake.operators.snowflake import SnowflakeOperator
from lib import elsewhere
import datetime

def rows(cursor):
    for row in cursor:
        print(row)
    return [cursor.description, cursor.fetchall()]

def more(cursor):
    cursor.connection.commit()

def handed(cursor):
    return elsewhere(cursor)

with DAG("d", default_args={"database": None}):
    ${operator}(task_id="t", sql="""${sql}"""${args === '' ? '' : `, ${args}`})
`);
  if (task === undefined) throw new Error('no task was read');
  return task;
};
const reasonOf = (args: string, operator?: string): string | undefined => {
  const { executor } = taskOf(args, 'SELECT 1', operator);
  return executor.kind === 'warehouse' ? undefined : executor.reason;
};

test('options are read as the server reads them', () => {
  expect(startOptions('-c search_path=mart,public  --work-mem=64MB -cTimeZone=UTC')).toEqual({
    settings: [
      { name: 'search_path', value: 'mart,public' },
      { name: 'work_mem', value: '64MB' },
      { name: 'timezone', value: 'UTC' },
    ],
  });
  expect(startOptions('-c search_path=a,\\ b -c x={{ a b }}')).toEqual({
    settings: [
      { name: 'search_path', value: 'a, b' },
      { name: 'x', value: '{{ a b }}' },
    ],
  });
  expect(startOptions('-c search_path=a, b')).toEqual({ unread: 'b' });
  expect(startOptions('-d 2')).toEqual({ unread: '-d' });
  expect(startOptions('')).toEqual({ settings: [] });
});

describe('an operator says', () => {
  test.each([
    ['database="other"', undefined, 'database other'],
    ['hook_params={"database": "other"}', undefined, 'database other'],
    ['database="own", hook_params={"database": "other"}', undefined, 'database own'],
    ['database="own", hook_params={"database": "other"}', 'PostgresOperator', 'database other'],
    ['hook_params={"options": "-c role=loader", "log_sql": True}', undefined, 'role = loader'],
    [
      'runtime_parameters={"search_path": "mart", "work_mem": "1GB"}',
      'PostgresOperator',
      'search_path = mart, work_mem = 1GB',
    ],
    [
      'autocommit=True, parameters={"d": "{{ ds }}", "n": [1, None]}',
      undefined,
      "autocommit, parameters d = '{{ ds }}', n = ARRAY[1,NULL]",
    ],
    ['parameters=(datetime.date(2026, 1, 2), -1.5)', undefined, "parameters '2026-01-02'::date, -1.5"],
    ['parameters={}, database=""', undefined, ''],
    ['handler=fetch_all_handler', undefined, ''],
    ['handler=None', undefined, ''],
    ['handler=rows', undefined, ''],
    ['handler=lambda c: [dict(row) for row in c]', undefined, ''],
  ])('%s', (args, operator, words) => {
    const task = taskOf(args, 'SELECT 1', operator);
    expect([task.executor.kind, sessionInWords(task).join(', ')]).toEqual(['warehouse', words]);
  });

  test.each([
    ['hook_params={"schema": "mart"}', 'say database'],
    ['hook_params={"keepalives": 1}', 'what keepalives in its hook_params does'],
    ['hook_params=elsewhere()', 'its hook_params are not known'],
    ['hook_params={"options": "-c a"}', '"-c a" in options of its hook_params'],
    ['database=elsewhere()', 'the database that it runs in is not known'],
    ['parameters=elsewhere()', 'its parameters are not known before it runs'],
    ['parameters={"d": datetime.datetime.now()}', 'its parameters are not known before it runs'],
    ['parameters={"d": "more.sql"}', 'for the name of a template file'],
    ['parameters="{{ params.all }}"', 'its parameters are a text'],
    ['handler=more', 'its handler more does more with the cursor'],
    ['handler=handed', 'its handler handed does more with the cursor'],
    ['handler=elsewhere', 'its handler lib.elsewhere'],
  ])('what is not understood: %s', (args, reason) => {
    expect(reasonOf(args)).toContain(reason);
  });

  test('where another engine runs it, which is not understood', () => {
    expect(reasonOf('snowflake_conn_id="s", warehouse="w"', 'SnowflakeOperator')).toContain(
      'warehouse says where its SQL runs',
    );
    expect(reasonOf('snowflake_conn_id="s", parameters={"a": 1}', 'SnowflakeOperator')).toContain(
      'for PostgreSQL only',
    );
  });
});

describe('names without a schema', () => {
  const tablesOf = (args: string, sql: string) => statementsInWords(taskOf(args, sql));
  const mart = 'hook_params={"options": "-c search_path=mart"}';

  test.each([
    [
      mart,
      'WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c, u, raw.v, pg_class',
      'insert mart.t < mart.u < raw.v < pg_class',
    ],
    ['', 'SET search_path TO mart; DELETE FROM t', 'delete mart.t'],
    ['', "SET LOCAL search_path = 'mart', pg_catalog; DELETE FROM t", 'delete mart.t'],
    ['', "SET SCHEMA 'mart'; DELETE FROM t", 'delete mart.t'],
    ['', "SELECT set_config('search_path', 'mart', false); DELETE FROM t", 'delete mart.t'],
    ['', 'SET search_path TO mart, public; DELETE FROM t', 'delete t'],
    ['', 'SET search_path TO "$user"; DELETE FROM t', 'delete t'],
    ['', 'SET search_path TO {{ params.schema }}; DELETE FROM t', 'delete t'],
    [mart, 'SET search_path TO other; DELETE FROM t', 'delete other.t'],
    [mart, 'SET search_path TO other; RESET search_path; DELETE FROM t', 'delete mart.t'],
    ['', 'SET search_path TO mart; RESET ALL; DELETE FROM t', 'delete t'],
    ['', 'SET statement_timeout TO 5; DELETE FROM t', 'delete t'],
  ])('%s %s', (args, sql, last) => {
    expect(tablesOf(args, sql).at(-1)).toBe(last);
  });
});

test('a hook that is opened with options says the same', () => {
  const task = readBody(
    'PostgresHook("wh", options="-c search_path=mart -c timezone=Europe/Berlin").run("DELETE FROM t WHERE day = 1")',
    'from airflow.providers.postgres.hooks.postgres import PostgresHook',
  );
  expect(statementsInWords(task)).toEqual(['delete mart.t']);
  expect(task.sql[0]?.sessionZone).toBe('Europe/Berlin');
});

test('a zone of the session says which days the moments of a window fall on', () => {
  expect(taskOf('hook_params={"options": "-c TimeZone=America/New_York"}').sql[0]?.sessionZone).toBe(
    'America/New_York',
  );
});

test.each([
  ['{{ ds }} 00:00:00', { strftime: '%Y-%m-%d 00:00:00' }],
  ["{{ data_interval_start.strftime('%Y-%m') }}-01", { strftime: '%Y-%m-01' }],
  ['100% {{ ds_nodash }}', { strftime: '100%% %Y%m%d' }],
  ['{{ ds }}', 'date'],
])('a parameter that a template makes a part of is read as the time that it is: %s', (text, form) => {
  const [sql] = taskOf(`parameters={"a": "${text}"}`, 'SELECT 1 FROM t WHERE d = %(a)s').sql;
  expect(sql?.pythonHoles).toEqual([
    expect.objectContaining({ value: expect.objectContaining({ kind: 'time', form }) }),
  ]);
});

test('and one of several parts is not known', () => {
  const [sql] = taskOf('parameters={"a": "{{ ds }} {{ params.x }}"}', 'SELECT 1 FROM t WHERE d = %(a)s').sql;
  expect(sql?.pythonHoles[0]?.value).toEqual({ kind: 'unknown', reason: 'a text that a template makes' });
});
