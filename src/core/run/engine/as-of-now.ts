import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';

/** An outcome of a preview that says so where the unit reads what others of it would make, which no preview has published. */
export function asOfNow(outcome: UnitOutcome, job: UnitJob, others: readonly UnitJob[]): UnitOutcome {
  if (outcome.state !== 'previewed') return outcome;
  const made = others.filter(({ unit }) => unit !== job.unit).flatMap(({ slices }) => slices.map(({ table }) => table));
  const read = new Set(job.inputs.map(({ table }) => table).filter((table) => made.includes(table)));
  if (read.size === 0) return outcome;
  const note = `it was computed from ${[...read].join(', ')} as ${read.size === 1 ? 'it is' : 'they are'} now: a preview publishes nothing, so that a run may give other rows`;
  return { ...outcome, notes: [...(outcome.notes ?? []), note] };
}
