import { expect, test } from 'vitest';
import type { DeclaredTask } from '../../../src/core/lineage/facts/declared-facts.ts';
import type { Unknown } from '../../../src/core/lineage/facts/facts.ts';
import { openUnknowns } from '../../../src/core/lineage/facts/open-unknowns.ts';

const unknown = (about: Unknown['about'], table?: string): Unknown => ({
  task: 'a.b',
  about,
  table,
  message: 'It is not known.',
  at: undefined,
});
const all = [unknown('tables'), unknown('table-name'), unknown('window', 'mart.t'), unknown('slice', 'mart.t')];
const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const write = { table: 'MART.t', column: undefined, key: [], volatile: [] };

test.each<[string, Partial<DeclaredTask> | undefined, readonly Unknown['about'][]]>([
  ['nothing', undefined, ['tables', 'table-name', 'window', 'slice']],
  ['an entry without tables', {}, ['tables', 'table-name', 'window', 'slice']],
  ['the read', { reads: [{ table: 'MART.t', column: undefined, window: 'all' }] }, ['tables', 'table-name', 'slice']],
  [
    'another read',
    { reads: [{ table: 'x.t', column: undefined, window: 'all' }] },
    ['tables', 'table-name', 'window', 'slice'],
  ],
  ['the write without a column', { writes: [write] }, ['tables', 'table-name', 'window', 'slice']],
  ['the column', { writes: [{ ...write, column: 'day' }] }, ['tables', 'table-name', 'window']],
  ['the whole table', { writes: [{ ...write, slice: 'all' }] }, ['tables', 'table-name', 'window']],
  ['that there is nothing else', { complete: true }, ['window', 'slice']],
])('declaring %s settles what it is about', (_, declared, left) => {
  const task = declared && { reads: [], writes: [], ...declared };
  expect(openUnknowns(all, task, same).map(({ about }) => about)).toEqual(left);
});
