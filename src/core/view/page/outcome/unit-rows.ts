import type { SliceDiff } from '../../../diff/slice-diff.ts';

/** What a unit did, or would do, to the rows of its slices, in figures. `undefined`: not known, or not compared. */
export interface UnitRows {
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly added: number | undefined;
  readonly removed: number | undefined;
  readonly changed: number | undefined;
  /** Share (0…1) of the rows of before and after that differ. */
  readonly share: number | undefined;
}

/** The figures of a unit over all of its slices; `undefined` where nothing was looked at. */
export function unitRows(slices: readonly SliceDiff[]): UnitRows | undefined {
  if (slices.length === 0) return undefined;
  const sum = (of: (slice: SliceDiff) => number | undefined): number | undefined => {
    const values = slices.map(of);
    return values.includes(undefined) ? undefined : values.reduce<number>((total, value) => total + (value ?? 0), 0);
  };
  const before = sum((slice) => slice.before?.rows);
  const after = sum((slice) => slice.after?.rows);
  const [added, removed, changed] = [sum(({ added }) => added), sum(({ removed }) => removed), sum(changedOf)];
  const differing = added === undefined || removed === undefined ? undefined : added + removed + (changed ?? 0);
  const most = Math.max(before ?? 0, after ?? 0, (removed ?? 0) + (after ?? 0), 1);
  return {
    before,
    after,
    added,
    removed,
    changed,
    share: differing === undefined ? undefined : Math.min(1, differing / most),
  };
}

/** Without a key a changed row counts as removed and added. */
const changedOf = ({ changed, method }: SliceDiff): number | undefined => (method === 'multiset' ? 0 : changed);
