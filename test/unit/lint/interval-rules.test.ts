import { describe, expect, test } from 'vitest';
import { dagWith, type Files } from '../../support/check-files.ts';
import { saidBy } from '../../support/said-by.ts';

describe('interval-grain', () => {
  const said = (files: Files) => saidBy('interval-grain', files);
  const pair = (deleted: string, read: string, schedule = '"@hourly"') =>
    dagWith(`DELETE FROM m.t WHERE ${deleted}; INSERT INTO m.t (at, n) SELECT '{{ ts }}', n FROM r.t WHERE ${read}`, {
      schedule,
    });
  const own = "at = '{{ ts }}'";
  const whole = "day = '{{ ds }}'";
  test.each<[string, Files, string]>([
    ['by the hour', pair(own, whole), `WHERE ${whole}`],
    ['every four hours', pair(own, whole, '"0 */4 * * *"'), `WHERE ${whole}`],
    ['beside another condition', pair(own, `ok AND ${whole}`), whole],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`warning «${mark}»`]));
  test.each<[string, Files]>([
    ['once a day', pair(own, whole, '"@daily"')],
    ['the same day is deleted', pair("day = '{{ ds }}'", whole)],
    ['by its own bounds', pair(own, "at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}'")],
    ['keys of the day are deleted', pair("id IN (SELECT id FROM r.t WHERE day = '{{ ds }}')", whole)],
    [
      'an upsert',
      dagWith(`INSERT INTO m.t (id, n) SELECT id, n FROM r.t WHERE ${whole} ON CONFLICT (id) DO UPDATE SET n = 1`, {
        schedule: '"@hourly"',
      }),
    ],
    ['nothing is deleted', dagWith(`INSERT INTO m.t SELECT * FROM r.t WHERE ${whole}`, { schedule: '"@hourly"' })],
    ['no schedule', pair(own, whole, 'None')],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});

describe('state-outside-interval', () => {
  const said = (files: Files) => saidBy('state-outside-interval', files);
  const upsert = (bound: string) =>
    dagWith(
      `INSERT INTO m.t (id, n) SELECT id, n FROM r.t WHERE at > '${bound}' ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n`,
    );
  const python = (body: string): Files => ({
    'dags/p.py': `from datetime import datetime
from airflow import DAG
from airflow.models import Variable
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
def work(**context):
${body.replace(/^/gm, '    ')}
with DAG("p", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    PythonOperator(task_id="work", python_callable=work)
`,
  });
  const setter = python('Variable.set("loaded_until", "x")');
  test.each<[string, Files, string]>([
    [
      'the last success',
      upsert('{{ prev_data_interval_end_success }}'),
      "error «at > '{{ prev_data_interval_end_success }}'»",
    ],
    [
      'an XCom of earlier runs',
      upsert("{{ ti.xcom_pull(task_ids='x', include_prior_dates=True) }}"),
      "error «at > '{{ ti.xcom_pull(task_ids='x', include_prior_dates=True) }}'»",
    ],
    [
      'a Variable that a task sets',
      { ...upsert('{{ var.value.loaded_until }}'), ...setter },
      "error «at > '{{ var.value.loaded_until }}'»",
    ],
    [
      'a mark in Python',
      python('since = Variable.get("last_id")\nfetch(since)\nVariable.set("last_id", 7)'),
      'warning «Variable.get("last_id")»',
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([mark]));
  test.each<[string, Files]>([
    ['a setting', upsert('{{ var.value.first_day }}')],
    ['an XCom of the same run', upsert("{{ ti.xcom_pull(task_ids='x') }}")],
    ['the interval', upsert('{{ data_interval_start }}')],
    ['a Variable that is only read', python('since = Variable.get("last_id")\nfetch(since)')],
    ['one that is only set', setter],
    ['a switch', python('if Variable.get("sync_enabled"):\n    Variable.set("sync_enabled", "no")')],
    ['a status', python('old = Variable.get("last_status")\nVariable.set("last_status", "ok")')],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});

describe('watermark-from-target', () => {
  const said = (files: Files) => saidBy('watermark-from-target', files);
  const insert = (bound: string, more = '') =>
    dagWith(`INSERT INTO m.t (id, at) SELECT id, at FROM r.t WHERE ${bound} ${more}`);
  const newest = '(SELECT max(at) FROM m.t)';
  const upsert = 'ON CONFLICT (id) DO UPDATE SET at = EXCLUDED.at';
  test.each<[string, Files, string]>([
    ['rows are added', insert(`at > ${newest}`), `error «${newest}»`],
    ['the mark itself again', insert(`at >= ${newest}`), `error «${newest}»`],
    ['a key takes them up', insert(`at > ${newest}`, upsert), `warning «${newest}»`],
    ['a first date for an empty table', insert(`at > coalesce(${newest}, '2024-01-01')`), `error «${newest}»`],
    ['a script', { 'sql/a.sql': `INSERT INTO m.t SELECT * FROM r.t WHERE at > ${newest};` }, `warning «${newest}»`],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([mark]));
  test.each<[string, Files]>([
    ['a look-back and a key', insert("at > (SELECT max(at) - interval '1 day' FROM m.t)", upsert)],
    ['the mark again and a key', insert(`at >= ${newest}`, upsert)],
    ['an anti-join beside it', insert(`at > ${newest} AND id NOT IN (SELECT id FROM m.t)`)],
    ['the newest of the source', insert('at = (SELECT max(at) FROM r.t)')],
    ['a mark in a table of its own', insert('at > (SELECT max(loaded_until) FROM etl.marks)')],
    ['the interval', insert("at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}'")],
    ['the table is emptied', dagWith(`TRUNCATE m.t; INSERT INTO m.t SELECT * FROM r.t WHERE at > ${newest}`)],
    [
      'DELETE asks the target as well',
      dagWith(
        `DELETE FROM m.t WHERE at > (SELECT max(at) - 3 FROM m.t); INSERT INTO m.t SELECT * FROM r.t WHERE at > ${newest}`,
      ),
    ],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});
