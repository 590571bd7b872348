import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fakeAirflow } from '../support/fake-airflow.ts';
import type { FakeApi } from '../support/fake-api.ts';
import { type FakeScheduler, fakeScheduler } from '../support/fake-scheduler.ts';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually, momentMs, until } from './support/patience.ts';
import { picturesOfFailures } from './support/pictures.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

const dag = `from datetime import datetime
from airflow import DAG
from airflow.operators.python import PythonOperator

def load(ds=None):
    import importlib
    importlib.import_module("loader").run(ds)

with DAG(dag_id="py", schedule="@daily", start_date=datetime(2026, 11, 1), end_date=datetime(2026, 11, 20), catchup=False):
    PythonOperator(task_id="load", python_callable=load)
`;

let kit: TestKit;
let window: EditorWindow;
let airflow: FakeApi;
let scheduler: FakeScheduler;
let folder: string;
let fails = true;

beforeAll(async () => {
  const task = { id: 'load', operator: 'PythonOperator', pool: 'default_pool', poolSlots: 1 };
  const known = { id: 'py', paused: false, active: true, importErrors: false, schedule: '@daily', maxActiveRuns: 16 };
  scheduler = fakeScheduler([{ ...known, tasks: [task] }], async () => {
    if (fails) throw new Error('no source');
  });
  airflow = await fakeAirflow(scheduler, 'admin', 'secret');
  kit = await startKit('current');
  window = await kit.window({ width: 1280, height: 1000 });
  folder = await kit.emptyFolder();
  await mkdir(`${folder}/dags`);
  await writeFile(`${folder}/dags/py.py`, dag);
  await writeFile(
    `${folder}/backfill.yaml`,
    'version: 1\nairflow: { version: 2 }\nconnections:\n  sandbox: { engine: pglite, directory: .backfill/sandbox }\n',
  );
});
afterAll(async () => {
  await kit?.stop();
  await airflow?.close();
});
picturesOfFailures(() => window);

const lens =
  'py.load: plan this interval again with what is downstream, carried out by the Airflow prod; one press on its page goes on';

test('an Airflow is connected: its password is asked for, kept, and in no file; it is compared with the files', async () => {
  await window.open(folder, `${folder}/dags/py.py`);
  await window
    .statusBar(/2026-11-19|2026-11-20/)
    .first()
    .waitFor();
  expect(await window.lenses()).toEqual([]);
  await until(
    () => window.question('Connect Airflow (1 of 3)').isVisible(),
    () => window.command('Backfill: Connect Airflow…'),
  );
  await window.answer('Connect Airflow (1 of 3)', 'prod');
  await window.answer('Connect Airflow (2 of 3)', airflow.url);
  await window.answer('Connect Airflow (3 of 3)', 'admin');
  await window.answer('Password of admin for the Airflow prod', 'wrong');
  await window.told('gives no token to admin (401)');
  await until(
    () => window.question('Password of admin for the Airflow prod').isVisible(),
    () => window.command('Backfill: Check Airflow'),
  );
  await window.answer('Password of admin for the Airflow prod', 'secret');
  await window.told(/prod: Airflow 3\.0\.0 at .*1 of 1 DAG as deployed/);
  const settings = await readFile(`${folder}/backfill.yaml`, 'utf8');
  expect(settings).toContain(`url: ${airflow.url}`);
  expect(settings).not.toMatch(/secret|password/);
});

test('the lens of a Python task names the Airflow; its page runs it there and shows the badge and what it says', async () => {
  const { assistant } = window;
  await window.command('View: Focus Active Editor Group');
  await window.selectInterval('2026-11-12');
  await eventually(() => window.lenses()).toContain('Rerun this interval (Airflow, 2026-11-12)');
  expect(await window.lenses()).toContain('Open Log');
  await window.picture('airflow-lens');
  await window.useLens(lens, window.tab('Backfill: py.load'));
  await eventually(() => assistant.text()).toContain('1 slice of 1 task will be run by the Airflow prod');
  const note = assistant.frame.locator('dd', { hasText: 'prod has no run of py for 1 date of the plan' });
  await eventually(() => note.count()).toBe(1);
  expect(await assistant.frame.locator('.badge', { hasText: 'Airflow' }).count()).toBeGreaterThan(0);
  await window.picture('airflow-plan');
  expect(await assistant.faults()).toEqual([]);
  await assistant.press('Run 1 slice', /1 slice failed/);
  await assistant.selectCell('py.load, 2026-11-12: failed', /ValueError: no rows/);
  await window.picture('airflow-failed');
  expect(await assistant.faults()).toEqual([]);
});

test('the log opens as a document, and a run that goes on ends well', async () => {
  const { assistant, page } = window;
  await assistant.press('Open log', window.tab('py.load 2026-11-12.log'));
  await eventually(() => window.lines()).toContain('ValueError: no rows');
  expect((await window.lines()).join('\n')).toContain(`${airflow.url}/dags/py/runs/`);
  await until(
    () => window.tab('Backfill: py.load').isVisible(),
    () => page.locator('.tab', { hasText: 'Backfill: py.load' }).click({ timeout: momentMs }),
  );
  fails = false;
  await assistant.press('Resume', /1 done, not compared/);
  // An embedded database is not watched, which is no news of the run.
  await eventually(() => assistant.text()).toMatch(/Done at \d\d:\d\d/);
  await window.picture('airflow-done');
  expect(await assistant.faults()).toEqual([]);
  expect(scheduler.executions).toHaveLength(2);
});
