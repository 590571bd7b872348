import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { type ShopWorkspace, shopWorkspace } from '../support/shop-workspace.ts';

let parent = '';
let shop: ShopWorkspace;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-not-atomic-'));
  shop = await shopWorkspace('postgres', parent);
  const file = join(shop.root, 'dags/sql/daily.sql');
  writeFileSync(file, `${readFileSync(file, 'utf8').trimEnd()};\nVACUUM mart.daily;\n`);
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const words = ['run', 'shop.daily', '--logical-dates', '2026-11-10..2026-11-11', '--now', '2026-11-29T12:00Z'];
const cli = (more: readonly string[], answers: readonly string[] = []) => {
  const left = [...answers];
  const asked: string[] = [];
  const ask = async (question: string): Promise<string | undefined> => {
    asked.push(question);
    return left.shift();
  };
  return runCli([...words, ...more], shop.root, { env: shop.env, ask }).then((result) => ({ ...result, asked }));
};
const rows = async () => (await shop.onDatabase('select count(*) from mart.daily')).rows[0]?.[0];

test('a task with VACUUM is not run where nobody can be asked', async () => {
  const { code, out, err } = await cli(['--yes', '--format', 'json']);
  expect(code).toBe(1);
  expect(err).toContain(
    'shop.daily cannot be one transaction because of VACUUM mart.daily: VACUUM cannot run inside a transaction;',
  );
  expect(err).toContain('--not-atomic shop.daily');
  expect(JSON.parse(out)).toMatchObject({ outcome: 'refused', refusal: { code: 'nothing-to-run' } });
  expect(await rows()).toBe('0');
});

test('nor where the answer is no, nor under a name that is not in the plan', async () => {
  const { code, asked } = await cli(['--yes'], ['n']);
  expect([code, asked.length]).toEqual([1, 1]);
  expect(asked[0]).toMatch(
    /^shop\.daily cannot be one transaction because of VACUUM mart\.daily: .*shop\.daily@2026-11-10T00:00:00Z or another of its 2 units stops halfway.*\[y\/N\] $/,
  );
  expect(await cli(['--yes', '--not-atomic', 'shop.weekly'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('not in this plan'),
  });
  expect(await rows()).toBe('0');
});

test('a preview does not ask, and leaves it out', async () => {
  const { code, asked, err } = await cli(['--preview']);
  expect([code, asked]).toEqual([1, []]);
  expect(err).toContain('cannot be one transaction');
});

test('confirmed at the question it runs, and the history says how', async () => {
  const { code, out } = await cli([], ['y', 'y']);
  expect(code).toBe(0);
  expect(out).toContain('note: shop.daily is not atomic: VACUUM cannot run inside a transaction.');
  expect(await rows()).toBe('6');
  const run = /run (\S+):/.exec(out)?.[1] ?? '';
  const history = await runCli(['history', run], shop.root, { env: shop.env });
  expect(history.out).toContain('shop.daily is not atomic');
});

test('one that stops halfway stays unknown until its task is named', async () => {
  const file = join(shop.root, 'dags/sql/daily.sql');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('VACUUM mart.daily', 'VACUUM mart.not_there_yet'));
  const first = await cli(['--yes', '--not-atomic', 'shop.daily', '--format', 'json', '--concurrency', '1']);
  expect(first.code).toBe(1);
  const { runId, units } = JSON.parse(first.out);
  expect(units).toMatchObject([
    { state: 'unknown', error: { message: expect.stringContaining('it had done 1 of its 2 parts') } },
    { state: 'unknown' },
  ]);
  const resume = (...more: readonly string[]) => runCli(['resume', runId, ...more], shop.root, { env: shop.env });
  const again = await resume();
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('0 of 2 units to run') });
  expect(again.out).toContain('unknown shop.daily@2026-11-10T00:00:00Z  not atomic: it had done 1 of its 2 parts');
  expect(again.out).toContain(`from its beginning: backfill resume ${runId} --not-atomic shop.daily\n`);
  const [, command = ''] = /go on with: backfill (.*)$/m.exec(again.out) ?? [];
  expect(command).toBe(`resume ${runId} --not-atomic shop.daily`);
  await shop.onDatabase('create table mart.not_there_yet ()');
  const named = await runCli(command.split(' '), shop.root, { env: shop.env });
  expect(named).toMatchObject({ code: 0, out: expect.stringContaining('2 unchanged') });
});
