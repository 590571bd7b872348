import type { UnitRecord, UnitState } from '../../ledger/ledger-store.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { HeldCode, UnitError } from './unit-outcome.ts';

/** What became of one unit of a run. `ran` is false for units that an earlier run of the same plan had finished. */
export interface RunUnit extends UnitRecord {
  readonly ran: boolean;
  readonly error: UnitError | undefined;
  /** Of a held unit, as what; `undefined` for every other, and for one of the ledger. */
  readonly held?: HeldCode | undefined;
  /** Skipped by its scheduler, and not because nothing would come of it; absent for every other, and for one of the ledger. */
  readonly leftOut?: true | undefined;
  /** Set when a cancelled unit's server said that it stopped (or that it could not be asked). */
  readonly cancelConfirmed: boolean | undefined;
  readonly notes: readonly string[];
}

export const runRefusalCodes = [
  'nothing-to-run',
  'plan-errors',
  'unknown-run',
  'unreadable-run',
  'out-of-date',
  'undone',
  'overlapping-run',
  'plan-moved-on',
  'plan-begun',
] as const;

type WhyRefused =
  | {
      readonly code: Exclude<
        (typeof runRefusalCodes)[number],
        'out-of-date' | 'undone' | 'overlapping-run' | 'plan-moved-on'
      >;
    }
  | { readonly code: 'out-of-date'; readonly tasks: readonly TaskId[] }
  | { readonly code: 'undone'; readonly by: string }
  /** A reviewed plan is not what would run now: each reason by itself. */
  | { readonly code: 'plan-moved-on'; readonly reasons: readonly string[] }
  | { readonly code: 'overlapping-run'; readonly owners: readonly string[] };

/** Why nothing was run at all; `remedy` is what to do, where the message does not say it of each cause by itself. */
export type RunRefusal = WhyRefused & { readonly message: string; readonly remedy: string | undefined };

/**
 * How a run ended. `cancelled` beats `failed` beats `held` beats `done`; `failed` also where units stayed blocked or
 * the ledger could not be written (`problem` says so; committed units are safe in their own transactions).
 */
export interface RunResult {
  readonly run: string;
  readonly preview: boolean;
  readonly outcome: 'done' | 'failed' | 'held' | 'cancelled' | 'refused';
  readonly refusal: RunRefusal | undefined;
  readonly problem: string | undefined;
  /** In the plan's order; empty for a refused run. */
  readonly units: readonly RunUnit[];
  /** What was done, or is to be done, after the last unit. */
  readonly notes?: readonly string[];
  readonly durationMs: number;
}

/** Units per state. */
export function countStates(units: readonly { readonly state: UnitState }[]): Partial<Record<UnitState, number>> {
  const counts: Partial<Record<UnitState, number>> = {};
  for (const unit of units) counts[unit.state] = (counts[unit.state] ?? 0) + 1;
  return counts;
}
