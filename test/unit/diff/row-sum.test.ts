import { expect, test } from 'vitest';
import { movedSum, sameSum } from '../../../src/core/diff/row-sum.ts';

const sum = (rows: number, ...halves: readonly bigint[]) => ({
  rows,
  rowChecksum: halves.map((half) => BigInt.asUintN(96, half).toString(16).padStart(24, '0')).join(''),
});

test('rows that went and came are taken from the sum and added to it', () => {
  const before = sum(10, 5n, -7n);
  const moved = movedSum(before, sum(2, 9n, -3n), sum(3, -1n, 2n ** 70n));
  expect(moved).toEqual(sum(11, -5n, 2n ** 70n - 4n));
  expect(sameSum(moved, sum(11, -5n, 2n ** 70n - 4n))).toBe(true);
  expect(sameSum(moved, sum(10, -5n, 2n ** 70n - 4n))).toBe(false);
});

test('sums go round at the end of their range as those of the server do', () => {
  const high = 2n ** 95n - 1n;
  expect(movedSum(sum(1, high, -high), sum(0, 0n, 0n), sum(1, 1n, -2n))).toEqual(sum(2, -(2n ** 95n), -high - 2n));
});
