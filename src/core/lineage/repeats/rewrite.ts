import type { SourceSpan } from '../../text/span.ts';
import type { Term } from './term.ts';

/** What a statement makes of rows of its target that are there, as a function of each row's own old values. */
export interface Rewrite {
  readonly columns: readonly RewrittenColumn[];
  /** What has to hold of a row, so that it is rewritten; in the second run too. */
  readonly conditions: readonly Term[];
  /** What rows may be asked for on the way. */
  readonly hints?: readonly Term[];
  /** Which row is which rests on more than equality: other rows may be meant. */
  readonly isVague: boolean;
  /** Rows that were counted before are left out, by something outside of the table. */
  readonly guarded: boolean;
}

export interface RewrittenColumn {
  readonly column: string;
  readonly term: Term;
  readonly at: SourceSpan | undefined;
}
