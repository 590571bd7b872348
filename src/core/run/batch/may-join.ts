import type { UnitJob } from '../unit/unit-job.ts';

/** A day of 25 hours is no day more. */
const clockChangeMs = 3_600_000;

/**
 * Whether a unit may come behind others of one go, by what was asked for: the same task, no gap between their slices,
 * and all of them no longer than its `batch`. Says nothing of their statements.
 */
export function mayJoin(first: UnitJob, last: UnitJob, next: UnitJob): boolean {
  const { batchMs } = first.options;
  if (batchMs === undefined || first.task !== next.task || first.codeHash !== next.codeHash) return false;
  const [start] = first.slices;
  const [before] = last.slices;
  const [own] = next.slices;
  if (start?.from === undefined || before?.to === undefined || own?.from === undefined || own.to === undefined)
    return false;
  if (before.to !== own.from || before.table !== own.table || before.column !== own.column) return false;
  return Date.parse(own.to) - Date.parse(start.from) <= batchMs + clockChangeMs;
}
