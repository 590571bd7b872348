import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  contains,
  type InstantRange,
  type IntervalSet,
  intersection,
  intervalSet,
  overlaps,
  subtraction,
  union,
} from '../../../src/core/time/intervals/interval-set.ts';
import { beginningOfTime, endOfTime, type Instant, instant } from '../../../src/core/time/zones/instant.ts';

const range = (from: number, to: number): InstantRange => ({ from: instant(from), to: instant(to) });

test('touching ranges become one, holes stay holes', () => {
  expect(intervalSet([range(5, 8), range(0, 3), range(3, 5), range(10, 12)])).toEqual([range(0, 8), range(10, 12)]);
  expect(subtraction([range(0, 10)], [range(2, 4), range(6, 20)])).toEqual([range(0, 2), range(4, 6)]);
});

test('empty and inverted ranges hold nothing', () => {
  expect(intervalSet([range(5, 5), range(7, 6)])).toEqual([]);
  expect(overlaps([range(0, 10)], range(5, 5))).toBe(false);
  expect(() => intervalSet([range(Number.NaN, 1)])).toThrow(RangeError);
});

test('the start of a range is in it, its end is not', () => {
  const set = [range(0, 10)];
  expect([contains(set, instant(0)), contains(set, instant(10))]).toEqual([true, false]);
  expect([overlaps(set, range(10, 11)), overlaps(set, range(9, 10))]).toEqual([false, true]);
});

describe('laws on sets with open ends', () => {
  const end = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 30 }) }, fc.constantFrom(-Infinity, Infinity));
  const ranges = fc.array(
    fc.tuple(end, end).map(([from, to]) => range(from, to)),
    { maxLength: 8 },
  );
  const sets = ranges.map(intervalSet);
  const probes: Instant[] = [beginningOfTime, ...Array.from({ length: 63 }, (_, i) => instant(i / 2 - 0.25))];

  const normal = (set: IntervalSet): boolean =>
    set.every(({ from, to }, i) => from < to && (i === 0 || (set[i - 1]?.to ?? endOfTime) < from));
  const same = (set: IntervalSet, holds: (at: Instant) => boolean): void => {
    expect(normal(set)).toBe(true);
    expect(probes.filter((at) => contains(set, at))).toEqual(probes.filter(holds));
  };

  test('a set holds what one of its ranges holds', () => {
    fc.assert(
      fc.property(ranges, (list) => same(intervalSet(list), (at) => list.some((r) => r.from <= at && at < r.to))),
    );
  });
  test('union, intersection and subtraction are those of the instants', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        same(union(a, b), (at) => contains(a, at) || contains(b, at));
        same(intersection(a, b), (at) => contains(a, at) && contains(b, at));
        same(subtraction(a, b), (at) => contains(a, at) && !contains(b, at));
      }),
    );
  });
  test('overlaps means that the intersection is not empty', () => {
    fc.assert(
      fc.property(sets, end, end, (a, from, to) => {
        expect(overlaps(a, range(from, to))).toBe(intersection(a, intervalSet([range(from, to)])).length > 0);
      }),
    );
  });
});
