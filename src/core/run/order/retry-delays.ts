import type { Clock } from '../unit/clock.ts';
import { awayDelay, backoffDelay, type RunOptions } from '../unit/run-options.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';

/** What becomes of a unit that had its turn. */
export type SettledOutcome = Exclude<UnitOutcome, { state: 'full' | 'lost' }>;

/** How long to wait before a unit is tried again, or that it is not. Units are positions in the plan; milliseconds. */
export interface RetryDelays {
  /** `undefined` when this outcome is the last word. */
  next(position: number, outcome: SettledOutcome): number | undefined;
  /** No place was free: for how long it waits for one, and whether for the first time. */
  full(position: number): { readonly delayMs: number; readonly isFirst: boolean };
  ended(position: number): void;
  /** The last answer was that of no server that takes work. */
  isAway(): boolean;
}

interface Tries {
  errors: number;
  busy: number;
  full: number;
  away: number;
}

export function retryDelays(options: RunOptions, clock: Clock): RetryDelays {
  const tries = new Map<number, Tries>();
  let awaySince: number | undefined;
  const triesOf = (position: number): Tries => {
    const made = tries.get(position) ?? { errors: 0, busy: 0, full: 0, away: 0 };
    tries.set(position, made);
    return made;
  };
  return {
    next(position, outcome) {
      const made = triesOf(position);
      if (outcome.state === 'failed' && outcome.error.away) {
        made.away += 1;
        awaySince ??= clock.now();
        return awayDelay(options, made.away, clock.now() - awaySince);
      }
      awaySince = undefined;
      if (outcome.state === 'busy') {
        made.busy += 1;
        return made.busy < options.maxBusyAttempts ? backoffDelay(options, made.busy) : undefined;
      }
      if (outcome.state !== 'failed' || !outcome.error.retryable || outcome.error.kind === 'cancelled')
        return undefined;
      made.errors += 1;
      return made.errors < options.maxAttempts ? backoffDelay(options, made.errors) : undefined;
    },
    full(position) {
      awaySince = undefined;
      const made = triesOf(position);
      made.full += 1;
      return { delayMs: backoffDelay(options, Math.min(3, made.full)), isFirst: made.full === 1 };
    },
    ended: (position) => {
      tries.delete(position);
    },
    isAway: () => awaySince !== undefined,
  };
}
