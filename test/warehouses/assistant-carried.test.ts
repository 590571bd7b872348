import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { DeployedDag } from '../../src/core/scheduler/port/scheduler.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import type { AssistantSession } from '../../src/vscode/panel/session/assistant-session.ts';
import { fakeAirflow } from '../support/fake-airflow.ts';
import type { FakeApi } from '../support/fake-api.ts';
import { type FakeScheduler, fakeScheduler } from '../support/fake-scheduler.ts';
import { type OpenAssistant, openAssistant, shows } from '../support/open-assistant.ts';
import { type ShopWorkspace, shopWorkspace } from '../support/shop-workspace.ts';

/** A task of each kind behind the shop's SQL: one whose table is declared, one of which no file says what it writes. */
const python = `
from airflow.operators.python import PythonOperator

def load(ds=None):
    import importlib
    importlib.import_module("loader").run(ds)

with DAG(dag_id="py", schedule="@daily", start_date=datetime(2026, 11, 1), catchup=False):
    known = PythonOperator(task_id="known", python_callable=load)
    opaque = PythonOperator(task_id="opaque", python_callable=load)
    known >> opaque
`;

const deployed = (id: string, tasks: readonly string[]): DeployedDag => ({
  id,
  paused: false,
  active: true,
  importErrors: false,
  schedule: '@daily',
  maxActiveRuns: 16,
  tasks: tasks.map((task) => ({ id: task, operator: 'PythonOperator', pool: 'default_pool', poolSlots: 1 })),
});

let parent = '';
let shop: ShopWorkspace;
let scheduler: FakeScheduler;
let airflow: FakeApi;
let assistant: OpenAssistant;
/** What the next run of `known` does instead of its work. */
let fault: (() => void) | undefined;
/** What it waits for. */
let atWork: () => Promise<void>;

const onServer = async (statement: string): Promise<void> => {
  const { host, port, database, user, password } = shop.connection as PostgresConnection;
  const client = new pg.Client({ host, port, database, user, password, ssl: false, application_name: 'airflow' });
  await client.connect();
  try {
    await client.query(statement);
    // A session that is gone before anybody looks is not seen.
    await new Promise((resolve) => setTimeout(resolve, 600));
  } finally {
    await client.end();
  }
};

beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-carried-page-'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 29, 12) });
});
afterAll(() => {
  vi.useRealTimers();
  rmSync(parent, { recursive: true, force: true });
});
beforeEach(async () => {
  fault = undefined;
  atWork = async () => {};
  shop = await shopWorkspace('postgres', parent);
  await shop.onDatabase(
    'create table mart.known (day date, n int)',
    'create table mart.opaque (day date, n int, at timestamptz default now())',
  );
  scheduler = fakeScheduler(
    [deployed('py', ['known', 'opaque']), deployed('shop', ['daily', 'rolling3'])],
    async (task, { start }) => {
      const day = new Date(start).toISOString().slice(0, 10);
      const failing = fault;
      fault = undefined;
      if (failing !== undefined && task === 'known') failing();
      await atWork();
      await onServer(
        `delete from mart.${task} where day = '${day}'; insert into mart.${task} (day, n) select '${day}', n from generate_series(1, 5) n`,
      );
    },
  );
  airflow = await fakeAirflow(scheduler, 'admin', 'secret');
  for (const [name, value] of Object.entries({ ...shop.env, AIRFLOW_PASSWORD: 'secret' })) process.env[name] = value;
  appendFileSync(join(shop.root, 'dags/shop.py'), python);
  appendFileSync(
    join(shop.root, 'backfill.yaml'),
    `schedulers:\n  prod: { url: "${airflow.url}", user: admin, password: "\${env:AIRFLOW_PASSWORD}" }\ntasks:\n  py.known: { reads: [], writes: [{ table: mart.known, column: day }] }\n`,
  );
  assistant = await openAssistant(shop.root);
});
afterEach(() => airflow.close());

const press = async (session: AssistantSession, request: Parameters<AssistantSession['handle']>[0]): Promise<void> => {
  await session.handle(request);
  await shows(session, ({ run, state }) => run.running || state.error !== undefined);
  await shows(session, ({ run }) => !run.busy);
};
const range = (session: AssistantSession, from: string, to: string) => session.handle({ type: 'set-range', from, to });

