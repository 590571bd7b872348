import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDecimals, subtractDecimals } from '../../../src/core/diff/decimal.ts';
import { netChanges } from '../../../src/core/diff/net-change.ts';
import type { SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import { lawRuns } from '../../support/laws.ts';

const figures = (rows: number) => ({
  rows,
  keyChecksum: undefined,
  rowChecksum: `sum of ${rows}`,
  algorithm: 'x',
  duplicateKeys: undefined,
});
const day = (number: number): string => `2026-11-${String(number).padStart(2, '0')}T00:00:00Z`;
const diff = (
  from: number | undefined,
  to: number | undefined,
  before: number,
  after: number,
  more: Partial<SliceDiff> = {},
): SliceDiff => ({
  table: 't',
  column: from === undefined ? undefined : 'day',
  from: from === undefined ? undefined : day(from),
  to: to === undefined ? undefined : day(to),
  before: figures(before),
  after: figures(after),
  added: Math.max(0, after - before),
  removed: Math.max(0, before - after),
  changed: 0,
  columns: [],
  sums: [{ column: 'n', before: `${before}.5`, after: `${after}.25` }],
  samples: [],
  method: 'key',
  key: [],
  leftOut: [],
  causes: [],
  ...more,
});
const changed = (...slices: readonly SliceDiff[]) => ({ state: 'changed', slices });

describe('decimals', () => {
  test('are added to the last digit', () => {
    expect(addDecimals('0.1', '0.2')).toBe('0.3');
    expect(addDecimals('99999999999999999999.99', '0.01')).toBe('100000000000000000000');
    expect(addDecimals('-1.50', '1.5')).toBe('0');
    expect(addDecimals('1e3', '2.5E-1')).toBe('1000.25');
    expect(subtractDecimals('1', '-0.001')).toBe('1.001');
    expect(subtractDecimals('-0.5', '0.25')).toBe('-0.75');
    expect(addDecimals('NaN', '1')).toBeUndefined();
    expect(subtractDecimals('1', 'Infinity')).toBeUndefined();
  });

  test('add up as whole numbers of the smallest digit do', () => {
    const written = fc.tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 9 }));
    const text = ([digits, scale]: readonly [bigint, number]): string => `${digits}e-${scale}`;
    fc.assert(
      fc.property(written, written, (a, b) => {
        const nines = ([digits, scale]: readonly [bigint, number]) => digits * 10n ** BigInt(9 - scale);
        expect(addDecimals(text(a), text(b))).toBe(addDecimals(`${nines(a) + nines(b)}e-9`));
      }),
      { numRuns: lawRuns(200) },
    );
  });
});

