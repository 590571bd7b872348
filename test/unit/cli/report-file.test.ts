import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFile } from '../../../src/cli/terminal/report-file.ts';
import type { Shell } from '../../../src/cli/terminal/shell.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'report-'));
  chmodSync(root, 0o755);
  mkdirSync(join(root, 'folder.md'));
  mkdirSync(join(root, 'locked'), { mode: 0o555 });
  writeFileSync(join(root, 'old.md'), '');
});
afterAll(() => rmSync(root, { recursive: true }));

const asked = (name: string) => reportFile(name, { cwd: root } as Shell);

test('where no report can be written is told before anything runs', () => {
  expect(() => asked('folder.md')).toThrow('the report cannot be written to folder.md');
  expect(() => asked('old.md/x.md')).toThrow('there is no folder old.md for the report');
  expect(asked('old.md')).toBeDefined();
  expect(asked('new.md')).toBeDefined();
  expect(existsSync(join(root, 'new.md'))).toBe(false);
});

// Windows keeps no such rights on folders, and root may write everywhere.
test.skipIf(process.platform === 'win32')('nor in a folder that may only be read', () => {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    expect(() => asked('locked/new.md')).toThrow('the report cannot be written to locked/new.md');
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});
