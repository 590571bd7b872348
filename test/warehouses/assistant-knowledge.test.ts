import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import type { AssistantSession } from '../../src/vscode/panel/session/assistant-session.ts';
import { type OpenAssistant, openAssistant, shows } from '../support/open-assistant.ts';
import { type ShopWorkspace, shopWorkspace } from '../support/shop-workspace.ts';

let parent = '';
let shop: ShopWorkspace;
let assistant: OpenAssistant;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-knowledge-'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 25, 12) });
});
afterAll(() => {
  vi.useRealTimers();
  rmSync(parent, { recursive: true, force: true });
});
beforeEach(async () => {
  shop = await shopWorkspace('postgres', parent);
  for (const [name, value] of Object.entries(shop.env)) process.env[name] = value;
  assistant = await openAssistant(shop.root);
});

const press = async (session: AssistantSession, request: Parameters<AssistantSession['handle']>[0]): Promise<void> => {
  await session.handle(request);
  await shows(session, ({ run, state }) => run.busy || state.error !== undefined);
  await shows(session, ({ run }) => !run.busy);
};
/** Rows of days of November in the task's table, made by nobody that is known. */
const foreignRows = (days: readonly number[]): string =>
  `insert into mart.daily select make_date(2026, 11, day), 's' || shop, 7 from unnest(array[${days}]) day, generate_series(1, 3) shop`;
const versions = async (): Promise<unknown> =>
  (await shop.onDatabase('select day::text, shop, xmin::text, amount::text from mart.daily order by 1, 2')).rows;
const preset = async (session: AssistantSession, label: RegExp) => {
  await shows(session, ({ view }) => view.choose.presets.some((one) => label.test(one.label)));
  const { label: said, ...range } = session.view.choose.presets.find((one) => label.test(one.label)) ?? { label: '' };
  return { said, range };
};
const plannedDays = ({ state }: AssistantSession, task = 'shop.daily'): readonly string[] =>
  (state.plan?.units ?? [])
    .filter((unit) => unit.task === task)
    .map(({ id }) => id.slice(id.indexOf('@') + 1, id.indexOf('T')));

test('what is missing is planned, day by day, and nothing between is written', async () => {
  await shop.onDatabase(foreignRows([12, 13, 15, 16, 17, 20, 21, 22, 23, 24]));
  const session = await assistant.open('shop.daily');
  const { said, range } = await preset(session, /^Fill what is missing/);
  expect(said).toBe('Fill what is missing · 3');
  await session.handle({ type: 'set-range', ...(range as { from: string; to: string }) });
  expect(plannedDays(session)).toEqual(['2026-11-14', '2026-11-18', '2026-11-19']);
  const before = (await versions()) as readonly (readonly string[])[];
  await press(session, { type: 'start', mode: 'run' });
  expect(session.state.run).toMatchObject({ status: 'finished' });
  const after = (await versions()) as readonly (readonly string[])[];
  expect(after.filter(([day = '']) => !/-(14|18|19)$/.test(day))).toEqual(before);
  expect(new Set(after.map(([day]) => day)).size).toBe(13);
});

test('what is shown, planned, run and undone connects to the host of the connection, and to nobody else', async () => {
  const { host, port } = shop.connection as PostgresConnection;
  const connected = vi.spyOn(Socket.prototype, 'connect');
  try {
    const session = await assistant.open('shop.daily');
    await session.handle({ type: 'set-range', from: '2026-11-12', to: '2026-11-13' });
    await press(session, { type: 'start', mode: 'preview' });
    await press(session, { type: 'start', mode: 'run' });
    await session.handle({ type: 'export' });
    await session.handle({ type: 'undo' });
    await press(session, { type: 'start', mode: 'run' });
    expect(session.state.run).toMatchObject({ status: 'finished', counts: { changed: 4 } });
    const hosts = connected.mock.calls.map((call) => call.slice(0, 2).reverse().join(':'));
    expect(hosts.length).toBeGreaterThan(3);
    expect([...new Set(hosts)]).toEqual([`${host}:${port}`]);
  } finally {
    connected.mockRestore();
  }
});

