import { describe, expect, test } from 'vitest';
import { checkFiles, type Files } from '../../support/check-files.ts';

const dag = (body: string, before = '', more: Files = {}): Files => ({
  'dags/d.py': [
    'from airflow import DAG',
    'from airflow.models import Variable',
    'from airflow.operators.python import PythonOperator',
    'from airflow.providers.postgres.hooks.postgres import PostgresHook',
    'import pandas as pd',
    'import pendulum',
    'import requests',
    'from psycopg2.extras import execute_values',
    'from sqlalchemy import Column, Integer, create_engine',
    'from sqlalchemy.orm import declarative_base, sessionmaker',
    ...before.split('\n'),
    'def load(ds, **context):',
    ...body.split('\n').map((line) => `    ${line}`),
    'with DAG("d", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1), catchup=False):',
    '    PythonOperator(task_id="load", python_callable=load)',
  ].join('\n'),
  ...more,
});

const said = (files: Files): readonly string[] =>
  checkFiles(files).map(({ rule, severity, message }) => `${rule} ${severity}: ${message}`);
const rules = (files: Files): readonly string[] => checkFiles(files).map(({ rule, severity }) => `${rule} ${severity}`);

describe('commits of Python', () => {
  const pair = (between: string, filled = 'cur.execute("insert into boards select * from raw.boards")'): Files =>
    dag(`conn = PostgresHook("dw").get_conn()
cur = conn.cursor()
cur.execute("delete from boards where day = %s", (ds,))
${between}
${filled}
conn.commit()`);

  test('between a DELETE and its INSERT part them', () => {
    expect(said(pair('conn.commit()'))).toEqual([
      'delete-insert-not-atomic warning: The DELETE is committed before the INSERT runs: a failure between them leaves the rows of boards deleted until both run again.',
    ]);
    expect(rules(pair('conn.commit()\ncur = conn.cursor()'))).toEqual(['delete-insert-not-atomic warning']);
  });

  test('of both at once, or of another connection, do not', () => {
    expect(rules(pair(''))).toEqual([]);
    expect(rules(pair('PostgresHook("other").get_conn().commit()'))).toEqual([]);
    expect(rules(pair('context["log"].commit()'))).toEqual([]);
  });

  test('behind each day leave the pair of a day together', () => {
    const body = `conn = PostgresHook("dw").get_conn()
cur = conn.cursor()
for day in requests.get("https://x/days").json():
    cur.execute("delete from boards where day = %s", (day,))
    cur.execute("insert into boards select * from raw.boards where day = %s", (day,))
    conn.commit()`;
    expect(rules(dag(body))).toEqual([]);
  });
});

describe('rows that Python brings into a table that is called after some process', () => {
  const loop = (table: string): Files =>
    dag(`cur = PostgresHook("dw").get_conn().cursor()
for row in requests.get("https://x").json():
    cur.execute("insert into ${table} values (%s, %s)", row)`);
  const given = (table: string, call: string): Files =>
    dag(`cur = PostgresHook("dw").get_conn().cursor()
rows = requests.get("https://x").json()
${call.replace('TABLE', table)}`);

  test.each(['job_openings', 'user_info', 'imports', 'course_metrics'])('%s holds data', (table) => {
    expect(rules(loop(table))).toEqual(['plain-insert error']);
  });
  test.each([
    'cur.executemany("insert into TABLE values (%s, %s)", rows)',
    'execute_values(cur, "insert into TABLE values %s", rows)',
  ])('%s', (call) => {
    expect(rules(given('course_metrics', call))).toEqual(['plain-insert error']);
  });
  test.each(['load_status', 'error_log', 'etl_runs', 'row_states'])('%s tells of runs', (table) => {
    expect(rules(loop(table))).toEqual([]);
  });
  test('one row alone may tell of the run', () => {
    expect(rules(given('imports', 'cur.execute("insert into TABLE values (%s, %s)", rows)'))).toEqual([]);
  });
});

describe('rows without SQL', () => {
  const orm = `Base = declarative_base()
class Order(Base):
    __tablename__ = "orders"
    id = Column(Integer, primary_key=False)`;
  const add = (lines: string): Files =>
    dag(
      `session = sessionmaker(bind=create_engine("postgresql://x"))()
for row in requests.get("https://x").json():
    order = Order(**row)
${lines.replace(/^/gm, '    ')}
session.commit()`,
      orm,
    );

  test('that are added only where the session has found none', () => {
    expect(rules(add('session.add(order)'))).toEqual(['append-write error']);
    expect(
      rules(add('if session.query(Order).filter_by(id=order.id).first() is None:\n    session.add(order)')),
    ).toEqual([]);
    expect(said(add('known = session.query(Order).all()\nsession.add(order)'))).toEqual([
      expect.stringContaining('unless what it has read of the table before keeps them out'),
    ]);
  });

  const frame = 'frame = pd.read_csv("/in.csv")\nframe.to_sql(Variable.get("table"), engine, if_exists="append")';
  const engine = 'engine = create_engine("postgresql://x")\n';
  test('into a table that only the run knows, where nothing is emptied', () => {
    expect(said(dag(engine + frame))).toEqual([
      'append-write warning: A second run of the same interval adds the same rows again to the table that to_sql writes, unless that table, which only the run knows, keeps them out by a key of its own: nothing in the run empties anything.',
    ]);
    const emptied = 'PostgresHook("dw").run(f"delete from {Variable.get(\'table\')}")\n';
    expect(rules(dag(engine + emptied + frame))).toEqual([]);
    const hidden = 'PostgresHook("dw").run(Variable.get("before"))\n';
    expect(rules(dag(engine + hidden + frame))).toEqual([]);
  });
});

test('a key that refuses rows is not met again where a mark of what was read has moved on', () => {
  const body = `conn = PostgresHook("dw").get_conn()
cur = conn.cursor()
cur.execute("select last_id from marks where name = 'events'")
last = cur.fetchone()[0]
cur.execute("select * from outbox where id > %s", (last,))
for row in cur.fetchall():
    cur.execute("insert into events (id, kind) values (%s, %s)", row)
cur.execute("update marks set last_id = %s where name = 'events'", (last,))
conn.commit()`;
  const ddl = { 'sql/events.sql': 'CREATE TABLE events (id int primary key, kind text);' };
  const found = said(dag(body, '', ddl));
  expect(found.filter((one) => one.includes('unless the mark that it keeps in marks'))).toHaveLength(
    found.filter((one) => one.includes('fails on the key')).length,
  );
  expect(found.some((one) => one.includes('fails on the key'))).toBe(true);
});
