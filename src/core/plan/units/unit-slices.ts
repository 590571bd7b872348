import { nameFor } from '../../lineage/facts/table-naming.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { UnitSlice } from '../model/plan.ts';
import type { PlannableTask } from '../model/plan-request.ts';

/** The rows that an interval of a task rewrites, with the bounds that the scheduler would hand to the run. */
export function unitSlices(task: PlannableTask, data: DataInterval): readonly UnitSlice[] {
  return task.writes.map(({ table: written, naming, slice, mode, empties, provenance }): UnitSlice => {
    const table = naming === undefined ? written : (nameFor(naming, data) ?? written);
    const stage = task.stages?.includes(written) === true;
    const more = stage ? { stage } : {};
    // A stage holds the rows of the run and no others, whatever its columns say.
    const isWhole = stage && empties !== true && provenance !== 'declared';
    if (slice.kind !== 'range' || isWhole)
      return { table, column: undefined, from: undefined, to: undefined, mode, ...more };
    const { column, lo, hi } = slice;
    return { table, column, from: exactTime(lo, data), to: exactTime(hi, data), mode, ...more };
  });
}
