import type { RunUnit } from '../../unit/run-result.ts';
import { notStarted } from '../../unit/unit-results.ts';
import type { UnitProof } from './prove.ts';
import { underInWords } from './under-in-words.ts';

/**
 * A proof as the end of a unit, so that whatever shows runs shows proofs: `changed` where a second run left other rows,
 * or one clean run does, `unchanged` where none did, `held` where a run wrote outside of its slice. Nothing was kept in any of them.
 */
export function proofUnit({ unit, verdict, notCovered, notEmptied, leftOut }: UnitProof, durationMs: number): RunUnit {
  const ran = {
    ...notStarted(unit, 1),
    ran: true,
    durationMs,
    notes: [...[...notCovered, ...notEmptied].map((what) => `not covered: ${what}`), ...leftOut],
  };
  switch (verdict.kind) {
    case 'no-difference':
      return { ...ran, state: 'unchanged' };
    case 'different':
      return {
        ...ran,
        state: 'changed',
        message: `a second run leaves other rows, ${underInWords(verdict)}`,
        slices: verdict.slices,
      };
    case 'not-clean':
      return { ...ran, state: 'changed', message: 'one clean run leaves other rows', slices: verdict.slices };
    case 'outside':
      return { ...ran, state: 'held', message: verdict.reason };
    case 'failed':
      return { ...ran, state: 'failed', message: verdict.error.message, error: verdict.error };
    case 'cancelled':
      return { ...ran, state: 'cancelled' };
  }
}
