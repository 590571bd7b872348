import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { attentionTree } from '../../src/core/view/home/attention-tree.ts';
import { runNodes } from '../../src/core/view/home/runs-list.ts';
import { planUndo } from '../../src/vscode/panel/run/plan-undo.ts';
import { proveTask } from '../../src/vscode/panel/run/prove-task.ts';
import { askQuietly } from '../../src/vscode/panel/run/slice-knowledge.ts';
import type { AssistantSession } from '../../src/vscode/panel/session/assistant-session.ts';
import { type OpenAssistant, openAssistant, shows } from '../support/open-assistant.ts';
import { type ShopWorkspace, shopWorkspace } from '../support/shop-workspace.ts';

let parent = '';
let shop: ShopWorkspace;
let assistant: OpenAssistant;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-home-'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 29, 12) });
  shop = await shopWorkspace('postgres', parent);
  for (const [name, value] of Object.entries(shop.env)) process.env[name] = value;
  assistant = await openAssistant(shop.root);
});
afterAll(() => {
  vi.useRealTimers();
  rmSync(parent, { recursive: true, force: true });
});

const known = async () => {
  const { workspace, services } = assistant;
  const codeHashes = await workspace.codeHashes(null);
  const answer = await askQuietly(
    services,
    'sandbox',
    async () => (api, connection) => api.call('sliceStates', { connection, codeHashes, slices: [], runs: 10 }),
  );
  if ('error' in answer) throw new Error(answer.message);
  return answer;
};
const runs = async () => {
  const tasks = await assistant.workspace.tasks(null);
  return runNodes((await known()).runs, Date.now(), new Map(tasks.map((task) => [task.task, task])));
};
const attention = async () =>
  attentionTree({ ...(await known()), tasks: await assistant.workspace.tasks(null), now: Date.now() });
const press = async (session: AssistantSession, request: Parameters<AssistantSession['handle']>[0]): Promise<void> => {
  await session.handle(request);
  await shows(session, ({ run, state }) => run.busy || state.error !== undefined);
  await shows(session, ({ run }) => !run.busy);
};

test('what the side bar lists is what runs have left, and leads on from there', async () => {
  expect(await runs()).toEqual([]);
  expect(await attention()).toEqual([]);

  const first = await assistant.open('shop.daily');
  await first.handle({ type: 'set-range', from: '2026-11-12', to: '2026-11-15' });
  await press(first, { type: 'start', mode: 'run' });
  const [run] = await runs();
  expect(run).toMatchObject({ task: 'shop.daily', traits: ['run', 'undoable'], icon: { color: 'charts.green' } });
  expect(run?.description).toMatch(/^\d+ changed · just now · 2026-11-12 to 2026-11-15 with downstream$/);
  expect(await attention()).toEqual([]);

  // The code changes: its slices are stale, and two of them that do not follow each other are one plan.
  const file = join(shop.root, 'dags/sql/daily.sql');
  writeFileSync(file, readFileSync(file, 'utf8').replace('sum(amount)', 'sum(amount + 0)'));
  await assistant.workspace.changed({ paths: ['dags/sql/daily.sql'] });
  const [stale] = await attention();
  expect(stale).toMatchObject({ label: 'Stale' });
  const daily = stale?.children.find(({ task }) => task === 'shop.daily');
  expect(daily?.children.map(({ label, description }) => `${label}: ${description}`)).toEqual([
    '2026-11-12: the code of the task changed since',
    '2026-11-13: the code of the task changed since',
    '2026-11-14: the code of the task changed since',
  ]);
  const units = [daily?.units[0] ?? '', daily?.units[2] ?? ''];
  const picked = await assistant.workspace.pickedRange({ units });
  expect(picked).toMatchObject({ task: 'shop.daily', from: '2026-11-12', to: '2026-11-15', gone: [] });
  const { from = '', to = '', only } = picked ?? {};
  await first.handle({ type: 'set-range', from, to, only });
  const mine = first.state.plan?.units.filter(({ task }) => task === 'shop.daily').map(({ label }) => label);
  expect(mine).toEqual(['2026-11-12', '2026-11-14']);
  await first.handle({ type: 'copy-command' });
  expect(assistant.copied()).toContain(`--unit ${units[0]} --unit ${units[1]} --downstream`);
  await press(first, { type: 'start', mode: 'run' });
  const [left] = await attention();
  expect(left?.units).toContain('shop.daily@2026-11-13T00:00:00Z');
  expect(left?.units).not.toContain('shop.daily@2026-11-12T00:00:00Z');

  // The first run is shown on the page of its task as its ledger has it.
  const second = await assistant.open('shop.daily');
  await second.showRun({ id: run?.run ?? '', connection: 'sandbox', finished: true });
  expect(second.state.run).toMatchObject({ run: run?.run, status: 'finished' });
  expect(second.state.run?.states).toContain('changed');
  // The second run left the rows as they were: nothing of it can be taken back, and nobody is offered to.
  const latest = (await runs()).find((one) => one.run !== run?.run);
  expect(latest?.traits).not.toContain('undoable');
  const undo = await planUndo({ id: latest?.run ?? '', connection: 'sandbox' }, assistant.services);
  expect(undo).toMatchObject({ message: expect.stringContaining('changed nothing') });
});

test('a test of a task is a proof of its selected interval, and takes no plan of a page away', async () => {
  const page = await assistant.open('shop.daily');
  await page.handle({ type: 'set-range', from: '2026-11-12', to: '2026-11-15' });
  const cancel = new AbortController();
  expect(await proveTask('shop.daily', assistant.services, cancel.signal)).toEqual({
    verdict: { kind: 'passed' },
    label: '2026-11-28',
    at: undefined,
  });
  await press(page, { type: 'start', mode: 'preview' });
  expect(page.state.error).toBeUndefined();
  expect(page.state.run).toMatchObject({ mode: 'preview', status: 'finished' });

  await assistant.workspace.pick({ pipeline: 'shop', at: Date.UTC(2026, 10, 13) });
  const file = join(shop.root, 'dags/sql/daily.sql');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('sum(amount + 0)', 'sum(amount) + extract(epoch from now())::int % 1000'),
  );
  await assistant.workspace.changed({ paths: ['dags/sql/daily.sql'] });
  const failed = await proveTask('shop.daily', assistant.services, cancel.signal);
  expect(failed).toMatchObject({
    label: '2026-11-13',
    at: { file: 'dags/sql/daily.sql' },
    verdict: { kind: 'failed', message: expect.stringContaining('leaves other rows in') },
  });
  if (failed.verdict.kind === 'failed') expect(failed.verdict.rows?.expected).not.toBe(failed.verdict.rows?.actual);
});
