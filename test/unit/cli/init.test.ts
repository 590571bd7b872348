import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../../src/node/config/read-config.ts';
import { runCli } from '../../support/run-cli.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'backfill-init-'));
  mkdirSync(join(root, 'dags'));
  writeFileSync(
    join(root, 'dags/d.py'),
    `from datetime import datetime, timedelta
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator as Pg

with DAG("d", schedule="@daily", start_date=datetime(2024, 1, 1)):
    last = Pg(task_id="last", postgres_conn_id="other", sql="insert into b select * from x where id > {{ ti.xcom_pull('x') }}")
    first = Pg(task_id="first", postgres_conn_id="wh", sql="insert into a select * from y where id > {{ ti.xcom_pull('x') }}")
    first >> Pg(task_id="plain", postgres_conn_id="wh", sql="delete from c where day = '{{ ds }}'; insert into c select * from z where day = '{{ ds }}'")

with DAG("moving", schedule=timedelta(days=1), start_date=datetime.today() - timedelta(days=7)):
    Pg(task_id="t", postgres_conn_id="wh", sql="delete from f where day = '{{ ds }}'")

with DAG("hand", schedule=None, start_date=datetime(2024, 1, 1)):
    Pg(task_id="t", postgres_conn_id="wh", sql="delete from e where day = '{{ ds }}'")
`,
  );
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a first backfill.yaml has the connections in use, and what is not known, most useful first', async () => {
  expect(await runCli(['init'], root)).toMatchObject({ code: 0, err: '' });
  const text = readFileSync(join(root, 'backfill.yaml'), 'utf8');
  const { config, problems } = readConfig('backfill.yaml', text);
  expect(problems).toEqual([]);
  expect([...config.connections.keys()]).toEqual(['wh', 'other']);
  expect(config.connections.get('wh')?.airflowIds).toEqual(['wh']);
  expect(text.indexOf('d.first')).toBeLessThan(text.indexOf('d.last'));
  expect(text).not.toContain('d.plain');
  expect(text).toContain('#   hand: { schedule: "@daily" }');
  expect(text).toContain('#   moving: { start_date: 2026-01-01 }');
});

test('names the folder of template files that Airflow would not find, and counts their connection', async () => {
  const other = mkdtempSync(join(tmpdir(), 'backfill-init-'));
  mkdirSync(join(other, 'dags'));
  mkdirSync(join(other, 'etl/sql'), { recursive: true });
  for (const name of ['a', 'b'])
    writeFileSync(join(other, `etl/sql/${name}.sql`), `delete from ${name} where day = '{{ ds }}'`);
  writeFileSync(
    join(other, 'dags/d.py'),
    `from datetime import datetime
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator as Pg

with DAG("d", schedule="@daily", start_date=datetime(2024, 1, 1)):
    Pg(task_id="a", postgres_conn_id="wh", sql="sql/a.sql")
    Pg(task_id="b", postgres_conn_id="wh", sql="sql/b.sql")
`,
  );
  const unknown = (await runCli(['show', '--unknown'], other)).out;
  expect(unknown).toContain('d.a, d.b  2 tasks with nothing else unknown\n');
  expect(unknown).toContain('the file sql/a.sql is not where Airflow looks for it (dags), but in etl:');
  expect(unknown).toContain('So is 1 file more.');
  const entry = 'dags:\n  d:\n    template_searchpath: [ etl ]\n';
  expect(unknown.slice(unknown.indexOf('\ndags:') + 1)).toBe(entry);
  const first = (await runCli(['init', '--print'], other)).out;
  expect(first).toContain('  wh:   # 2 tasks\n');
  expect(first).toContain('# dags:\n#   d:\n#     template_searchpath: [ etl ]\n');
  writeFileSync(join(other, 'backfill.yaml'), `version: 1\n${entry}`);
  expect((await runCli(['show', '--unknown'], other)).out).toMatch(/^1 pipeline, 2 tasks: 2 read whole\n$/);
  rmSync(other, { recursive: true, force: true });
});

test('one that is there already is left as it is', async () => {
  const before = readFileSync(join(root, 'backfill.yaml'), 'utf8');
  const { code, err } = await runCli(['init'], root);
  expect([code, err]).toEqual([2, expect.stringContaining('backfill.yaml is there already')]);
  expect(readFileSync(join(root, 'backfill.yaml'), 'utf8')).toBe(before);
  expect((await runCli(['init', '--print'], root)).out).toContain('connections:\n  wh:');
});
