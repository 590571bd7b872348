import type { SourceSpan } from '../../text/span.ts';

export const jobRefusalCodes = [
  'not-runnable',
  'not-rendered',
  'no-statements',
  'no-snapshot',
  'not-atomic',
  'other-connection',
  'irrevocable',
] as const;

/** Why a unit cannot be run from here: what, where, and what to do about it. */
export interface JobRefusal {
  /** `no-slice`: of runs that an older program kept. */
  readonly code: (typeof jobRefusalCodes)[number] | 'no-slice';
  readonly message: string;
  readonly remedy: string;
  readonly at: SourceSpan | undefined;
}
