import type { PlannableTask } from '../../plan/model/plan-request.ts';
import { unitSlices } from '../../plan/units/unit-slices.ts';
import type { GridInterval } from '../../time/intervals/grid.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { SurveySlice } from './survey-slices.ts';

/**
 * The slices by which a task's intervals can be counted: those with a column and both bounds. A stage holds one run's rows,
 * and values of several columns, such as year, month and day, are no range of any of them.
 */
export function slicesOfIntervals(task: PlannableTask, intervals: readonly GridInterval[]): readonly SurveySlice[] {
  return intervals.flatMap((interval) => {
    const unit = `${task.id}@${toIso(interval.start)}`;
    return unitSlices(task, interval.data).flatMap(({ table, column, from, to, stage }, at): readonly SurveySlice[] => {
      const slice = task.writes[at]?.slice;
      const values = slice?.kind === 'range' ? (slice.values?.length ?? 0) : 0;
      const isRange = column !== undefined && from !== undefined && to !== undefined && from < to;
      if (!isRange || stage === true || values > 1) return [];
      return [{ unit, table, column, from, to, isValue: values === 1 }];
    });
  });
}
