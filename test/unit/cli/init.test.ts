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
    `from datetime import datetime
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator as Pg

with DAG("d", schedule="@daily", start_date=datetime(2024, 1, 1)):
    last = Pg(task_id="last", postgres_conn_id="other", sql="insert into b select * from x where id > {{ ti.xcom_pull('x') }}")
    first = Pg(task_id="first", postgres_conn_id="wh", sql="insert into a select * from y where id > {{ ti.xcom_pull('x') }}")
    first >> Pg(task_id="plain", postgres_conn_id="wh", sql="delete from c where day = '{{ ds }}'; insert into c select * from z where day = '{{ ds }}'")

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
});

test('one that is there already is left as it is', async () => {
  const before = readFileSync(join(root, 'backfill.yaml'), 'utf8');
  const { code, err } = await runCli(['init'], root);
  expect([code, err]).toEqual([2, expect.stringContaining('backfill.yaml is there already')]);
  expect(readFileSync(join(root, 'backfill.yaml'), 'utf8')).toBe(before);
  expect((await runCli(['init', '--print'], root)).out).toContain('connections:\n  wh:');
});
