import type { DataInterval } from '../time/data-interval.ts';
import { exactTime } from '../time/evaluate-time.ts';
import type { UnitSlice } from './plan.ts';
import type { PlannableTask } from './plan-request.ts';

/** The rows that an interval of a task rewrites, with the bounds that the scheduler would hand to the run. */
export function unitSlices(task: PlannableTask, data: DataInterval): readonly UnitSlice[] {
  return task.writes.map(({ table, slice, mode }) =>
    slice.kind === 'range'
      ? {
          table,
          column: slice.column,
          from: exactTime(slice.lo, data),
          to: exactTime(slice.hi, data),
          mode,
        }
      : { table, column: undefined, from: undefined, to: undefined, mode },
  );
}
