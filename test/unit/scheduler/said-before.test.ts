import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DagRun } from '../../../src/core/scheduler/port/scheduler.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { fakeAirflow } from '../../support/fake-airflow.ts';
import type { FakeApi } from '../../support/fake-api.ts';
import { type FakeScheduler, fakeScheduler } from '../../support/fake-scheduler.ts';
import { runCli } from '../../support/run-cli.ts';

const dag = `from datetime import datetime
from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.sensors.external_task import ExternalTaskSensor

with DAG("shop", schedule="@daily", start_date=datetime(2026, 1, 1)):
    wait = ExternalTaskSensor(task_id="wait", external_dag_id="other", external_task_id="all")
    load = PythonOperator(task_id="load", python_callable=lambda: None, pool="narrow")
    shops = SQLExecuteQueryOperator(task_id="shops", conn_id="w", sql="TRUNCATE mart.shops; INSERT INTO mart.shops SELECT DISTINCT shop FROM raw.orders")
    wait >> load >> shops
`;
const runOn = (day: number, state: DagRun['state'] = 'success'): DagRun => {
  const [start, end] = [instant(Date.UTC(2026, 10, day)), instant(Date.UTC(2026, 10, day + 1))];
  return { id: `scheduled ${day}`, state, logicalDate: start, interval: { start, end }, note: undefined };
};

let root = '';
let scheduler: FakeScheduler;
let api: FakeApi;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'backfill-said-'));
  mkdirSync(join(root, 'dags'));
  writeFileSync(join(root, 'dags/shop.py'), dag);
  const task = (id: string, pool = 'default_pool') => ({ id, operator: 'PythonOperator', pool, poolSlots: 1 });
  const tasks = [task('wait'), task('load', 'narrow'), task('shops')];
  const known = { id: 'shop', paused: false, active: true, importErrors: false, schedule: '@daily' };
  scheduler = fakeScheduler([{ ...known, maxActiveRuns: 2, tasks }], async () => {});
  api = await fakeAirflow(scheduler, 'anna', 'secret');
  writeFileSync(
    join(root, 'backfill.yaml'),
    `version: 1\nairflow: { version: 2 }\nschedulers:\n  prod: { url: "${api.url}", user: anna, password: "\${env:SECRET}" }\n`,
  );
});
afterEach(async () => {
  await api.close();
  rmSync(root, { recursive: true, force: true });
});

const said = async (...words: readonly string[]): Promise<string> => {
  const range = ['--from', '2026-11-01', '--to', '2026-11-03', '--now', '2026-11-09T12:00Z'];
  const { out, err } = await runCli(['plan', ...words, ...range], root, { env: { SECRET: 'secret' } });
  return `${out}${err}`;
};

test('runs that are made, what is not waited for in them, and one run of what every run gives alike is enough', async () => {
  const text = await said('shop');
  expect(text).toContain(
    'prod has no run of shop for 2 dates of the plan: made before their first task; wait count as done in them, and are not waited for',
  );
  expect(text).not.toContain('would count');
  // Given away too, it is done in the newest run that there will be.
  expect(await said('shop', '--on', 'airflow')).not.toContain('would count');
  // Without it nobody would run it.
  expect(await said('shop.load')).toContain(
    'there is no run of shop for 2026-11-01T00:00:00Z, and one that is made would count shops as done, which the plan does not have',
  );
});

test('a task that decides what is run behind it decides nothing in a run that is made, which is said', async () => {
  const choosing = dag
    .replace('from airflow.sensors', 'from airflow.operators.python import ShortCircuitOperator\nfrom airflow.sensors')
    .replace(/wait = .*/, 'wait = ShortCircuitOperator(task_id="wait", python_callable=lambda: False)');
  writeFileSync(join(root, 'dags/shop.py'), choosing);
  expect(await said('shop')).toContain(
    'wait count as done in them, and are not waited for: what wait would leave out is run as well',
  );
});

test('what comes first there: runs at work, places, pools; and what the schedule would wait for', async () => {
  for (const day of [1, 2]) scheduler.addRun('shop', runOn(day));
  expect(await said('shop.load')).toContain(
    'shop has places for 2 runs in prod: with as many of this plan side by side its scheduled runs wait; --concurrency bounds them',
  );
  scheduler.activeRuns = async () => [runOn(7, 'running'), runOn(8, 'queued')];
  scheduler.pool = async (name) => ({ name, slots: 3, open: name === 'narrow' ? 0 : 1 });
  const text = await said('shop.load');
  expect(text).toContain('shop has 2 runs queued or running in prod and places for 2: those come first');
  expect(text).toContain('the pool narrow in prod has no place of its 3 free: what takes them comes first');
});

test('a sensor that has failed in runs of the plan is named: nothing behind it would be started', async () => {
  scheduler.addRun('shop', runOn(1, 'failed'), 'failed');
  scheduler.addRun('shop', runOn(2));
  expect(await said('shop.load')).toContain(
    'wait has failed in 1 run of shop in prod: nothing behind it is started there before it is marked as a success',
  );
  // What is not behind it does not wait for it.
  writeFileSync(join(root, 'dags/shop.py'), dag.replace('wait >> load >> shops', 'load >> [shops, wait]'));
  expect(await said('shop.load')).not.toContain('wait has failed');
});
