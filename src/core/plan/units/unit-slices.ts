import { nameFor } from '../../lineage/facts/table-naming.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { UnitSlice } from '../model/plan.ts';
import type { PlannableTask } from '../model/plan-request.ts';

/** The rows that an interval of a task rewrites, with the bounds that the scheduler would hand to the run. */
export function unitSlices(task: PlannableTask, data: DataInterval): readonly UnitSlice[] {
  return task.writes.map(({ table: written, naming, slice, mode }) => {
    const table = naming === undefined ? written : (nameFor(naming, data) ?? written);
    return slice.kind === 'range'
      ? {
          table,
          column: slice.column,
          from: exactTime(slice.lo, data),
          to: exactTime(slice.hi, data),
          mode,
        }
      : { table, column: undefined, from: undefined, to: undefined, mode };
  });
}
