import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../support/run-cli.ts';

const dag = (name: string, connection: string, day: string): string => `
    SQLExecuteQueryOperator(task_id="${name}", conn_id="${connection}",
        sql="DELETE FROM ${name} WHERE d = '${day}'; INSERT INTO ${name} SELECT * FROM s WHERE d = '{{ ds }}'")`;

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'plan-refusals-'));
  mkdirSync(join(root, 'dags'));
  writeFileSync(
    join(root, 'dags/one.py'),
    `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("one", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=True):${dag('fine', 'dw', '{{ ds }}')}${dag('macro', 'dw', '{{ macros.own.day(ds) }}')}${dag('elsewhere', 'crm', '{{ ds }}')}
`,
  );
});
afterAll(() => rmSync(root, { recursive: true }));

const connection = (airflowIds: string): void =>
  writeFileSync(
    join(root, 'backfill.yaml'),
    `version: 1\nconnections:\n  sandbox: { engine: pglite, directory: data, airflowIds: [${airflowIds}] }\n`,
  );
const plan = (task: string, ...more: readonly string[]) =>
  runCli(['plan', task, '--from', '2026-11-01', '--to', '2026-11-04', '--now', '2026-11-29T12:00Z', ...more], root);

test('a plan says what a run would refuse, once and with its place', async () => {
  connection('dw');
  const { code, err, out } = await plan('one');
  expect(code).toBe(1);
  expect(out).toContain('one.macro');
  expect(
    err
      .split('\n')
      .filter((line) => line.includes('warning'))
      .sort(),
  ).toEqual([
    expect.stringMatching(/^dags\/one\.py:\d+:\d+ warning macros\.own\.day\(ds\) cannot be rendered/),
    expect.stringMatching(/^warning its connection crm is not among the airflowIds of sandbox \(dw\)/),
  ]);
  expect(await plan('one.fine')).toMatchObject({ code: 0, err: '' });
  // Another connection runs it.
  expect((await plan('one.elsewhere')).code).toBe(0);
});

test('a plan under settings with a slip ends as a check of them does', async () => {
  writeFileSync(join(root, 'backfill.yaml'), 'version: 1\nrun: { concurency: 3 }\n');
  const { code, err } = await plan('one.fine');
  expect(err).toContain('unknown key concurency');
  expect(code).toBe(1);
});

test('no command is printed of a plan that cannot be started', async () => {
  connection('dw');
  writeFileSync(
    join(root, 'dags/adds.py'),
    `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("adds", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=True):
    SQLExecuteQueryOperator(task_id="add", conn_id="dw", sql="INSERT INTO adds SELECT * FROM s WHERE d = '{{ ds }}'")
    SQLExecuteQueryOperator(task_id="fill", conn_id="dw", sql="DELETE FROM s WHERE d = '{{ ds }}'; INSERT INTO s SELECT * FROM r WHERE d = '{{ ds }}'")
`,
  );
  const { code, out, err } = await plan('adds', '--commands', '--offline');
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(
    /append-in-plan[^\n]*\n {2}help make it safe to run twice [^\n]*, or let it add again with --allow-append; where each run is meant to/,
  );
  const behind = await plan('adds.fill', '--downstream', '--offline');
  expect(behind.out).toMatch(
    /append-in-plan[^\n]*\n {2}help leave the task out with --without, or make it safe to run twice/,
  );
  expect(err).toContain('no command is printed: the plan cannot be started');
  expect((await plan('adds', '--commands', '--offline', '--allow-append')).out).toContain('airflow tasks clear adds');
  rmSync(join(root, 'dags/adds.py'));
});

test('a connection that lists no ids stands for all of them, one that lists them for these', async () => {
  connection('');
  expect((await plan('one.elsewhere')).err).toBe('');
  connection('dw, crm');
  expect((await plan('one.elsewhere')).err).toBe('');
  connection('dw');
  expect((await plan('one.elsewhere')).err).toContain('add crm to the airflowIds');
});

test('a plan on a connection that is not there is a wrong call, as a run on it is', async () => {
  connection('dw');
  const { code, out, err } = await plan('one.fine', '--connection', 'sandbx');
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('there is no connection sandbx; did you mean sandbox?');
});
