import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../support/golden.ts';
import { runCli } from '../support/run-cli.ts';

const shop = fileURLToPath(new URL('../fixtures/cli/shop', import.meta.url));
const now = ['--now', '2026-11-29T12:00Z'];

/** What a command writes, as somebody sees it who types it. */
async function transcript(...words: readonly string[]): Promise<string> {
  const { code, out, err } = await runCli(words, shop);
  const text = `$ backfill ${words.join(' ')}\n${out}${err === '' ? '' : `--- standard error\n${err}`}--- exit code ${code}\n`;
  return text.replaceAll(shop, '/shop');
}

const golden = (name: string, text: string): void =>
  expectGolden(new URL(`./cli/${name}.golden.txt`, import.meta.url), text);

describe('what the command line writes', () => {
  test('plan', async () => {
    const range = ['--from', '2026-11-10', '--to', '2026-11-12', ...now];
    golden(
      'plan',
      [
        await transcript('plan', 'shop.daily', ...range),
        await transcript('plan', 'shop.daily', ...range, '--downstream', '--units'),
        await transcript('plan', 'shop.daily', ...range, '--downstream', '--without', 'rolling3'),
        await transcript('plan', 'shop.daily', ...range, '--downstream', '--format', 'json'),
        await transcript('plan', 'shop.rolling3', '--logical-dates', '2026-11-28..2026-11-30', ...now),
      ].join('\n'),
    );
  });

  test('show', async () => {
    golden(
      'show',
      [
        await transcript('show'),
        await transcript('show', '--unknown'),
        await transcript('show', 'dags/shop.py', '--format', 'json'),
        await transcript('show', '--declare', 'shop.daily'),
        await transcript('show', '--declare', 'shop.dialy'),
      ].join('\n'),
    );
  });

  test('wrong calls', async () => {
    golden(
      'wrong-calls',
      [
        await transcript('plan', 'shop.dialy', '--from', '2026-11-10', '--to', '2026-11-12'),
        await transcript('plan', 'shop.daily'),
        await transcript('plan'),
        await transcript('plan', 'shop.daily', '--form', '2026-11-10'),
        await transcript('plam'),
        await transcript('plan', 'shop.daily', '--from', '2026-11-10', '--to', '2026-11-10'),
        await transcript('plan', 'shop.daily', '--from', '2026-12-10', '--to', '2026-12-11', ...now),
        await transcript('plan', 'shop.daily', '--workspace', 'nowhere'),
        await transcript(
          'run',
          'shop.daily',
          '--from',
          '2026-11-10',
          '--to',
          '2026-11-12',
          '--connection',
          'sandbx',
          ...now,
        ),
        await transcript('history', '--limit', 'ten'),
      ].join('\n'),
    );
  });

  test('make-safe', async () => {
    golden(
      'make-safe',
      [
        await transcript('make-safe', 'dags'),
        await transcript('make-safe', 'dags/sql/daily.sql', '--format', 'json'),
        await transcript('make-safe', 'dags', '--task', 'shop.dialy'),
        await transcript('make-safe'),
        await transcript('make-safe', 'dags', '--install'),
        await transcript('make-safe', '--help'),
      ].join('\n'),
    );
  });

  test('help', async () => {
    const verbs = ['show', 'plan', 'run', 'history', 'resume'];
    const pages = [['--help'], ...verbs.map((verb) => [verb, '--help'])];
    const texts: string[] = [];
    for (const page of pages) texts.push(await transcript(...page));
    golden('help', texts.join('\n'));
    expect(await runCli(['--version'], shop)).toMatchObject({ code: 0, out: '1.2.3\n' });
  });

  test('JSON and nothing else on standard output, problems on standard error', async () => {
    const { out, err } = await runCli(
      ['plan', 'shop.daily', '--from', '2026-12-10', '--to', '2026-12-11', ...now, '--format', 'json'],
      shop,
    );
    expect(JSON.parse(out)).toMatchObject({ version: 1, units: [], findings: [{ code: 'empty-selection' }] });
    expect(err).toBe('');
  });
});
