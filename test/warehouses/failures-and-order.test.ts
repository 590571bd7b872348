import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { subtractDecimals } from '../../src/core/diff/decimal.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { runCli } from '../support/run-cli.ts';
import { branchesWorkspace, type ShopWorkspace } from '../support/shop-workspace.ts';

const now = ['--now', '2026-11-12'];
const branches = [
  'branches.left',
  'branches.right',
  '--from',
  '2026-11-05',
  '--to',
  '2026-11-11',
  '--downstream',
  ...now,
];

let parent = '';
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-failures-'));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe('a run of which a unit fails', () => {
  let workspace: ShopWorkspace;
  beforeEach(async () => {
    workspace = await branchesWorkspace('postgres', parent);
  });
  const run = async (...words: readonly string[]) => {
    const { code, out, err } = await runCli(['run', ...words, '--yes', '--format', 'json'], workspace.root, workspace);
    const units: readonly { id: string; state: string; attempts: number; cause: string | null }[] =
      JSON.parse(out).units;
    return { code, err, units, states: new Map(units.map(({ id, state }) => [id, state])) };
  };
  const counted = (units: readonly { state: string }[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { state } of units) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  };

  test('goes on with all that does not wait for it, and blocks what does', async () => {
    const { code, units, states } = await run(...branches);
    expect(code).toBe(1);
    expect(counted(units)).toEqual({ changed: 22, failed: 1, blocked: 1 });
    expect(states.get('branches.right@2026-11-08T00:00:00Z')).toBe('failed');
    expect(units.find(({ state }) => state === 'blocked')).toMatchObject({
      id: 'branches.right_sum@2026-11-08T00:00:00Z',
      cause: 'waits for branches.right@2026-11-08T00:00:00Z, failed',
    });
    const { rows } = await workspace.onDatabase('select count(*) from mart.left_sum');
    expect(rows).toEqual([['6']]);
  });

  test('says what it did to each table to the last digit, after the failure, a resume, and a run that skips', async () => {
    await run(...branches);
    await workspace.onDatabase('update raw.events set amount = amount * 1.1, id = id + 1000 where id % 4 = 0');
    const sums = async () =>
      (
        await workspace.onDatabase(`
          select 'mart.left_day', count(*), sum(amount)::text, sum(ratio::text::numeric)::text from mart.left_day
          union all select 'mart.left_sum', count(*), sum(amount)::text, null from mart.left_sum
          union all select 'mart.right_day', count(*), sum(price)::text, null from mart.right_day`)
      ).rows;
    const before = await sums();
    const failed = await runCli(['run', ...branches, '--yes', '--format', 'json'], workspace.root, workspace);
    expect(failed.code).toBe(1);
    await workspace.onDatabase('update raw.events set id = 8 where id = 7');
    const resumed = await runCli(
      ['resume', JSON.parse(failed.out).runId, '--format', 'json'],
      workspace.root,
      workspace,
    );
    expect(resumed.code).toBe(0);
    const after = await sums();
    const { tables } = JSON.parse(resumed.out);
    expect(tables.length).toBeGreaterThan(2);
    for (const [index, [table, rows, first, second]] of before.entries()) {
      const net = tables.find((one: { table: string }) => one.table === table);
      const [, rowsNow, firstNow, secondNow] = after[index] ?? [];
      expect(net.netRows, table ?? '').toBe(Number(rowsNow) - Number(rows));
      const moved = [
        subtractDecimals(firstNow ?? '0', first ?? '0'),
        ...(second === null ? [] : [subtractDecimals(secondNow ?? '0', second ?? '0')]),
      ];
      expect(net.columns.map((column: { net: string }) => column.net)).toEqual(moved);
      expect(net.rowsAfter - net.rowsBefore).toBe(net.netRows);
    }
    const history = await runCli(
      ['history', JSON.parse(failed.out).runId, '--format', 'json'],
      workspace.root,
      workspace,
    );
    expect(JSON.parse(history.out).tables).toEqual(tables);
    // What was mended for the one branch is news for the other; after that nothing is.
    await run(...branches);
    const last = await runCli(['run', ...branches, '--yes', '--format', 'json'], workspace.root, workspace);
    expect(JSON.parse(last.out).units.some(({ state }: { state: string }) => state === 'skipped')).toBe(true);
    for (const { changedSlices, netRows, columns } of JSON.parse(last.out).tables)
      expect({ changedSlices, netRows, columns }).toEqual({ changedSlices: 0, netRows: 0, columns: [] });
  });

  test('starts nothing new where it is told to stop', async () => {
    const { code, units } = await run(...branches, '--on-failure', 'stop', '--concurrency', '1');
    expect(code).toBe(1);
    const counts = counted(units);
    expect(counts).toMatchObject({ failed: 1, blocked: 1 });
    expect(counts.waiting).toBeGreaterThan(0);
  });

  test('tries again as often as it is told, and only what may pass', async () => {
    const file = join(workspace.root, 'backfill.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('run: {', 'run: { lockTimeout: 200ms,'));
    const day = ['branches.left', '--from', '2026-11-05', '--to', '2026-11-06', ...now];
    const other = await openWarehouse(workspace.connection);
    try {
      const session = await other.connect('unit');
      await session.query('begin');
      await session.query('lock table mart.left_day in share row exclusive mode');
      for (const [retries, attempts] of [
        ['0', 1],
        ['2', 3],
      ] as const) {
        const { code, units } = await run(...day, '--retries', retries);
        expect(code).toBe(1);
        expect(units).toMatchObject([{ state: 'failed', attempts }]);
      }
      await session.query('rollback');
    } finally {
      await other.close();
    }
    const wrong = ['branches.right', '--from', '2026-11-08', '--to', '2026-11-09', ...now];
    expect((await run(...wrong, '--retries', '5')).units).toMatchObject([{ state: 'failed', attempts: 1 }]);
  });

  test('runs the newest intervals first where that is free, and a chain behind a mark oldest first', async () => {
    const left = await run(...['branches.left', ...branches.slice(2)], '--order', 'newest', '--concurrency', '1');
    expect(left.units[0]?.id).toBe('branches.left@2026-11-10T00:00:00Z');
    expect(left.units.at(-1)?.id).toBe('branches.left_sum@2026-11-05T00:00:00Z');
    expect(counted(left.units)).toEqual({ changed: 12 });
    const chain = ['marks.pull', ...branches.slice(2), '--allow-append'];
    const oldest = await run(...chain);
    const contents = 'select * from mart.pulled union all select 0, day, amount from mart.balance order by 1, 2';
    const expected = (await workspace.onDatabase(contents)).rows;
    await workspace.onDatabase('truncate mart.pulled, mart.balance');
    const newest = await run(...chain, '--order', 'newest');
    expect(newest.units.map(({ id }) => id)).toEqual(oldest.units.map(({ id }) => id));
    expect((await workspace.onDatabase(contents)).rows).toEqual(expected);
    const plan = await runCli(['plan', ...chain, '--order', 'newest'], workspace.root, workspace);
    for (const task of ['marks.pull', 'marks.balance'])
      expect(plan.out).toContain(`${task} stays oldest first: each of its runs builds on the one before.`);
  });
});
