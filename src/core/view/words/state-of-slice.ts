import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { UnitState } from '../../ledger/ledger-store.ts';

/** A slice's own state: of several slices of a changed unit, some may be what they were. */
export const stateOfSlice = (unit: UnitState, slice: SliceDiff): UnitState =>
  unit === 'changed' && isSame(slice) ? 'unchanged' : unit;

const isSame = ({ before, after, added, removed, changed }: SliceDiff): boolean =>
  !added &&
  !removed &&
  !changed &&
  before !== undefined &&
  after !== undefined &&
  before.rows === after.rows &&
  before.rowChecksum !== undefined &&
  before.rowChecksum === after.rowChecksum;
