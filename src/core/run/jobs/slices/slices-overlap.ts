import type { UnitSlice } from '../../../plan/model/plan.ts';

/** Whether two units write rows in common: same table and overlapping `[from, to)`; a whole table overlaps everything. */
export function slicesOverlap(a: readonly UnitSlice[], b: readonly UnitSlice[]): boolean {
  return a.some((left) =>
    b.some(
      (right) =>
        left.table === right.table &&
        (left.column !== right.column ||
          ((left.from === undefined || right.to === undefined || left.from < right.to) &&
            (right.from === undefined || left.to === undefined || right.from < left.to))),
    ),
  );
}
