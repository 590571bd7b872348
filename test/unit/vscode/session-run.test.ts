import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SliceState } from '../../../src/core/ledger/slice-states.ts';
import type { RunEvent } from '../../../src/core/run/unit/run-event.ts';
import type { RunResult, RunUnit } from '../../../src/core/run/unit/run-result.ts';
import type { Remote } from '../../../src/vscode/host/rpc.ts';
import type { RunApi } from '../../../src/vscode/host/run-api.ts';
import type { SessionServices } from '../../../src/vscode/panel/facts/session-services.ts';
import { type AssistantSession, openSession } from '../../../src/vscode/panel/session/assistant-session.ts';
import { type OpenAssistant, openAssistant, shows } from '../../support/open-assistant.ts';

const fixture = fileURLToPath(new URL('../../fixtures/cli/shop', import.meta.url));

let root = '';
let assistant: OpenAssistant;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'session-'));
  cpSync(fixture, root, { recursive: true });
  assistant = await openAssistant(root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A call of the run thread, answered by the test. */
interface Asked {
  readonly method: string;
  readonly argument: unknown;
  tell(event: RunEvent): void;
  answer(value: unknown): void;
  reject(error: Error): void;
}

/** A session with a plan of a task and the one that reads it, and a run thread that the test plays. */
async function planned(
  services: Partial<SessionServices> = {},
  ledger: { states: readonly SliceState[] } = { states: [] },
) {
  const asked: Asked[] = [];
  let heard = (): void => {};
  const startRunThread: SessionServices['startRunThread'] = (onEvent) => ({
    call: ((method: string, argument: unknown) =>
      new Promise((answer, reject) => {
        // What the ledger knows of slices is another question than the run.
        if (method === 'sliceStates')
          return answer({ kind: 'known', ...ledger, runs: [], rows: [], columns: [], sums: [], untold: [] });
        asked.push({ method, argument, tell: onEvent, answer, reject });
        heard();
      })) as Remote<RunApi>['call'],
    async stop() {},
  });
  const session = await openSession('shop.daily', { ...assistant.services, startRunThread, ...services });
  await session.handle({ type: 'set-range', from: '2026-11-10', to: '2026-11-11' });
  const next = async (method: string): Promise<Asked> => {
    if (asked.length === 0) await new Promise<void>((resolve) => (heard = resolve));
    const [first] = asked.splice(0);
    expect(first?.method).toBe(method);
    return first as Asked;
  };
  return { session, next };
}

const ended = (session: AssistantSession, outcome: RunResult['outcome'], states: readonly RunUnit['state'][]) => ({
  kind: 'ended',
  result: {
    run: session.state.run?.run ?? '',
    preview: false,
    outcome,
    refusal:
      outcome === 'refused' ? { code: 'overlapping-run', message: 'another run is at it', owners: [] } : undefined,
    problem: undefined,
    units: states.map((state, index) => ({
      unit: session.state.plan?.units[index]?.id ?? '',
      task: session.state.plan?.units[index]?.task ?? '',
      state,
      attempts: 1,
      message: undefined,
      durationMs: 1,
      slices: [],
      notes: [],
      error: undefined,
      ran: true,
      cancelConfirmed: undefined,
    })),
    notes: ['mart.daily has many dead rows'],
    durationMs: 1,
  } as unknown as RunResult,
});
const stopped = (session: AssistantSession): Promise<void> => shows(session, ({ run }) => !run.busy);
const waiting = ['waiting', 'waiting', 'waiting', 'waiting'];

test('a run after a preview begins with units that all wait, and one that cannot begin shows none as done', async () => {
  const { session, next } = await planned();
  await session.handle({ type: 'start', mode: 'preview' });
  (await next('start')).answer(ended(session, 'done', ['changed', 'unchanged', 'changed', 'changed']));
  await stopped(session);
  expect(session.state.run?.counts).toEqual({ changed: 3, unchanged: 1 });
  await session.handle({ type: 'export' });
  expect(assistant.saved.get('backfill-preview.md')).toContain('nothing was written');
  await session.handle({ type: 'start', mode: 'run' });
  const run = await next('start');
  expect(session.state.run?.states).toEqual(waiting);
  run.answer({ kind: 'world', error: 'network', message: 'no server', remedy: 'start it' });
  await stopped(session);
  // The preview is still what it was.
  expect(session.state).toMatchObject({
    run: { mode: 'preview', counts: { changed: 3 } },
    error: { message: 'no server' },
  });
  expect(session.run).toMatchObject({ kept: undefined, results: [{ state: 'changed' }, {}, {}, {}] });
});

test.each(['refused', 'world', 'lost'] as const)(
  'a resume that cannot begin (%s) leaves the run as it was, to be undone or resumed again',
  async (how) => {
    const { session, next } = await planned();
    await session.handle({ type: 'start', mode: 'run' });
    (await next('start')).answer(ended(session, 'cancelled', ['changed', 'waiting', 'waiting', 'waiting']));
    await stopped(session);
    const { run } = session.state;
    expect(run).toMatchObject({ status: 'cancelled', notes: ['mart.daily has many dead rows'] });
    await session.handle({ type: 'resume' });
    const again = await next('resume');
    if (how === 'refused') again.answer(ended(session, 'refused', []));
    else if (how === 'world') again.answer({ kind: 'world', error: 'network', message: 'no server' });
    else again.reject(new Error('the thread ended'));
    await stopped(session);
    expect(session.state).toMatchObject({ run: { run: run?.run, counts: { changed: 1, waiting: 3 } } });
    expect(session.state.run?.status).toBe('cancelled');
    expect(session.state.error?.message).toMatch(/another run is at it|no server|the thread ended/);
    expect(session.run.kept).toMatchObject({ id: run?.run, finished: false });
    await session.handle({ type: 'resume' });
    await next('resume');
    expect(session.state.run?.states).toEqual(['changed', 'waiting', 'waiting', 'waiting']);
  },
);

test('from the press of a button until the end of a run its plan stays', async () => {
  let confirm = (_: boolean): void => {};
  const confirmed = new Promise<boolean>((resolve) => (confirm = resolve));
  writeFileSync(
    join(root, 'backfill.yaml'),
    readFileSync(join(root, 'backfill.yaml'), 'utf8').replace('    directory', '    protected: true\n    directory'),
  );
  await assistant.workspace.changed({ paths: ['backfill.yaml'] });
  const { session, next } = await planned({ confirmProtected: () => confirmed });
  const { plan } = session.state;
  const changes = async (): Promise<void> => {
    for (const type of ['leave-undo', 'set-range', 'use-embedded', 'prove', 'undo'] as const)
      await expect(session.handle({ type })).rejects.toThrow(/^A run is going on/);
    expect(session.state).toMatchObject({ plan: { units: plan?.units } });
  };
  await session.handle({ type: 'start', mode: 'run' });
  expect(session.state.busy).toBe('Starting…');
  await changes();
  confirm(true);
  const run = await next('start');
  expect(session.state).toMatchObject({ busy: undefined, run: { status: 'running' } });
  await changes();
  run.answer(ended(session, 'done', ['changed', 'changed', 'changed', 'changed']));
  await stopped(session);
  await session.handle({ type: 'set-range', from: '2026-11-10', to: '2026-11-10' });
  expect(session.state.plan).toBeUndefined();
});

test.each(['preview', 'prove'] as const)('a %s asks about each task of which something would stay', async (mode) => {
  const questions: string[] = [];
  const { session, next } = await planned({
    async confirmOutside(question) {
      questions.push(question);
      return question === 'a does it once. Do it so?';
    },
  });
  const method = mode === 'prove' ? 'prove' : 'start';
  if (mode === 'prove') await session.handle({ type: 'prove' });
  else await session.handle({ type: 'start', mode });
  const first = await next(method);
  expect(first.argument).toMatchObject({ irrevocable: undefined });
  const tasks = ['a', 'b'].map((task) => ({ task, question: `${task} does it once. Do it so?` }));
  first.answer({ kind: 'asks', tasks });
  const second = await next(method);
  expect(questions).toEqual(['a does it once. Do it so?', 'b does it once. Do it so?']);
  expect(second.argument).toMatchObject({ irrevocable: ['a'] });
  second.answer(mode === 'prove' ? { kind: 'proved', proofs: [] } : ended(session, 'done', ['changed']));
  await stopped(session);
  expect(session.state.run?.status).toBe('finished');
});

test('a run that is cancelled while its password is asked for does not begin', async () => {
  const { connections } = assistant.services;
  let typed = (): void => {};
  const asking = new Promise<void>((resolve) => (typed = resolve));
  const withPassword: typeof connections.withPassword = async (client, name, work) => {
    await connections.withPassword(client, name, work);
    await asking;
    return connections.withPassword(client, name, work);
  };
  const { session, next } = await planned({ connections: { ...connections, withPassword } });
  await session.handle({ type: 'start', mode: 'run' });
  (await next('start')).answer({ kind: 'world', error: 'password', message: 'no password', remedy: undefined });
  void session.handle({ type: 'cancel' });
  typed();
  await stopped(session);
  expect(session.state).toMatchObject({
    run: undefined,
    error: { message: 'Cancelled before anything ran.' },
  });
});

test('a server that is away while a run waits for it is said, and one that stays away is lost: what is whole, and Resume', async () => {
  const { session, next } = await planned();
  const sentence = (): string => {
    const { lead, rest } = session.view.status.sentence;
    return `${lead}${rest}`.replace(/\d\d:\d\d/, 'now');
  };
  await session.handle({ type: 'start', mode: 'run' });
  const run = await next('start');
  const [first, second] = session.state.plan?.units ?? [];
  const done = ended(session, 'failed', ['changed', 'failed', 'blocked', 'blocked']);
  run.tell({ kind: 'unit-finished', unit: first?.id ?? '', result: done.result.units[0] as RunUnit });
  const reason = 'connect ECONNREFUSED 127.0.0.1:5432';
  run.tell({ kind: 'server-away', reason });
  await shows(session, ({ view }) => view.status.news.tone === 'error');
  expect(sentence()).toMatch(/^The server is away since now/);
  run.tell({ kind: 'server-back' });
  await shows(session, ({ view }) => view.status.news.tone !== 'error');
  run.tell({ kind: 'unit-retrying', unit: second?.id ?? '', attempt: 1, delayMs: 500, reason, away: true });
  await shows(session, ({ view }) => view.status.news.tone === 'error');
  expect(sentence()).toBe('The server is away since now · 1 changed · 3 wait');
  expect(session.view.status.news.text).toMatch(/^Connect ECONNREFUSED 127\.0\.0\.1:5432\. What was written is whole/);
  expect(session.view.status.action?.label).toBe('Stop');

  const [, failed] = done.result.units;
  Object.assign(failed ?? {}, { error: { kind: 'connection', message: reason, remedy: undefined, retryable: true } });
  run.answer(done);
  await stopped(session);
  expect(sentence()).toBe('Connection lost at now · 1 changed · 3 not run');
  expect(session.view.status).toMatchObject({
    action: { label: 'Resume', request: { type: 'resume' } },
    news: { tone: 'error', text: expect.stringContaining('Resume connects and runs only what is left.') },
  });
});

test('a plan whose code was edited since is out of date, and nothing of it runs', async () => {
  const { session } = await planned();
  const file = join(root, 'dags/sql/daily.sql');
  writeFileSync(file, readFileSync(file, 'utf8').replace('sum(amount)', 'sum(amount) + 1'));
  await assistant.workspace.changed({ paths: ['dags/sql/daily.sql'] });
  await session.handle({ type: 'start', mode: 'run' });
  await shows(session, ({ state }) => state.error !== undefined);
  await stopped(session);
  expect(session.state).toMatchObject({
    run: undefined,
    error: {
      message: expect.stringMatching(/^The plan is out of date: the code of shop\.daily has changed/),
      remedy: undefined,
    },
  });
  expect(session.run.kept).toBeUndefined();
});

test('days of the run that is shown are stale too, once the ledger says it of the code as it is now', async () => {
  const listeners: (() => void)[] = [];
  const { client } = assistant.services;
  const onDidChange = (listener: () => void) => {
    listeners.push(listener);
    return { dispose() {} };
  };
  const ledger = { states: [] as readonly SliceState[] };
  const services = { client: { ...client, onDidChange } as unknown as SessionServices['client'] };
  const { session, next } = await planned(services, ledger);
  const allStale = () => session.view.choose.presets.find(({ label }) => label.startsWith('All stale'));
  const unit = session.state.plan?.units.find(({ task }) => task === 'shop.daily')?.id ?? '';
  await session.handle({ type: 'start', mode: 'run' });
  (await next('start')).answer(ended(session, 'done', ['changed', 'unchanged', 'changed', 'changed']));
  await stopped(session);
  expect(session.state.outcomes.get(unit)?.state).toBe('changed');
  expect(allStale()).toBeUndefined();
  const why = 'its code was changed since';
  ledger.states = [{ unit, state: 'stale', rows: 3, at: '2026-11-30T00:00:00Z' as never, why, run: 'run-1' }];
  const sql = join(root, 'dags/sql/daily.sql');
  writeFileSync(sql, readFileSync(sql, 'utf8').replace(/WHERE/i, 'WHERE 1 = 1 AND'));
  await assistant.workspace.changed({ paths: ['dags/sql/daily.sql'] });
  for (const listener of listeners) listener();
  await expect.poll(allStale).toMatchObject({ label: 'All stale · 1', from: '2026-11-10', to: '2026-11-11' });
});

/** The workspace makes plans when the test says so. */
function slowPlans(): {
  readonly services: Partial<SessionServices>;
  hold(): void;
  go(): void;
  readonly held: () => number;
} {
  const { client } = assistant.services;
  let isHeld = false;
  let waiting: (() => void)[] = [];
  const call = (async (method: never, argument: never) => {
    if (isHeld && ['plan', 'range'].includes(method)) await new Promise<void>((go) => waiting.push(go));
    return client.call(method, argument);
  }) as SessionServices['client']['call'];
  return {
    services: { client: { ...client, call } as SessionServices['client'] },
    hold() {
      isHeld = true;
    },
    go() {
      isHeld = false;
      for (const one of waiting) one();
      waiting = [];
    },
    held: () => waiting.length,
  };
}

test('what is pressed while another range is being planned starts nothing, and the new plan is shown', async () => {
  const plans = slowPlans();
  const { session, next } = await planned(plans.services);
  const before = session.state.plan?.units.map(({ id }) => id);
  plans.hold();
  const chosen = session.handle({ type: 'set-range', from: '2026-11-10', to: '2026-11-13' });
  const pressed = session.handle({ type: 'start', mode: 'run' });
  const refused = expect(pressed).rejects.toThrow('press again');
  await expect.poll(plans.held).toBeGreaterThan(0);
  plans.go();
  await chosen;
  await refused;
  expect(session.run.busy).toBe(false);
  expect(session.state.plan?.units.length).toBeGreaterThan(before?.length ?? 0);
  await session.handle({ type: 'start', mode: 'run' });
  (await next('start')).answer({ kind: 'world', error: 'network', message: 'no server', remedy: undefined });
  await stopped(session);
});

test('a preview that is asked for while another range is being planned is one of that range', async () => {
  const plans = slowPlans();
  const { session, next } = await planned(plans.services);
  const before = session.state.plan?.units.length ?? 0;
  plans.hold();
  const chosen = session.handle({ type: 'set-range', from: '2026-11-10', to: '2026-11-13' });
  const pressed = session.handle({ type: 'start', mode: 'preview' });
  await expect.poll(plans.held).toBeGreaterThan(0);
  plans.go();
  await Promise.all([chosen, pressed]);
  const preview = await next('start');
  expect(session.state.run).toMatchObject({ mode: 'preview' });
  expect(session.state.plan?.units.length).toBeGreaterThan(before);
  preview.answer({ kind: 'world', error: 'network', message: 'no server', remedy: undefined });
  await stopped(session);
});

test('a plan that is made anew never takes the place of a run: the press waits, and runs what was seen', async () => {
  const plans = slowPlans();
  const { session, next } = await planned(plans.services);
  plans.hold();
  const again = session.handle({ type: 'include-task', task: 'shop.daily', included: true });
  const pressed = session.handle({ type: 'start', mode: 'run' });
  await expect.poll(plans.held).toBeGreaterThan(0);
  plans.go();
  await Promise.all([again, pressed]);
  const run = await next('start');
  expect(session.state.run).toMatchObject({ mode: 'run', states: waiting });
  // Something that is still on its way when a run begins is not shown any more.
  expect(session.run.busy).toBe(true);
  run.answer(ended(session, 'done', ['changed', 'unchanged', 'changed', 'changed']));
  await stopped(session);
  expect(session.state.run?.counts).toEqual({ changed: 3, unchanged: 1 });
});
