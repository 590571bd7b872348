import type { SliceDiff } from './slice-diff.ts';

/** Whether a slice is known to be what it was. */
export const isSameSlice = ({ before, after, added, removed, changed }: SliceDiff): boolean =>
  !added &&
  !removed &&
  !changed &&
  before !== undefined &&
  after !== undefined &&
  before.rows === after.rows &&
  before.rowChecksum !== undefined &&
  before.rowChecksum === after.rowChecksum;
