import type { UnitJob } from '../../unit/unit-job.ts';

/**
 * Whether units of one preview can be looked at one by one: a single unit, or intervals of one task that each write a
 * slice of one table and have no row in common. What their queries see of that table is told for each when it is its turn.
 */
export function areIndependent(jobs: readonly UnitJob[]): boolean {
  const [first, ...others] = jobs;
  if (first === undefined || others.length === 0) return first !== undefined;
  const [slice] = first.slices;
  const slices = jobs.flatMap((job) => job.slices);
  const alike = slices.every(({ table, column }) => table === slice?.table && column === slice.column);
  if (!alike || slices.length !== jobs.length || jobs.some(({ task }) => task !== first.task)) return false;
  const bounds = slices.map(({ from, to }) => [Date.parse(from ?? ''), Date.parse(to ?? '')] as const);
  if (bounds.some(([from, to]) => !(from < to))) return false;
  const sorted = [...bounds].sort(([a], [b]) => a - b);
  return sorted.every(([from], index) => from >= (sorted[index - 1]?.[1] ?? Number.NEGATIVE_INFINITY));
}
