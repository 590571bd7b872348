import type { SourceSpan } from '../../text/span.ts';

/** Why a unit cannot be run from here: what, where, and what to do about it. */
export interface JobRefusal {
  readonly code:
    | 'not-runnable'
    | 'not-rendered'
    | 'no-slice'
    | 'no-statements'
    | 'no-snapshot'
    | 'not-atomic'
    | 'other-connection'
    | 'irrevocable';
  readonly message: string;
  readonly remedy: string;
  readonly at: SourceSpan | undefined;
}
