import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lockKeys, maxCells } from '../../../src/core/warehouse/dialects/postgres/ledger/lock-keys.ts';

const day = 86_400_000;
const slice = fc.record({
  target: fc.constantFrom('public.a', 'public.b', 'mart.a'),
  from: fc.option(fc.integer({ min: 0, max: 200 * 24 }), { nil: undefined }),
  hours: fc.integer({ min: 1, max: 100 * 24 }),
});
const bounds = ({ target, from, hours }: { target: string; from: number | undefined; hours: number }) => ({
  target,
  from: from === undefined ? undefined : from * 3_600_000,
  to: from === undefined ? undefined : (from + hours) * 3_600_000,
});

test('overlapping slices of one target always exclude each other', () => {
  fc.assert(
    fc.property(slice, slice, (one, other) => {
      const [a, b] = [bounds(one), bounds(other)];
      fc.pre(a.target === b.target);
      const overlap = a.from === undefined || b.from === undefined || (a.from < (b.to ?? 0) && b.from < (a.to ?? 0));
      fc.pre(overlap);
      const [first, second] = [lockKeys([a]), lockKeys([b])];
      const both = first.exclusive.some((key) => second.exclusive.includes(key));
      const oneHoldsAll =
        first.exclusive.some((key) => second.shared.includes(key)) ||
        second.exclusive.some((key) => first.shared.includes(key));
      expect(both || oneHoldsAll).toBe(true);
    }),
  );
});

test('locks are taken in one order, whole targets first, and no key is both', () => {
  fc.assert(
    fc.property(fc.array(slice, { maxLength: 5 }), (slices) => {
      const keys = lockKeys(slices.map(bounds));
      expect(keys.shared).toEqual([...keys.shared].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
      expect(keys.shared.filter((key) => keys.exclusive.includes(key))).toEqual([]);
      expect(lockKeys([...slices].reverse().map(bounds))).toEqual(keys);
    }),
  );
});

test('neighbouring days share nothing but the target', () => {
  const [one, other] = [0, 1].map((n) => lockKeys([{ target: 't', from: n * day, to: (n + 1) * day }]));
  expect(one?.exclusive.filter((key) => other?.exclusive.includes(key))).toEqual([]);
  expect(one?.shared).toEqual(other?.shared);
});

test('more than the limit of days is the whole target', () => {
  const keys = (days: number) => lockKeys([{ target: 't', from: 0, to: days * day }]);
  expect([keys(maxCells).shared.length, keys(maxCells).exclusive.length]).toEqual([1, maxCells]);
  expect([keys(maxCells + 1).shared.length, keys(maxCells + 1).exclusive.length]).toEqual([0, 1]);
});
