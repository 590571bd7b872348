import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import pc from 'picocolors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unifiedDiff } from '../../../src/cli/reporters/text/unified-diff.ts';
import { applyEdits } from '../../../src/core/text/apply-edits.ts';
import { runCli } from '../../support/run-cli.ts';

const fixture = fileURLToPath(new URL('../../fixtures/cli/shop', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backfill-make-safe-'));
  cpSync(fixture, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (file: string) => readFileSync(join(folder, file), 'utf8');

test('--write changes what the diff said, once, and leaves mark and line ends of a file', async () => {
  const file = 'dags/sql/daily.sql';
  writeFileSync(join(folder, file), `\ufeff${read(file).replaceAll('\n', '\r\n')}`);
  const { out: diff } = await runCli(['make-safe', 'dags'], folder);
  const written = await runCli(['make-safe', 'dags', '--write'], folder);
  expect(written).toMatchObject({ code: 0, out: expect.stringContaining(`${file} changed`) });
  expect(read(file).startsWith('\ufeffBEGIN ISOLATION LEVEL READ COMMITTED;\r\n')).toBe(true);
  expect(read(file)).not.toMatch(/[^\r]\n/);
  for (const added of diff.split('\n').filter((line) => /^\+[^+]/.test(line)))
    expect(read(file) + read('dags/shop.py')).toContain(added.slice(1));
  const texts = [read(file), read('dags/shop.py')];
  const again = await runCli(['make-safe', 'dags', '--write'], folder);
  expect(again).toMatchObject({ code: 0, out: '', err: 'shop.daily is safe already\nshop.rolling3 is safe already\n' });
  expect([read(file), read('dags/shop.py')]).toEqual(texts);
});

test('one task of a file, and a task that is elsewhere', async () => {
  const before = read('dags/sql/daily.sql');
  expect(await runCli(['make-safe', 'dags', '--task', 'rolling3', '--write'], folder)).toMatchObject({ code: 0 });
  expect(read('dags/sql/daily.sql')).toBe(before);
  expect(read('dags/shop.py')).toContain('begin_slice');
  expect(await runCli(['make-safe', 'dags/sql/daily.sql', '--task', 'rolling3'], folder)).toMatchObject({
    code: 2,
    err: expect.stringContaining('shop.rolling3 is not in dags/sql/daily.sql'),
  });
});

test('what is refused is said with its reason, and the rest is done', async () => {
  writeFileSync(
    join(folder, 'dags/sql/daily.sql'),
    'TRUNCATE mart.daily; INSERT INTO mart.daily SELECT * FROM raw.orders;',
  );
  const { code, out, err } = await runCli(['make-safe', 'dags'], folder);
  expect(code).toBe(1);
  expect(out).toContain('+++ b/dags/shop.py');
  expect(err).toContain('refused shop.daily: no interval owns rows of mart.daily: it rewrites the whole table');
});

test('a file that cannot be read and a table that only a run knows are not called nothing to do', async () => {
  writeFileSync(join(folder, 'dags/old.py'), Buffer.from('# Gr\xf6\xdfe', 'latin1'));
  const old = await runCli(['make-safe', 'dags/old.py'], folder);
  expect(old.err).toContain('dags/old.py warning not read: it is not UTF-8 text');
  writeFileSync(join(folder, 'dags/sql/daily.sql'), `INSERT INTO {{ var.value.mart }}.daily SELECT * FROM raw.orders;`);
  const { code, err } = await runCli(['make-safe', 'dags'], folder);
  expect(code).toBe(1);
  expect(err).toContain('refused shop.daily: each run makes the name of its table, <var.value.mart>.daily');
});

/** The text that a diff of one file makes of another, as `patch` would. */
function patched(text: string, diff: string): string {
  const old = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const made: string[] = [];
  let at = 0;
  let sign = '';
  for (const line of diff.split('\n').slice(2, -1)) {
    const hunk = /^@@ -(\d+),/.exec(line);
    if (hunk !== null) {
      while (at < Number(hunk[1]) - 1) made.push(old[at++] ?? '');
    } else if (line.startsWith('\\')) {
      // What is taken away has its end taken away with it.
      if (sign !== '-') made.push((made.pop() ?? '').replace(/\n$/, ''));
    } else {
      sign = line.charAt(0);
      if (line.startsWith('+')) made.push(`${line.slice(1)}\n`);
      else {
        expect(`${line.slice(1)}\n`.startsWith(old[at] ?? '?')).toBe(true);
        if (line.startsWith(' ')) made.push(`${line.slice(1)}\n`);
        at++;
      }
    }
  }
  return made.join('') + old.slice(at).join('');
}

test('a diff makes of the old text the new one', () => {
  const line = fc.constantFrom('a', 'b', '', 'a longer line', '  c');
  const text = fc
    .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
    .map(([lines, ended]) => lines.join('\n') + (ended ? '\n' : ''));
  const cuts = fc.array(fc.tuple(fc.nat(200), fc.nat(12), fc.constantFrom('', 'x', 'x\ny\n', '\nz')), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(text, cuts, (old, wanted) => {
      let free = 0;
      const edits = wanted
        .map(([start, length, newText]) => ({ start: Math.min(start, old.length), length, newText }))
        .sort((a, b) => a.start - b.start)
        .flatMap(({ start, length, newText }) => {
          const end = Math.min(old.length, start + length);
          if (start < free) return [];
          free = end + 1;
          return [{ file: 'f', start, end, newText }];
        });
      expect(patched(old, unifiedDiff('f', old, edits, pc.createColors(false)))).toBe(applyEdits(old, edits));
    }),
  );
});
