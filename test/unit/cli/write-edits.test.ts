import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeEdits } from '../../../src/cli/terminal/write-edits.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'backfill-write-edits-'));
  writeFileSync(join(root, 'a.sql'), '\ufeffone');
  writeFileSync(join(root, 'b.sql'), 'one');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const text = (file: string) => readFileSync(join(root, file), 'utf8');
const edited = (...files: readonly string[]) =>
  new Map(files.map((file) => [file, [{ file, start: 0, end: 0, newText: 'new ' }]]));

test('a file is written once, also under a second name, and keeps its mark', () => {
  symlinkSync('a.sql', join(root, 'link.sql'));
  writeEdits(root, edited('a.sql', 'link.sql', 'b.sql'), () => 'one');
  expect([text('a.sql'), text('link.sql'), text('b.sql')]).toEqual(['\ufeffnew one', '\ufeffnew one', 'new one']);
});

test.each([
  ['was changed', () => writeFileSync(join(root, 'b.sql'), 'two'), 'b.sql is not changed: it was changed meanwhile'],
  ['is gone', () => rmSync(join(root, 'b.sql')), 'b.sql is not changed: there is no such file or folder'],
])('no file is written where one of them %s since it was read', (_, meanwhile, reason) => {
  meanwhile();
  expect(() => writeEdits(root, edited('a.sql', 'b.sql'), () => 'one')).toThrow(reason);
  expect(text('a.sql')).toBe('\ufeffone');
});
