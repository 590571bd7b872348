import { isSameSlice } from '../../diff/same-slice.ts';
import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { UnitState } from '../../ledger/ledger-store.ts';

/** A slice's own state: of several slices of a changed unit, some may be what they were. */
export const stateOfSlice = (unit: UnitState, slice: SliceDiff): UnitState =>
  unit === 'changed' && isSameSlice(slice) ? 'unchanged' : unit;
