import type { TaskId } from '../../pipeline/model/model.ts';
import type { Scheduler } from '../../scheduler/port/scheduler.ts';
import { SchedulerError } from '../../scheduler/port/scheduler-error.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/** How long the scheduler's runs of before took for the tasks that it is given: the middle one of the newest. */
export async function usualDurations(
  scheduler: Scheduler,
  jobs: readonly UnitJob[],
): Promise<ReadonlyMap<TaskId, number>> {
  const usual = new Map<TaskId, number>();
  const given = new Map(jobs.flatMap(({ task, carried }) => (carried === undefined ? [] : [[task, carried] as const])));
  const byDag = new Map<string, ReadonlyMap<string, readonly number[]>>();
  for (const [id, { dag, task }] of given) {
    try {
      const known = byDag.get(dag) ?? (await scheduler.durations(dag));
      byDag.set(dag, known);
      const sorted = [...(known.get(task) ?? [])].sort((a, b) => a - b);
      const middle = sorted[Math.floor(sorted.length / 2)];
      if (middle !== undefined) usual.set(id, middle);
    } catch (error) {
      if (!(error instanceof SchedulerError)) throw error;
      return usual;
    }
  }
  return usual;
}
