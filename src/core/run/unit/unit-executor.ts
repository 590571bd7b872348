import type { UnitId } from '../../plan/model/plan.ts';
import type { CancelSignal } from './cancel-signal.ts';
import type { UnitJob } from './unit-job.ts';
import type { UnitOutcome } from './unit-outcome.ts';

/** Runs one unit to an outcome; the port that the runner orders, retries and cancels. Never throws for what the world does. */
export interface UnitExecutor {
  /**
   * `follows`: units of the run whose commits were confirmed, and which the unit's transaction has to see. `report` is called
   * with what the unit is doing, in words, where it is not ours to do.
   */
  execute(
    job: UnitJob,
    signal: CancelSignal,
    follows?: readonly UnitId[],
    report?: (state: string) => void,
  ): Promise<UnitOutcome>;
  /** How many units it can run side by side. */
  readonly maxConcurrency: number;
  /** After the last unit: looks after the tables of those that ran, and says in words what it did or what is to be done. */
  tidy?(jobs: readonly UnitJob[], vacuum: 'advise' | 'run', signal: CancelSignal): Promise<readonly string[]>;
}
