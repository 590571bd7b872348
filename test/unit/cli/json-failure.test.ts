import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pc from 'picocolors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../support/run-cli.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'json-failure-'));
  writeFileSync(
    join(root, 'add.sql'),
    "-- backfill: schedule=@daily start=2026-01-01\nINSERT INTO a SELECT * FROM b WHERE d = '{{ ds }}'\n",
  );
});
afterAll(() => rmSync(root, { recursive: true }));

const range = ['--from', '2026-11-01', '--to', '2026-11-02'];

test.each<[string, string[], number, string]>([
  [
    'a range that is none',
    ['plan', 'add.sql', '--from', '2026-02-30', '--to', '2026-03-01'],
    2,
    '2026-02-30 is not a date',
  ],
  ['a task that does not exist', ['run', 'nope', ...range, '--yes'], 2, 'there is no task nope'],
  // What stands against a plan is said once its database was asked.
  ['no connection', ['run', 'add.sql', ...range, '--yes'], 2, 'no connection'],
  ['a file that does not exist', ['check', 'nope.py'], 2, 'there is no file or folder nope.py'],
  ['an option that does not exist', ['history', '--nope'], 2, "unknown option '--nope'"],
])('%s is one JSON document, and says why', async (_, words, code, message) => {
  for (const format of [['--format', 'json'], ['--format=json']]) {
    const result = await runCli([...words, ...format], root, { colors: pc.createColors(true) });
    const { version, error } = JSON.parse(result.out);
    expect([result.code, version, error.exitCode]).toEqual([code, 1, code]);
    expect(error.messages.join('\n')).toContain(message);
    expect(error.messages.join('')).not.toContain('\u001b');
  }
});

test('a result is never followed by a second document, and text stays text', async () => {
  const planned = await runCli(['plan', 'add.sql', ...range, '--format', 'json'], root);
  expect(planned.code).toBe(1);
  expect(JSON.parse(planned.out).findings[0].code).toBe('append-in-plan');
  expect((await runCli(['run', 'nope', ...range], root)).out).toBe('');
});
