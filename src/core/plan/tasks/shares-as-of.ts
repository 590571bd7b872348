import type { RangeSlice, ReadFact, WriteMode } from '../../lineage/facts/facts.ts';
import { windowRange } from '../../lineage/facts/window-range.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';

/** Rows of one slice that several intervals rewrite: the same bounds, however far apart. */
export const boundsOf = ({ lo, hi }: Pick<RangeSlice, 'lo' | 'hi'>, interval: DataInterval): string =>
  `${exactTime(lo, interval)} ${exactTime(hi, interval)}`;

/**
 * Whether intervals share a slice that each of them fills as of itself (a month, with what there is up to the day): they
 * rewrite the same rows, and read others for it.
 */
export function sharesAsOf(
  slice: RangeSlice,
  mode: WriteMode,
  reads: readonly ReadFact[],
  intervals: readonly DataInterval[],
): boolean {
  if (!rewriting.has(mode)) return false;
  const first = new Map<string, string>();
  return intervals.some((interval) => {
    const bounds = boundsOf(slice, interval);
    const read = reads.flatMap(({ window }) => (window.kind === 'range' ? [windowRange(window, interval)] : []));
    const text = JSON.stringify(read);
    const known = first.get(bounds);
    if (known === undefined) first.set(bounds, text);
    return known !== undefined && known !== text;
  });
}

const rewriting: ReadonlySet<WriteMode> = new Set(['delete+insert', 'insert_overwrite', 'merge']);
