import { type Instant, instant } from '../zones/instant.ts';

/** A half-open range of instants; either end may be infinite. */
export interface InstantRange {
  readonly from: Instant;
  readonly to: Instant;
}

/** Ranges that are sorted, not empty, and neither overlap nor touch: one set of instants has exactly one such list. */
export type IntervalSet = readonly InstantRange[];

export const emptySet: IntervalSet = [];

/** The set of all instants in any of the ranges. Empty and inverted ranges hold none. Throws RangeError on NaN. */
export function intervalSet(ranges: Iterable<InstantRange>): IntervalSet {
  const sorted: InstantRange[] = [];
  for (const { from, to } of ranges) {
    if (Number.isNaN(from) || Number.isNaN(to)) throw new RangeError('a range needs two instants');
    if (from < to) sorted.push({ from, to });
  }
  sorted.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const merged: InstantRange[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last === undefined || range.from > last.to) merged.push(range);
    else if (range.to > last.to) merged[merged.length - 1] = { from: last.from, to: range.to };
  }
  return merged;
}

export const union = (a: IntervalSet, b: IntervalSet): IntervalSet => intervalSet([...a, ...b]);

export function intersection(a: IntervalSet, b: IntervalSet): IntervalSet {
  const common: InstantRange[] = [];
  let i = 0;
  let j = 0;
  for (let left = a[i], right = b[j]; left !== undefined && right !== undefined; left = a[i], right = b[j]) {
    const from = instant(Math.max(left.from, right.from));
    const to = instant(Math.min(left.to, right.to));
    if (from < to) common.push({ from, to });
    if (left.to < right.to) i += 1;
    else j += 1;
  }
  return common;
}

/** What is in `a` and not in `b`; holes stay holes. */
export function subtraction(a: IntervalSet, b: IntervalSet): IntervalSet {
  const rest: InstantRange[] = [];
  let j = 0;
  for (const range of a) {
    let { from } = range;
    while ((b[j]?.to ?? Number.POSITIVE_INFINITY) <= from) j += 1;
    for (let k = j; ; k += 1) {
      const hole = b[k];
      if (hole === undefined || hole.from >= range.to) break;
      if (hole.from > from) rest.push({ from, to: hole.from });
      from = hole.to;
    }
    if (from < range.to) rest.push({ from, to: range.to });
  }
  return rest;
}

/** Whether `at` lies in the set; the start of a range is in it, the end is not. */
export function contains(set: IntervalSet, at: Instant): boolean {
  const range = set[firstEndingAfter(set, at)];
  return range !== undefined && range.from <= at;
}

/** Whether any instant of `[from, to)` lies in the set. An empty range overlaps nothing. */
export function overlaps(set: IntervalSet, { from, to }: InstantRange): boolean {
  if (!(from < to)) return false;
  const range = set[firstEndingAfter(set, from)];
  return range !== undefined && range.from < to;
}

function firstEndingAfter(set: IntervalSet, at: Instant): number {
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((set[middle]?.to ?? Number.POSITIVE_INFINITY) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
