import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sideBySide } from '../../../src/core/run/carried/ranges/side-by-side.ts';
import type { DeployedTask } from '../../../src/core/scheduler/port/scheduler.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { fakeAirflow } from '../../support/fake-airflow.ts';
import type { FakeApi } from '../../support/fake-api.ts';
import { type FakeScheduler, fakeScheduler } from '../../support/fake-scheduler.ts';
import { runCli } from '../../support/run-cli.ts';

const head = `from datetime import datetime
from airflow import DAG
from airflow.operators.empty import EmptyOperator
from airflow.operators.python import PythonOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.sensors.external_task import ExternalTaskSensor

def work(ds=None):
    __import__("importlib").import_module("loader").run(ds)

`;
const daily = (id: string): string =>
  `with DAG("${id}", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False):\n`;
const python = (id: string): string => `    ${id} = PythonOperator(task_id="${id}", python_callable=work)\n`;
const chain = `${head}${daily('shop')}${python('load')}${python('sums')}    end = EmptyOperator(task_id="end")\n    load >> sums >> end\n`;
const declared = `tasks:
  shop.load: { reads: [{ table: raw.orders, column: day, from: start, to: end }], writes: [{ table: mart.load, column: day }] }
  shop.sums: { reads: [{ table: mart.load, column: day, from: start, to: end }], writes: [{ table: mart.sums, column: day }] }
`;
const task = (id: string, more: Partial<DeployedTask> = {}): DeployedTask => ({
  id,
  operator: 'PythonOperator',
  pool: 'default_pool',
  poolSlots: 1,
  ...more,
});

let root = '';
let scheduler: FakeScheduler;
let api: FakeApi;
const deploy = async (tasks: readonly DeployedTask[], id = 'shop', maxActiveRuns = 16): Promise<void> => {
  const known = { id, paused: false, active: true, importErrors: false, schedule: '@daily', maxActiveRuns, tasks };
  scheduler.dags.set(id, known);
};
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'backfill-range-'));
  mkdirSync(join(root, 'dags'));
  scheduler = fakeScheduler([], async () => {});
  api = await fakeAirflow(scheduler, 'anna', 'secret');
  await deploy([task('load'), task('sums'), task('end')]);
});
afterEach(async () => {
  await api.close();
  rmSync(root, { recursive: true, force: true });
});

/** What a plan of three days says of the runs that it needs. */
async function said(
  file: string,
  {
    settings = declared,
    run = '',
    words = ['shop'],
  }: { readonly settings?: string | undefined; readonly run?: string; readonly words?: readonly string[] } = {},
): Promise<string> {
  writeFileSync(join(root, 'dags/shop.py'), file);
  writeFileSync(
    join(root, 'backfill.yaml'),
    `version: 1\nairflow: { version: 2 }\n${run}schedulers:\n  prod: { url: "${api.url}", user: anna, password: "\${env:SECRET}" }\n${settings}`,
  );
  const range = ['--from', '2026-11-01', '--to', '2026-11-04', '--now', '2026-11-09T12:00Z'];
  const { out, err } = await runCli(['plan', ...words, ...range], root, { env: { SECRET: 'secret' } });
  return `${out}${err}`.split('\n').find((line) => line.includes('prod has no run of shop')) ?? `${out}${err}`;
}
const none = 'prod has no run of shop for 3 dates of the plan: made';

test('runs of which none is there and all tasks are planned are made as one backfill, as many at a time as units may be', async () => {
  const tail = 'Airflow starts each task when those before it in its run have ended well';
  expect(await said(chain)).toContain(`${none} as one backfill, 3 runs at a time; ${tail}`);
  expect(await said(chain, { run: 'run: { concurrency: 2 }\n' })).toContain('2 runs at a time');
  await deploy([task('load'), task('sums'), task('end')], 'shop', 1);
  expect(await said(chain)).toContain('1 run at a time');
});

