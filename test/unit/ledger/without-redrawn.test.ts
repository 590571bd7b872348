import { expect, test } from 'vitest';
import { withoutRedrawn } from '../../../src/core/ledger/without-redrawn.ts';

const day = 86_400_000;
const hour = 3_600_000;
const version = (id: number, run: string, unit: string, lower: number, upper: number, target = 't') => ({
  id,
  run,
  unit,
  target,
  slice: `${target}|day|${lower}|${upper}`,
  lower,
  upper,
});

test('bounds that a later run of the unit has drawn otherwise count no more', () => {
  const versions = [
    version(1, 'a', 'u@1', day, 2 * day),
    version(2, 'a', 'u@2', 2 * day, 3 * day),
    version(3, 'b', 'u@1', day - 2 * hour, 2 * day),
  ];
  expect(withoutRedrawn(versions).map(({ id }) => id)).toEqual([2, 3]);
});

test('what another unit, another table or another part of the unit has counts on', () => {
  const versions = [
    version(1, 'a', 'u@1', day, 2 * day),
    version(2, 'a', 'u@1', 5 * day, 6 * day),
    version(3, 'b', 'u@1', 5 * day, 6 * day, 'other'),
    version(4, 'b', 'u@1', 2 * day, 3 * day),
    version(5, 'b', 'u@2', day, 3 * day),
  ];
  expect(withoutRedrawn(versions).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
});
