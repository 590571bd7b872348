import type { UnitJob } from '../../unit/unit-job.ts';

/** The jobs of each task together, in the order of the first of each. */
export function byTask(jobs: readonly UnitJob[]): readonly (readonly UnitJob[])[] {
  const tasks = new Map<string, UnitJob[]>();
  for (const job of jobs) {
    const known = tasks.get(job.task);
    if (known === undefined) tasks.set(job.task, [job]);
    else known.push(job);
  }
  return [...tasks.values()];
}
