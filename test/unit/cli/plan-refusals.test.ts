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
  const { err, out } = await plan('one');
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
  expect((await plan('one.fine')).err).toBe('');
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
