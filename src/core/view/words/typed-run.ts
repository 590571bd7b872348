import { rangeOfRun } from '../../plan/intervals/picked-runs.ts';
import type { PlannableTask } from '../../plan/model/plan-request.ts';
import type { GridInterval } from '../../time/intervals/grid.ts';
import { typedTime } from './typed-time.ts';

/** The range that means one run of a task, as a person would type it; `to` is not included. */
export function typedRun(task: PlannableTask, run: GridInterval): { readonly from: string; readonly to: string } {
  const { from, to } = rangeOfRun(task, run);
  return { from: typedTime(from, task.zone), to: typedTime(to, task.zone) };
}
