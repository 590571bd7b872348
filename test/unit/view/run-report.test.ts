import { expect, test } from 'vitest';
import type { SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import { runReport } from '../../../src/core/view/run-report.ts';

const slice: SliceDiff = {
  table: 'mart.sums',
  column: 'day',
  from: undefined,
  to: undefined,
  before: { rows: 2, keyChecksum: 'aa', rowChecksum: 'bb', algorithm: 'x', duplicateKeys: 0 },
  after: { rows: 3, keyChecksum: 'cc', rowChecksum: 'dd', algorithm: 'x', duplicateKeys: 0 },
  added: 1,
  removed: 0,
  changed: 1,
  columns: [{ column: 'n', rows: 1 }],
  samples: [
    { kind: 'changed', key: { id: '1' }, before: { id: '1', n: 'a|b' }, after: { id: '1', n: null } },
    { kind: 'added', key: { id: '9' }, before: undefined, after: { id: '9', n: 'x\ny' } },
  ],
  method: 'key',
  key: ['id'],
  leftOut: [],
  causes: [],
};

test('tells what changed, with samples, and leaves out what did not', () => {
  const record = { attempts: 1, message: undefined, durationMs: 5 };
  const text = runReport({
    title: 'shop.sums',
    target: 'shop@db',
    run: 'r1',
    results: [
      { ...record, unit: 'a@1', state: 'changed', slices: [slice] },
      { ...record, unit: 'a@2', state: 'unchanged', slices: [{ ...slice, samples: [] }] },
      { ...record, unit: 'a@3', state: 'failed', message: 'no table', slices: [] },
    ],
  });
  expect(text).toContain('1 changed, 1 unchanged, 1 failed.');
  expect(text).toContain('| a@1 | changed | mart.sums | 2 | 3 | 1 | 0 | 1 | bb | dd |');
  expect(text).toContain('| a@3 | failed | no table |');
  expect(text).not.toContain('a@2');
  // Bars and line ends of values do not break the table.
  expect(text).toContain('| changed | id=1 | n=a\\|b | n=NULL |');
  expect(text).toContain('| added | id=9 |  | n=x y |');
});
