import { expect, test } from 'vitest';
import type { SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import { loadTimesInWords } from '../../../src/core/view/page/outcome/load-times.ts';

const figures = (rows: number) => ({
  rows,
  rowChecksum: 'x',
  keyChecksum: undefined,
  algorithm: 'a',
  duplicateKeys: undefined,
});
const changed = (before: string, after: string) => ({
  kind: 'changed' as const,
  key: { id: '1' },
  before: { loaded_at: before, net: '1.00' },
  after: { loaded_at: after, net: '1.00' },
});
const slice = (patch: Partial<SliceDiff> = {}): SliceDiff => ({
  table: 'mart.clean',
  column: 'day',
  from: undefined,
  to: undefined,
  before: figures(10),
  after: figures(10),
  added: 0,
  removed: 0,
  changed: 10,
  columns: [
    { column: 'loaded_at', rows: 10 },
    { column: 'net', rows: 2 },
  ],
  samples: [changed('2026-11-02 00:10:00+00', '2026-12-01 11:21:42.5+00')],
  method: 'key',
  key: ['id'],
  leftOut: [],
  causes: [],
  ...patch,
});
const said = (patch: Partial<SliceDiff> = {}) => loadTimesInWords('shop.clean', [slice(patch)]);

test('a moment that is another one in every row comes with the lines that leave it out', () => {
  const [advice, ...more] = said();
  expect(more).toEqual([]);
  expect(advice).toMatch(/^loaded_at differs in every row of mart\.clean; if it says when rows were loaded, /);
  expect(advice).toMatch(/volatile: \[loaded_at\]/);
});

test.each<[string, Partial<SliceDiff>]>([
  ['some rows are as they were', { changed: 9, columns: [{ column: 'loaded_at', rows: 9 }] }],
  ['rows came or went', { before: figures(9) }],
  ['there are too few rows to tell', { before: figures(2), after: figures(2), changed: 2 }],
  ['rows were not told apart', { method: 'multiset' }],
  ['it is a day, or no time', { samples: [changed('2026-11-02', '2026-12-01')] }],
  ['no row was kept', { samples: [] }],
])('nothing is advised where %s', (_, patch) => {
  expect(said(patch)).toEqual([]);
});
