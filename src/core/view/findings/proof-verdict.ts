import type { UnitProof } from '../../run/relational/prove/prove.ts';
import { underInWords } from '../../run/relational/prove/under-in-words.ts';
import { versionText } from '../words/version-text.ts';

/** What running one unit twice came to, as the outcome of a test. */
export type ProofVerdict =
  | { readonly kind: 'passed' }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** The rows after one run and after another, as texts; `undefined`: no rows were compared. */
      readonly rows: { readonly expected: string; readonly actual: string } | undefined;
    }
  /** It could not be run to its end. */
  | { readonly kind: 'errored'; readonly message: string }
  | { readonly kind: 'skipped' };

/** `label`: the interval, for the eye. */
export function proofVerdict({ verdict, notCovered }: UnitProof, label: string): ProofVerdict {
  const open = notCovered.length === 0 ? '' : ` Not covered: ${notCovered.join('; ')}.`;
  switch (verdict.kind) {
    case 'no-difference':
      return { kind: 'passed' };
    case 'different': {
      const message = `A second run of ${label} leaves other rows in ${tablesOf(verdict.slices)}, ${underInWords(verdict)}.${open}`;
      return { kind: 'failed', message, rows: textsOf(verdict.slices) };
    }
    case 'not-clean': {
      const message = `Runs of ${label} leave rows in ${tablesOf(verdict.slices)} that one clean run does not.${open}`;
      return { kind: 'failed', message, rows: textsOf(verdict.slices) };
    }
    case 'outside':
      return {
        kind: 'failed',
        message: `Run for ${label}, the task wrote outside of its slice: ${verdict.reason}`,
        rows: undefined,
      };
    case 'failed': {
      const { message, remedy } = verdict.error;
      return { kind: 'errored', message: [message, ...(remedy === undefined ? [] : [remedy])].join(' ') };
    }
    case 'cancelled':
      return { kind: 'skipped' };
  }
}

type Slices = Extract<UnitProof['verdict'], { readonly kind: 'different' }>['slices'];

const tablesOf = (slices: Slices): string => [...new Set(slices.map(({ table }) => table))].join(', ');

const textsOf = (slices: Slices) => ({
  expected: slices.map((slice) => versionText(slice, 'before')).join('\n'),
  actual: slices.map((slice) => versionText(slice, 'after')).join('\n'),
});