test('a date whose run is there leaves all as it was', async () => {
  const [start, end] = [instant(Date.UTC(2026, 10, 2)), instant(Date.UTC(2026, 10, 3))];
  scheduler.addRun('shop', {
    id: 'x',
    state: 'success',
    logicalDate: start,
    interval: { start, end },
    note: undefined,
  });
  const text = await said(chain);
  expect(text).toContain('prod has no run of shop for 2 dates of the plan: made before their first task');
  expect(text).not.toContain('backfill,');
});

test('what Airflow would do otherwise than the plan is a reason to make them one by one', async () => {
  const before = `${none} before their first task; not as one backfill, because`;
  await deploy([task('load'), task('sums', { triggerRule: 'all_done' }), task('end')]);
  expect(await said(chain)).toContain(`${before} sums starts by all_done, also where a task before it failed`);
  await deploy([task('load', { dependsOnPast: true }), task('sums'), task('end')]);
  expect(await said(chain)).toContain(`${before} load waits for the run before its own`);
  await deploy([task('load'), task('sums'), task('end')]);
  scheduler.backfillDates = async (_, { first }) => [first];
  expect(await said(chain)).toContain(
    `${before} a backfill of these dates would not make the one of 2026-11-02T00:00:00Z`,
  );
});

test('so is what the plan waits for and the DAG does not', async () => {
  const apart = chain.replace('load >> sums >> end', 'load >> end');
  expect(await said(apart)).toContain('because shop.sums waits for shop.load, and no arrow of the DAG says so');
  const yesterday = declared.replace(
    'mart.load, column: day, from: start',
    'mart.load, column: day, from: start - 1 day',
  );
  expect(await said(chain, { settings: yesterday })).toContain('because shop.sums waits for other dates of shop.load');
  const twice = declared.replaceAll('mart.load, column: day, from: start', 'raw.orders, column: day, from: start');
  expect(await said(chain, { settings: twice.replace('mart.sums', 'mart.load') })).toContain(
    'because several of its units write the same rows',
  );
});

test('and what is not given away, or would wait', async () => {
  const sensor = `${head}${daily('shop')}    end = ExternalTaskSensor(task_id="end", external_dag_id="other")\n${python('load')}${python('sums')}    end >> load >> sums\n`;
  expect(await said(sensor)).toContain('because end would wait or branch anew');
  const sql = `${head}${daily('shop')}${python('load')}    sums = SQLExecuteQueryOperator(task_id="sums", conn_id="w", sql=["DELETE FROM mart.sums WHERE day = '{{ ds }}'", "INSERT INTO mart.sums SELECT day, count(*) FROM mart.load WHERE day = '{{ ds }}' GROUP BY day"])\n    end = EmptyOperator(task_id="end")\n    load >> sums >> end\n`;
  const [load] = declared.split('  shop.sums');
  expect(await said(sql, { settings: load })).toContain('because sums runs from here');
  expect(await said(sql, { settings: load, words: ['shop', '--on', 'airflow'] })).toContain('made as one backfill');
  expect(
    await said(chain.replace('load >> sums >> end', '[load, sums] >> end'), { run: 'run: { concurrency: 1 }\n' }),
  ).toMatch(/because (2 of its tasks would run side by side, and 1 unit may|shop.sums waits for shop.load)/);
});

test('how many things may be at once is known whatever the order between them', () => {
  const before = new Set(['ab', 'ac', 'bd', 'cd', 'ad', 'ae', 'be', 'ce', 'de']);
  const isBefore = (one: string, other: string) => before.has(`${one}${other}`);
  expect(sideBySide([...'abcde'], isBefore)).toBe(2);
  expect(sideBySide([...'abcde'], () => false)).toBe(5);
  expect(sideBySide([...'abcde'], (one, other) => one < other)).toBe(1);
  expect(sideBySide([], isBefore)).toBe(0);
});
