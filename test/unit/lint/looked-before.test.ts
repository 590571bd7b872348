import { describe, expect, test } from 'vitest';
import { checkFiles, type Files } from '../../support/check-files.ts';

const dag = (body: string, before = ''): Files => ({
  'dags/d.py': [
    'from airflow import DAG',
    'from airflow.operators.python import PythonOperator',
    'from airflow.providers.postgres.hooks.postgres import PostgresHook',
    'from datetime import datetime',
    'import pandas as pd',
    'import pendulum',
    'from sqlalchemy import MetaData, Table, create_engine',
    'from sqlalchemy.orm import Session',
    'def first(**context):',
    ...(before === '' ? ['pass'] : before.split('\n')).map((line) => `    ${line}`),
    'def load(rows, **context):',
    ...body.split('\n').map((line) => `    ${line}`),
    'with DAG("d", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1), catchup=False):',
    '    PythonOperator(task_id="first", python_callable=first) >> PythonOperator(task_id="load", python_callable=load)',
  ].join('\n'),
});

const said = (files: Files): readonly string[] =>
  checkFiles(files)
    .filter(({ rule }) => rule === 'plain-insert' || rule === 'append-write')
    .map(
      ({ rule, severity, message }) =>
        `${rule} ${severity}${/, unless what [^:]* keeps them out/.exec(message)?.[0] ?? ''}`,
    );

describe('Python that fetches rows of a table before it adds to it', () => {
  const append = 'rows.to_sql("files", engine, if_exists="append")';
  const known = 'PostgresHook("dw").get_records("select distinct file_id from files")';

  test('may leave out what it finds, in the task and in one before it', () => {
    expect(said(dag(append))).toEqual(['append-write error']);
    expect(said(dag(append, known))).toEqual([
      'append-write warning, unless what task "first" has read of the table before keeps them out',
    ]);
    expect(said(dag(`known = ${known}\n${append}`))).toEqual([
      'append-write warning, unless what it has read of the table before keeps them out',
    ]);
  });

  test('of another table, or only counts, keeps nothing out', () => {
    expect(said(dag(append, known.replace('from files', 'from folders')))).toEqual(['append-write error']);
    expect(said(dag(append, known.replace('distinct file_id', 'count(*)')))).toEqual(['append-write error']);
  });

  test('the same for rows that it chooses by what it found', () => {
    const last = 'PostgresHook("dw").get_first("select max(seen) from files")[0]';
    const insert = 'PostgresHook("dw").run(f"insert into files select * from raw.files where seen > {last}")';
    expect(said(dag(`last = 3\n${insert}`))).toEqual(['plain-insert error']);
    expect(said(dag(`last = ${last}\n${insert}`))).not.toEqual(['plain-insert error']);
  });

  test('rows that come with others which are there once are there once too', () => {
    const body = (asked: string): string => `conn = PostgresHook("dw").get_conn()
cursor = conn.cursor()
cursor.execute("select id, kind from raw.people where id not in (select id from ${asked})")
for row in cursor.fetchall():
    cursor.execute("insert into people (id, kind) values (%s, %s)", row)
    cursor.execute("insert into relation (parent, child) values (%s, %s)", (1, row[0]))
conn.commit()`;
    expect(said(dag(body('people')))).not.toContain('plain-insert error');
    expect(said(dag(body('others')))).toContain('plain-insert error');
  });

  test('the same for values', () => {
    const insert = 'PostgresHook("dw").run("insert into files (file_id) values (%s)", parameters=[1])';
    expect(said(dag(insert))).toEqual(['plain-insert error']);
    expect(said(dag(`known = ${known}\n${insert}`))).toEqual([
      'plain-insert warning, unless what it has read of the table before keeps them out',
    ]);
    expect(said(dag(`${insert}\nknown = ${known}`))).toEqual(['plain-insert error']);
  });
});

test('rows that SQLAlchemy deletes before are not added again', () => {
  const lines = (removing: string): string =>
    [
      'engine = create_engine("postgresql://dw")',
      'session = Session(engine)',
      'table = Table("clusters", MetaData(), schema="mart")',
      removing,
      'session.execute(table.insert().from_select(["id"], rows))',
      'session.commit()',
    ].join('\n');
  expect(said(dag(lines('session.execute(table.delete().where(table.c.id == 1))')))).toEqual([]);
  expect(said(dag(lines('pass')))).toEqual(['append-write error']);
});

describe('rows without a mark that are marked as their values are added', () => {
  const lines = (asked: string, set: string, by = 'cursor.execute'): string =>
    [
      'conn = PostgresHook("dw").get_conn()',
      'cursor = conn.cursor()',
      `cursor.execute("select id from sessions where ${asked} limit 100")`,
      'for row in cursor.fetchall():',
      '    cursor.execute("insert into parts (session_id) values (%s)", (row[0],))',
      `    ${by}("update sessions set ${set} where id = %s", (datetime.now(), row[0]))`,
      'conn.commit()',
    ].join('\n');

  test('are not fetched again', () => {
    expect(said(dag(lines('processed_at is null', 'processed_at = %s')))).toEqual([]);
  });

  test.each([
    ['id > 5', 'processed_at = %s', 'cursor.execute'],
    ['processed_at is null', 'seen_at = %s', 'cursor.execute'],
    ['processed_at is null', 'processed_at = %s', 'PostgresHook("dw").run'],
  ])('are where %s, %s, by %s', (asked, set, by) => {
    expect(said(dag(lines(asked, set, by)))).toEqual(['plain-insert error']);
  });
});

test('a Variable that names a thing is no place to go on from', () => {
  const uses = (name: string): Files =>
    dag(
      `from airflow.models import Variable\nkey = Variable.get("${name}")\nsend(key)\nVariable.set("${name}", make())`,
    );
  const rules = (files: Files): readonly string[] => checkFiles(files).map(({ rule }) => rule);
  expect(rules(uses('dynamic_asset_id'))).not.toContain('state-outside-interval');
  expect(rules(uses('high_low_asset_id'))).not.toContain('state-outside-interval');
  expect(rules(uses('high_water_id'))).toContain('state-outside-interval');
  expect(rules(uses('access_token'))).not.toContain('state-outside-interval');
  expect(rules(uses('last_order_id'))).toContain('state-outside-interval');
});