test('a Python task has the lens of the scheduler, its badge, and one press that runs it', async () => {
  const now = Date.now();
  const { tasks } = await assistant.workspace.view({ path: 'dags/shop.py', now });
  expect(tasks.map(({ task, carriedBy, notRunnable }) => [task, carriedBy, notRunnable])).toEqual([
    ['shop.daily', undefined, undefined],
    ['shop.rolling3', undefined, undefined],
    ['py.known', 'prod', undefined],
    ['py.opaque', 'prod', undefined],
  ]);
  const session = await assistant.open('py.known');
  await session.revived;
  await range(session, '2026-11-12', '2026-11-14');
  await shows(session, ({ view }) => view.details.some(({ term }) => term === 'Airflow'));
  const { view } = session;
  expect(view.plan).toMatchObject({ scheduler: 'prod', previewable: false });
  expect(view.plan?.rows.map(({ name, engine }) => [name, engine?.name])).toEqual([
    ['known', 'Airflow'],
    ['opaque', 'Airflow'],
  ]);
  expect(view.status.sentence.lead).toBe('4 slices of 2 tasks will be run by the Airflow prod');
  expect(view.status.action).toMatchObject({ label: 'Run 4 slices', request: { type: 'start', mode: 'run' } });
  expect(view.details.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/^prod has no run of py for 2 dates of the plan: made as one backfill, \d runs? at a time;/),
  );
  await session.handle({ type: 'copy-command' });
  expect(assistant.copied()).toMatch(/^backfill run py\.known .*--scheduler prod /);

  await press(session, { type: 'start', mode: 'run' });
  expect(session.state.error).toBeUndefined();
  expect(session.state.run?.counts).toEqual({ changed: 2, done: 2 });
  expect(session.view.status.sentence).toMatchObject({
    lead: '2 of 4 slices changed',
    rest: ' · 2 done, not compared',
  });
  expect((await shop.onDatabase('select count(*) from mart.known')).rows).toEqual([['10']]);
  // Its log is a document, with the way to its page.
  await session.handle({ type: 'select-unit', index: 0 });
  expect(session.state.selected?.actions.map(({ label }) => label)).toContain('Open log');
  await session.handle({ type: 'open-task-log', index: 0 });
  const [[title, text] = ['', '']] = assistant.texts;
  expect(title).toBe('py.known 2026-11-12.log');
  expect(text).toContain('in backfill__2026-11-12T00:00:00.000Z of prod (Airflow 3.0.0): success');
  expect(scheduler.backfills).toMatchObject([{ dag: 'py' }]);
  expect(text).toContain(`${airflow.url}/dags/py/runs/`);
});

test('a paused DAG is said before anything runs, and a plan of nothing else cannot be started', async () => {
  for (const dag of scheduler.dags.values()) dag.paused = true;
  const session = await assistant.open('py.known');
  await session.revived;
  await range(session, '2026-11-12', '2026-11-13');
  await shows(session, ({ view }) => view.plan?.startable === false);
  expect(session.view.status.news).toMatchObject({
    tone: 'error',
    text: expect.stringContaining('prod: py is paused there: a run of it is accepted and stays queued'),
  });
  expect(scheduler.executions).toEqual([]);
});

test('a unit that fails says its own last lines, is resumed, or is marked as done', async () => {
  const session = await assistant.open('py.known');
  await session.revived;
  await range(session, '2026-11-12', '2026-11-13');
  const failing = (): void => {
    fault = () => {
      throw new Error('no source');
    };
  };
  failing();
  await press(session, { type: 'start', mode: 'run' });
  expect(session.state.run?.counts).toEqual({ failed: 1, blocked: 1 });
  await session.handle({ type: 'select-unit', index: 0 });
  expect(session.state.selected?.message).toContain('ValueError: no rows');
  expect(session.state.selected?.actions.map(({ label }) => label)).toContain('Mark as done…');
  failing();
  await press(session, { type: 'resume' });
  expect(session.state.run?.counts).toEqual({ failed: 1, blocked: 1 });
  await onServer("insert into mart.known values ('2026-11-12', 1)");
  await session.handle({ type: 'mark-done', index: 0 });
  expect(session.state.run?.states).toEqual(['done', 'blocked']);
  await press(session, { type: 'resume' });
  expect(session.state.run?.counts).toEqual({ done: 2 });
  expect(scheduler.executions.filter((one) => one.endsWith('known'))).toHaveLength(2);
});

