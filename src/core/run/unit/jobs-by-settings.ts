import type { UnitJob } from './unit-job.ts';

/** Jobs whose sessions are set alike, so that names mean the same to them; each list with its first. */
export function bySettings(jobs: readonly UnitJob[]): readonly (readonly [UnitJob, readonly UnitJob[]])[] {
  const groups = new Map<string, UnitJob[]>();
  for (const job of jobs) {
    const key = JSON.stringify(Object.entries(job.options.settings).sort());
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [job]);
    else group.push(job);
  }
  return [...groups.values()].flatMap((group) => (group[0] === undefined ? [] : [[group[0], group] as const]));
}