describe('the net change of a table', () => {
  test('adds up the slices that were changed, and counts those that were not', () => {
    const [net] = netChanges([
      changed(diff(1, 2, 3, 5)),
      changed(diff(2, 3, 4, 1, { changed: 2 })),
      { state: 'unchanged', slices: [diff(3, 4, 9, 9)] },
      changed(diff(4, 5, 7, 7, { after: figures(7) })),
    ]);
    expect(net).toEqual({
      table: 't',
      changedSlices: 2,
      unchangedSlices: 2,
      netRows: -1,
      rowsBefore: 7,
      rowsAfter: 6,
      added: 2,
      removed: 3,
      changed: 2,
      columns: [{ column: 'n', before: '8', after: '6.5', net: '-1.5' }],
    });
  });

  test('takes nothing from what was held, failed, skipped or done elsewhere', () => {
    const states = ['held', 'failed', 'skipped', 'done', 'blocked', 'cancelled', 'waiting', 'unknown'];
    expect(netChanges(states.map((state) => ({ state, slices: [diff(1, 2, 3, 9)] })))).toEqual([]);
  });

  test('of a table that is made again takes the first and the last', () => {
    const [net] = netChanges([
      changed(diff(undefined, undefined, 10, 12, { added: 4, removed: 2 })),
      changed(diff(undefined, undefined, 12, 11)),
    ]);
    expect(net).toMatchObject({ rowsBefore: 10, rowsAfter: 11, netRows: 1, added: 4, removed: 3 });
    expect(net?.columns).toEqual([{ column: 'n', before: '10.5', after: '11.25', net: '0.75' }]);
  });

  test('of a table that something else emptied between its units takes the first and the last as well', () => {
    const [net] = netChanges([
      changed(diff(undefined, undefined, 0, 10)),
      changed(diff(undefined, undefined, 0, 10)),
      changed(diff(undefined, undefined, 0, 12)),
    ]);
    expect(net).toMatchObject({ rowsBefore: 0, rowsAfter: 12, netRows: 12, added: 32 });
    expect(net?.columns).toEqual([{ column: 'n', before: '0.5', after: '12.25', net: '11.75' }]);
  });

  test('of month to date takes what the last slice holds, without what the earlier ones did to it', () => {
    const [net] = netChanges([changed(diff(1, 2, 1, 2)), changed(diff(1, 3, 4, 6)), changed(diff(1, 4, 9, 9 + 3))]);
    // Before: 9 rows, of which 1 and 2 had come by the first two.
    expect(net).toMatchObject({ rowsBefore: 6, rowsAfter: 12, netRows: 6 });
  });

  test('says the difference alone where overlapping slices do not tell what all of them held', () => {
    const [net] = netChanges([changed(diff(1, 3, 4, 5)), changed(diff(2, 4, 6, 8))]);
    expect(net).toMatchObject({ rowsBefore: undefined, rowsAfter: undefined, netRows: 3 });
    const columns = [changed(diff(1, 2, 4, 5)), changed(diff(1, 2, 5, 8, { column: 'other' }))];
    expect(netChanges(columns)[0]).toMatchObject({ rowsBefore: undefined, netRows: 4 });
  });

  test('knows no counts where rows were not compared, and no sums where a slice has none', () => {
    const [net] = netChanges([
      changed(diff(1, 2, 3, 5)),
      changed(diff(2, 3, 0, 1, { added: undefined, sums: undefined })),
    ]);
    expect(net).toMatchObject({ added: undefined, removed: 0, rowsBefore: 3, rowsAfter: 6, columns: [] });
    const [odd] = netChanges([changed(diff(1, 2, 3, 5, { sums: [{ column: 'x', before: '1', after: 'NaN' }] }))]);
    expect(odd?.columns).toEqual([{ column: 'x', before: '1', after: undefined, net: undefined }]);
  });

  test('of slices in any order is what the rows themselves come to', () => {
    // A table of rows by day; each unit replaces the rows of some days.
    const unit = fc.tuple(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.nat(5), { minLength: 14, maxLength: 14 }),
        fc.array(unit, { maxLength: 6 }),
        (rows, units) => {
          const table = [...rows];
          const count = (from: number, to: number) => table.slice(from, to).reduce((sum, one) => sum + one, 0);
          const slices = units.map(([from, length, made]) => {
            const before = count(from, from + length);
            for (let index = 0; index < length; index++) table[from + index] = made[index] ?? 0;
            return diff(from, from + length, before, count(from, from + length), { added: 1 });
          });
          const [net] = netChanges(slices.map((slice) => changed(slice)));
          if (net === undefined) return;
          const total = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0);
          expect(net.netRows).toBe(total(table) - total(rows));
          if (net.rowsBefore === undefined || net.rowsAfter === undefined) return;
          expect(net.rowsAfter - net.rowsBefore).toBe(net.netRows);
          const touched = new Set(
            units.flatMap(([from, length]) => Array.from({ length }, (_, index) => from + index)),
          );
          expect(net.rowsBefore).toBe(total([...touched].map((index) => rows[index] ?? 0)));
          expect(net.rowsAfter).toBe(total([...touched].map((index) => table[index] ?? 0)));
        },
      ),
      { numRuns: lawRuns(300) },
    );
  });
});