test('a slice at work says what the scheduler does with it, and a stop is seen to have worked there', async () => {
  const session = await assistant.open('py.known');
  await session.revived;
  await range(session, '2026-11-12', '2026-11-13');
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  atWork = () => held;
  await session.handle({ type: 'start', mode: 'run' });
  await shows(session, ({ state }) => state.run?.states[0] === 'running');
  await session.handle({ type: 'select-unit', index: 0 });
  await shows(session, ({ state }) => state.selected?.doing?.startsWith('prod: running') === true);
  await session.handle({ type: 'cancel' });
  await shows(session, ({ state }) => scheduler.executions.length === 1 && state.run?.status === 'cancelling');
  release();
  await shows(session, ({ run }) => !run.busy);
  expect(session.state.run?.status).toBe('cancelled');
  expect(session.state.run?.counts).toEqual({ cancelled: 1, blocked: 1 });
  expect(session.state.run?.said).toContain('The server confirmed that it stopped.');
  atWork = async () => {};
  await press(session, { type: 'resume' });
  expect(session.state.run?.counts).toEqual({ changed: 1, done: 1 });
});

test('what no file says is observed, shown with its evidence, declared with one press, and compared from then on', async () => {
  for (const day of [12, 13]) {
    const [start, end] = [instant(Date.UTC(2026, 10, day)), instant(Date.UTC(2026, 10, day + 1))];
    const interval = { start, end };
    scheduler.addRun('py', { id: `scheduled ${day}`, state: 'success', logicalDate: start, interval, note: undefined });
  }
  const session = await assistant.open('py.opaque');
  await session.revived;
  await range(session, '2026-11-12', '2026-11-14');
  await session.handle({ type: 'set-concurrency', value: 1 });
  expect(session.view.status.more.map(({ label }) => label)).toEqual(['What it was seen to write']);
  await session.handle({ type: 'observe' });
  expect(session.view.status.news.text).toContain('It was not watched yet');
  await press(session, { type: 'start', mode: 'run' });
  expect(session.state.run?.counts).toEqual({ done: 2 });
  await shows(session, ({ state }) => state.observed?.clear === true);
  expect(session.view.status.news).toMatchObject({
    text: 'Observed: mart.opaque is clear: in 2 runs all 10 written rows had day inside of the interval (insert).',
    actions: [{ label: 'Declare in backfill.yaml', request: { type: 'declare-observed' } }],
  });
  await session.handle({ type: 'declare-observed' });
  expect(readFileSync(join(shop.root, 'backfill.yaml'), 'utf8')).toMatch(
    /py\.opaque:\n[\s\S]*table: mart\.opaque\n\s+column: day/,
  );
  await range(session, '2026-11-12', '2026-11-13');
  await press(session, { type: 'start', mode: 'run' });
  expect(session.state.run?.counts).toEqual({ changed: 1 });
});

test('SQL is given to the scheduler too where the page says so', async () => {
  const session = await assistant.open('shop.rolling3');
  await session.revived;
  await range(session, '2026-11-12', '2026-11-13');
  expect(session.view.plan).toMatchObject({ scheduler: undefined, previewable: true });
  await session.handle({ type: 'set-scheduler', all: true });
  expect(session.view.plan).toMatchObject({ scheduler: 'prod', previewable: false });
  expect(session.view.plan?.rows[0]?.engine?.name).toBe('Airflow');
  await session.handle({ type: 'copy-command' });
  expect(assistant.copied()).toContain('--on airflow --scheduler prod');
});

test('a login that is refused, and an Airflow that is away, are said and change nothing', async () => {
  process.env.AIRFLOW_PASSWORD = 'wrong';
  const session = await assistant.open('py.known');
  await session.revived;
  await range(session, '2026-11-12', '2026-11-13');
  await press(session, { type: 'start', mode: 'run' });
  expect(session.state.error?.message).toContain('gives no token to admin (401)');
  await airflow.close();
  await session.handle({ type: 'set-range', from: '2026-11-13', to: '2026-11-14' });
  await press(session, { type: 'start', mode: 'run' });
  expect(session.state.error?.message).toContain('cannot be reached');
  expect(scheduler.executions).toEqual([]);
});
