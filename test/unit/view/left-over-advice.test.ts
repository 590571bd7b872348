import { expect, test } from 'vitest';
import type { LeftOverRows, SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import type { UnitState } from '../../../src/core/ledger/ledger-store.ts';
import { leftOverInWords } from '../../../src/core/view/words/left-over-advice.ts';

const left = (parts: Partial<LeftOverRows>): LeftOverRows => ({
  ...{ rows: 9, stale: 0, samples: [{ id: '4' }], declared: 'delete', deleted: true },
  ...parts,
});
const said = (state: UnitState, parts: Partial<LeftOverRows>, isPreview = false) =>
  leftOverInWords(
    [{ unit: 'd.f@2026-11-05', state, slices: [{ table: 'mart.t', leftOver: left(parts) } as SliceDiff] }],
    isPreview,
  ).map(({ text }) => text);

test.each<[string, UnitState, Partial<LeftOverRows>, string]>([
  ['taken away', 'changed', {}, 'left over in 1 slice of mart.t, and taken away: 9 rows, e.g. id=4'],
  [
    'some of them of this run',
    'changed',
    { addedAgain: 8 },
    'left over in 1 slice of mart.t, and taken away: 1 row, e.g. id=4; not kept: 8 rows that the run added to equal ones',
  ],
  [
    'all of them of this run',
    'unchanged',
    { addedAgain: 9 },
    'not kept in 1 slice of mart.t: 9 rows that the run added to equal ones, e.g. id=4',
  ],
  ['held', 'held', {}, 'would be left over in 1 slice of mart.t, and taken away: 9 rows, e.g. id=4'],
  [
    'held, and kept',
    'held',
    { deleted: false, declared: 'keep' },
    'would be left over in 1 slice of mart.t: 9 rows that one clean run would not have, e.g. id=4',
  ],
])('rows that are left over are told as they are in the end: %s', (_, state, parts, text) => {
  expect(said(state, parts)).toEqual([text]);
});

test('a preview tells what would be', () => {
  expect(said('changed', { addedAgain: 9 }, true)).toEqual([
    'would not be kept in 1 slice of mart.t: 9 rows that the run would add to equal ones, e.g. id=4',
  ]);
});
