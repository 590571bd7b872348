import type { UnitOutcome } from '../unit/unit-outcome.ts';
import type { NoOverwrite } from './target/overwrite.ts';

/** A task that cannot be carried out on files, found before anything was sent. */
export const refusedOutcome = (
  { reason, remedy, statement }: NoOverwrite,
  durationMs: number,
): UnitOutcome & { readonly state: 'failed' } => ({
  state: 'failed',
  durationMs,
  error: {
    kind: 'refused',
    message: `It is not run on Spark from here: ${reason}.`,
    remedy,
    retryable: false,
    sqlState: undefined,
    statement: statement?.text,
  },
});