test('all that is stale is planned, and nothing between', async () => {
  const session = await assistant.open('shop.daily');
  await session.handle({ type: 'set-range', from: '2026-11-10', to: '2026-11-20' });
  await press(session, { type: 'start', mode: 'run' });
  const file = join(shop.root, 'dags/sql/daily.sql');
  writeFileSync(file, readFileSync(file, 'utf8').replace('sum(amount)', 'sum(amount) + 1'));
  await assistant.workspace.changed({ paths: ['dags/sql/daily.sql'] });
  // The days between are made by today's code.
  await session.handle({ type: 'set-range', from: '2026-11-12', to: '2026-11-15' });
  await press(session, { type: 'start', mode: 'run' });
  const again = await assistant.open('shop.daily');
  const { said, range } = await preset(again, /^All stale/);
  expect(said).toBe('All stale · 7');
  await again.handle({ type: 'set-range', ...(range as { from: string; to: string }) });
  expect(plannedDays(again).map((day) => Number(day.slice(-2)))).toEqual([10, 11, 15, 16, 17, 18, 19]);
});

test('what every table of the plan holds is told before any run, also of tasks that nobody has looked at', async () => {
  await shop.onDatabase(
    foreignRows([10, 11, 12]),
    "insert into mart.rolling3 select date '2026-11-10' + n, 5 from generate_series(0, 4) n",
  );
  const session = await assistant.open('shop.daily');
  await session.handle({ type: 'set-range', from: '2026-11-10', to: '2026-11-13' });
  const now = () => session.view.totals.map(({ table, now: rows }) => [table, rows]);
  await shows(session, () => now().every(([, rows]) => rows !== undefined));
  expect(now()).toEqual([
    ['mart.daily', 9],
    ['mart.rolling3', 5],
  ]);
  // Another range is another plan: its slices are counted too.
  await session.handle({ type: 'set-range', from: '2026-11-10', to: '2026-11-11' });
  await shows(session, () => now().every(([, rows]) => rows !== undefined));
  expect(now()).toEqual([
    ['mart.daily', 3],
    ['mart.rolling3', 3],
  ]);
});

test('of a run that may still go on in another window it is said so, and not that it was cut off', async () => {
  const session = await assistant.open('shop.daily');
  await session.handle({ type: 'set-range', from: '2026-11-12', to: '2026-11-14' });
  const { host, port, user, password, database } = shop.connection as PostgresConnection;
  const other = new pg.Client({ host, port, user, password, database });
  await other.connect();
  let resumed: AssistantSession | undefined;
  try {
    await other.query('begin; lock table mart.daily in access exclusive mode');
    await session.handle({ type: 'start', mode: 'run' });
    await shows(session, ({ state }) => state.run?.states[0] === 'running');
    const second = await assistant.open('shop.daily', assistant.kept());
    await second.revived;
    expect(second.state.run).toMatchObject({
      status: 'interrupted',
      said: expect.stringMatching(/^tester gave a sign of life a moment ago, so the run may still go on there\./),
    });
    expect(second.view.status.sentence.lead).toBe('Not ended');
    // Somebody resumes it all the same: the two of them make each slice once.
    await second.handle({ type: 'resume' });
    await shows(second, ({ run }) => run.busy);
    resumed = second;
  } finally {
    await other.query('rollback');
    await other.end();
  }
  await shows(session, ({ run }) => !run.busy);
  if (resumed !== undefined) await shows(resumed, ({ run }) => !run.busy);
  const both = [session, resumed].map((one) => one?.state.run);
  for (const run of both) expect(run).toMatchObject({ status: 'finished', counts: { changed: 6 } });
  expect((await shop.onDatabase('select count(*) from backfill_ledger.versions')).rows).toEqual([['6']]);
  expect(session.state.run?.changes).toHaveLength(6);
});
