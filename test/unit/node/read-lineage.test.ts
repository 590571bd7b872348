import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLineage } from '../../../src/node/files/read-lineage.ts';

const event = (run: string) =>
  `${JSON.stringify({
    eventType: 'COMPLETE',
    run: { runId: run },
    job: { name: 'shop.load' },
    outputs: [{ namespace: 'postgres://h:5432', name: 'dw.mart.sales' }],
  })}\n`;

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lineage-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a file that is appended to, files with a time in their names, and a folder of them', async () => {
  const runs = async (path: string) => (await readLineage(join(root, path), 'shop', 'load'))?.runs;
  expect(await runs('events.json')).toBeUndefined();
  expect(await runs('nowhere/events.json')).toBeUndefined();
  writeFileSync(join(root, 'events.json-20261129-120000.000.json'), event('a'));
  writeFileSync(join(root, 'events.json-20261129-120001.000.json'), event('b'));
  expect(await runs('events.json')).toBe(2);
  writeFileSync(join(root, 'events.json'), event('a') + event('b') + event('c'));
  expect(await runs('events.json')).toBe(3);
  mkdirSync(join(root, 'folder/deeper'), { recursive: true });
  writeFileSync(join(root, 'folder/one.json'), event('d'));
  expect(await runs('folder')).toBe(1);
});
