import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import { createRunApi } from '../../src/vscode/host/run-service.ts';
import { isRefused, planUndo } from '../../src/vscode/panel/run/plan-undo.ts';
import type { AssistantSession } from '../../src/vscode/panel/session/assistant-session.ts';
import { type OpenAssistant, openAssistant, shows } from '../support/open-assistant.ts';
import { patienceMs } from '../support/patience.ts';
import { type ShopWorkspace, shopWorkspace } from '../support/shop-workspace.ts';

const daily = 'dags/sql/daily.sql';
const dag = 'dags/shop.py';

let parent = '';
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-assistant-'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 29, 12) });
});
afterAll(() => {
  vi.useRealTimers();
  rmSync(parent, { recursive: true, force: true });
});

// What a page asks for, on the functions of the real threads. The engines have suites of their own.
describe('the assistant', () => {
  let shop: ShopWorkspace;
  let assistant: OpenAssistant;

  beforeEach(async () => {
    shop = await shopWorkspace('postgres', parent);
    for (const [name, value] of Object.entries(shop.env)) process.env[name] = value;
    assistant = await openAssistant(shop.root);
  });

  const edit = async (from: string, to: string, path = daily): Promise<void> => {
    const file = join(shop.root, path);
    const before = readFileSync(file, 'utf8');
    expect(before).toContain(from);
    writeFileSync(file, before.replace(from, to));
    await assistant.workspace.changed({ paths: [path] });
  };
  /** Does what a button does, to its end. */
  const press = async (
    session: AssistantSession,
    request: Parameters<AssistantSession['handle']>[0],
  ): Promise<void> => {
    await session.handle(request);
    await shows(session, ({ run, state }) => run.running || state.error !== undefined);
    await shows(session, ({ run }) => !run.running);
  };
  const plan = async (session: AssistantSession, from: string, to: string): Promise<void> => {
    await session.handle({ type: 'set-range', from, to });
  };
  const said = (session: AssistantSession): string | undefined =>
    session.state.error?.message ?? session.state.run?.summary;
  const findings = async (): Promise<readonly string[]> =>
    (await assistant.workspace.view({ path: daily, now: Date.now() })).findings.map(({ rule, message }) =>
      [rule, ...message.split('\n').slice(1)].join(': '),
    );
  const rows = async (): Promise<unknown> => [
    (await shop.onDatabase('select day::text, shop, amount from mart.daily order by 1, 2')).rows,
    (await shop.onDatabase('select day::text, amount from mart.rolling3 order by 1')).rows,
  ];

  test('a task is proven; findings are confirmed or cleared for as long as the code is what was run', async () => {
    const session = await assistant.open('shop.daily');
    await session.handle({ type: 'set-range', from: '2026-11-12', to: '2026-11-14' });
    await press(session, { type: 'prove' });
    expect(said(session)).toBe('No difference found in 2 slices. Nothing was kept.');
    expect(session.state.plan).toMatchObject({ purpose: { kind: 'proof' }, rows: [{ task: 'shop.daily' }] });
    expect(session.state.run).toMatchObject({
      mode: 'prove',
      status: 'finished',
      counts: { unchanged: 2 },
      notes: [expect.stringMatching(/^Varied: .*sequential scans/)],
    });
    await expect(session.handle({ type: 'export' })).rejects.toThrow('A report is of a plan');
    await session.handle({ type: 'copy-command' });
    expect(assistant.copied()).toBe('backfill prove shop.daily --from 2026-11-12 --to 2026-11-14 --connection sandbox');

    await edit('sum(amount)', 'sum(amount) + extract(epoch from now())::int % 1000');
    expect(await findings()).toEqual(['wall-clock']);
    await press(session, { type: 'prove' });
    expect(said(session)).toBe('A second run leaves other rows in 2 slices. Nothing was kept.');
    await session.handle({ type: 'select-unit', index: 0 });
    expect(session.state.selected).toMatchObject({
      state: 'changed',
      message: expect.stringMatching(/^a second run leaves other rows, under now, a plan/),
      slices: [{ table: 'mart.daily', changed: 3, columns: [{ column: 'amount', rows: 3 }] }],
    });
    const confirmed = 'wall-clock: Confirmed for 2026-11-12, 2026-11-13: a second run left other rows.';
    expect(await findings()).toEqual([confirmed]);
    expect(await assistant.workspace.check({ now: Date.now() })).toMatchObject({
      findings: [{ severity: 'warning', message: expect.stringContaining('Confirmed for 2026-11-12') }],
    });

    await edit('+ extract(epoch from now())::int % 1000', '+ 0 * extract(epoch from now())::int');
    expect(await findings()).toEqual(['wall-clock']);
    await press(session, { type: 'prove' });
    expect(await findings()).toEqual([
      'wall-clock: Cleared for 2026-11-12, 2026-11-13: a second run left the same rows.',
    ]);
    // The code that was proven otherwise is back, and so is what is known of it.
    await edit('+ 0 * extract(epoch from now())::int', '+ extract(epoch from now())::int % 1000');
    expect(await findings()).toEqual(['wall-clock']);
    expect(await rows()).toEqual([[], []]);
  });

  test('what no rule had said is marked at the statement, wherever that has moved to', async () => {
    await shop.onDatabase(
      'create view mart.seen as select *, clock_timestamp() as at from mart.daily',
      "insert into mart.daily values ('2026-11-12', 's1', 1)",
    );
    await edit('sum(amount)', 'sum(amount) + max(extract(microseconds from at))', dag);
    await edit('FROM mart.daily', 'FROM mart.seen', dag);
    const session = await assistant.open('shop.rolling3');
    await session.handle({ type: 'set-range', from: '2026-11-12', to: '2026-11-13' });
    await press(session, { type: 'prove' });
    expect(said(session)).toBe('A second run leaves other rows in 1 slice. Nothing was kept.');
    expect(session.state.run?.notes).toContainEqual(
      expect.stringMatching(/^Not covered: clock_timestamp inside a view/),
    );
    const marked = async (): Promise<readonly string[]> => {
      const { problems } = await assistant.workspace.view({ path: dag, now: Date.now() });
      const text = readFileSync(join(shop.root, dag), 'utf8');
      return problems.flatMap(({ at, message }) =>
        message.startsWith('Run ') ? [`${text.slice(at.start, at.start + 6)}: ${message}`] : [],
      );
    };
    const mark = 'INSERT: Run twice for 2026-11-12, this left other rows in mart.rolling3, with nothing else changed.';
    expect(await marked()).toEqual([expect.stringContaining(mark)]);
    await edit('from datetime', '# Said above.\n\nfrom datetime', dag);
    expect(await marked()).toEqual([expect.stringContaining(mark)]);
    await edit('+ max(', '+ min(', dag);
    expect(await marked()).toEqual([]);
  });

  test('a run is undone from its page, one unit or all of it, and not where a slice moved on', async () => {
    const session = await assistant.open('shop.daily');
    await plan(session, '2026-11-10', '2026-11-12');
    await press(session, { type: 'start', mode: 'run' });
    expect(said(session)).toBe('Done: 6 changed, 0 unchanged.');
    const filled = await rows();
    const first = session.run.kept?.id ?? '';

    const index = session.state.plan?.units.findIndex(({ id }) => id.startsWith('shop.rolling3@2026-11-13')) ?? -1;
    await session.handle({ type: 'undo', index });
    expect(session.state).toMatchObject({
      plan: {
        title: `1 unit of 1 task, put back to their rows of before run ${first}`,
        purpose: { kind: 'undo', run: first },
        units: [{ task: 'shop.rolling3', label: '2026-11-13' }],
      },
    });
    await session.handle({ type: 'copy-command' });
    expect(assistant.copied()).toBe(
      `backfill undo ${first} --unit shop.rolling3@2026-11-13T00:00:00Z --connection sandbox`,
    );
    await press(session, { type: 'start', mode: 'preview' });
    expect(said(session)).toBe('1 would change, 0 would stay as they are. Nothing was written.');
    expect(await rows()).toEqual(filled);
    await press(session, { type: 'start', mode: 'run' });
    expect(said(session)).toBe('Done: 1 changed, 0 unchanged.');
    expect(await rows()).not.toEqual(filled);

    // All of the first run: one of its slices is put back already, and the rest is planned.
    const rest = await planUndo({ id: first, connection: 'sandbox' }, assistant.services);
    expect(isRefused(rest)).toBe(false);
    expect(JSON.stringify(rest)).not.toContain('shop.rolling3@2026-11-13');

    // The undo is a run, so it can be undone; then the first one can.
    await session.handle({ type: 'undo' });
    expect(session.state.error).toBeUndefined();
    await press(session, { type: 'start', mode: 'run' });
    expect(await rows()).toEqual(filled);
  });

  test('a preview says what it will cost and goes to the clone that the connection names, a run to its own', async () => {
    const clone = await shopWorkspace('postgres', parent);
    await clone.onDatabase("insert into mart.daily values ('2026-11-12', 's0', 1)");
    const file = join(shop.root, 'backfill.yaml');
    const written = readFileSync(file, 'utf8');
    const { database } = shop.connection as PostgresConnection;
    const real = written.slice(written.indexOf('  sandbox:'));
    const other = real.replace(database ?? '', (clone.connection as PostgresConnection).database ?? '');
    const configure = async (name: string): Promise<void> => {
      const placed = written.replace('sslmode: disable }', `sslmode: disable, preview: ${name} }`);
      const others = `${other.replace('sandbox', 'clone')}${real.replace('sandbox', 'twin')}defaultConnection: sandbox\n`;
      writeFileSync(file, `${placed}${others}`);
      await assistant.workspace.changed({ paths: ['backfill.yaml'] });
    };
    await configure('clone');
    const session = await assistant.open('shop.daily');
    await session.handle({ type: 'include-task', task: 'shop.rolling3', included: false });
    await plan(session, '2026-11-12', '2026-11-13');
    const notes: string[] = [];
    session.onEvent(() => notes.push(...(session.state.run?.notes ?? [])));
    await press(session, { type: 'start', mode: 'preview' });
    expect(said(session)).toBe('1 would change, 0 would stay as they are. Nothing was written.');
    expect(notes).toContainEqual(expect.stringMatching(/^writes: nothing; a run about mart\.daily: /));
    expect(session.state.run?.notes).toEqual(['Previewed on clone, not on sandbox.']);
    // Only the clone has had a row in that slice.
    await session.handle({ type: 'select-unit', index: 0 });
    expect(session.state.selected?.slices).toMatchObject([{ before: { rows: 1 }, after: { rows: 3 } }]);
    await press(session, { type: 'start', mode: 'run' });
    expect(said(session)).toBe('Done: 1 changed, 0 unchanged.');
    expect(notes).toContainEqual(expect.stringMatching(/^locks: mart\.daily while each unit runs: /));
    expect((await shop.onDatabase('select count(*) from mart.daily')).rows).toEqual([['3']]);
    expect((await clone.onDatabase('select count(*) from mart.daily')).rows).toEqual([['1']]);

    await configure('twin');
    await plan(session, '2026-11-12', '2026-11-13');
    await press(session, { type: 'start', mode: 'preview' });
    expect(said(session)).toMatch(/^twin is the same database as sandbox/);
  });

  test('held units are looked at and approved, one by one or all', async () => {
    const session = await assistant.open('shop.daily');
    await plan(session, '2026-11-10', '2026-11-13');
    await press(session, { type: 'start', mode: 'run' });
    await shop.onDatabase("delete from raw.orders where ordered_at between '2026-11-10' and '2026-11-12 23:59'");
    await plan(session, '2026-11-10', '2026-11-13');
    await press(session, { type: 'start', mode: 'run' });
    expect(session.state.run).toMatchObject({ counts: { held: 3 }, status: 'finished' });
    expect(said(session)).toContain('3 held: their old rows are still there.');
    await press(session, { type: 'approve-held', index: 0 });
    expect(session.state.run?.states.slice(0, 1)).toEqual(['changed']);
    expect(session.state.run?.counts.held).toBeGreaterThanOrEqual(2);
    await press(session, { type: 'approve-all' });
    const left = session.state.run?.counts.held ?? 0;
    if (left > 0) await press(session, { type: 'approve-all' });
    expect(session.state.run?.counts.held).toBeUndefined();
    expect(
      (await shop.onDatabase("select 1 from mart.daily where day between '2026-11-10' and '2026-11-12'")).rows,
    ).toEqual([]);
  });

  test('a proof that waits for somebody else is cancelled, and what is pressed twice runs once', async () => {
    const session = await assistant.open('shop.daily');
    await session.handle({ type: 'set-range', from: '2026-11-12', to: '2026-11-14' });
    const { host, port, user, password, database } = shop.connection as PostgresConnection;
    const other = new pg.Client({ host, port, user, password, database });
    await other.connect();
    try {
      await other.query('begin; lock table mart.daily in access exclusive mode');
      await session.handle({ type: 'prove' });
      await shows(session, ({ state }) => state.run?.states[0] === 'running');
      await expect(session.handle({ type: 'start', mode: 'run' })).rejects.toThrow(/^A run is going on/);
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await other.query(waiting)).rowCount, { timeout: patienceMs }).toBe(1);
      await session.handle({ type: 'cancel' });
      expect(session.state.run?.summary).toBe('Cancelling: waiting for the server to confirm.');
      await shows(session, ({ run }) => !run.running);
    } finally {
      await other.end();
    }
    expect(session.state.run).toMatchObject({ status: 'cancelled', states: ['cancelled', 'waiting'] });
    expect(session.state.run?.summary).toBe('Cancelled: 2 not run. Nothing was kept.');
  });

  test('slices whose code or input changed since are listed as stale', async () => {
    const session = await assistant.open('shop.daily');
    await plan(session, '2026-11-10', '2026-11-12');
    await press(session, { type: 'start', mode: 'run' });
    const stale = async () => {
      const codeHashes = await assistant.workspace.codeHashes(null);
      return createRunApi(() => {}).stale({ connection: shop.connection, codeHashes });
    };
    expect(await stale()).toMatchObject({ kind: 'listed', known: 6, stale: [] });
    await edit('sum(amount)', 'sum(amount) + 1');
    expect(await stale()).toMatchObject({
      stale: [
        {
          task: 'shop.daily',
          table: 'mart.daily',
          lower: Date.UTC(2026, 10, 10),
          reasons: ['the code of the task changed since'],
        },
        { task: 'shop.daily', lower: Date.UTC(2026, 10, 11) },
        { task: 'shop.rolling3', reasons: [expect.stringContaining('mart.daily is stale itself')] },
        {},
        {},
        {},
      ],
    });
    expect(await assistant.workspace.rangeAt({ task: 'shop.daily', at: Date.UTC(2026, 10, 10) })).toEqual({
      from: '2026-11-10',
      to: '2026-11-11',
    });
  });
});
