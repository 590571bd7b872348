import type { TaskId } from '../../pipeline/model/model.ts';
import type { PlanUnit } from '../../plan/model/plan.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';

/**
 * The commands that plan and run these units anew, by the code and the data of now: each task from the first to the last
 * logical date of its units, tasks of the same dates in one command. Empty where there is no unit.
 */
export function runAgain(units: readonly Pick<PlanUnit, 'task' | 'start'>[]): readonly string[] {
  const spans = new Map<TaskId, [first: Instant, last: Instant]>();
  for (const { task, start } of units) {
    const [first, last] = spans.get(task) ?? [start, start];
    spans.set(task, [instant(Math.min(start, first)), instant(Math.max(start, last))]);
  }
  const tasks = new Map<string, TaskId[]>();
  for (const [task, [first, last]] of spans) {
    const dates = `${toIso(first)}..${toIso(last)}`;
    const known = tasks.get(dates);
    if (known === undefined) tasks.set(dates, [task]);
    else known.push(task);
  }
  return [...tasks].map(([dates, names]) => `backfill run ${names.join(' ')} --logical-dates ${dates}`);
}
