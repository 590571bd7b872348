import type { TaskId } from '../../pipeline/model/model.ts';
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
  /** The units that are left to run, before the first of them: by them it tells what goes together. */
  expect?(jobs: readonly UnitJob[]): void;
  /** After the last unit: ends what it still has going for units that were not run. Never throws. */
  end?(): Promise<void>;
  /** How long units of tasks took before, in milliseconds, where that is known without running them. */
  usual?(jobs: readonly UnitJob[]): Promise<ReadonlyMap<TaskId, number>>;
  /** Several units in one go; absent: it runs each alone. */
  readonly together?: JoiningExecutor | undefined;
  /** How many units it can run side by side. */
  readonly maxConcurrency: number;
  /** After the last unit: looks after the tables of those that ran, and says in words what it did or what is to be done. */
  tidy?(jobs: readonly UnitJob[], vacuum: 'advise' | 'run', signal: CancelSignal): Promise<readonly string[]>;
  /** Forgets what was kept of before longer ago than this many days, where that is more than a record in the ledger. */
  forget?(days: number): Promise<void>;
}

/** Runs units of one task as one piece of work, with an outcome for each that is the one of a run alone. */
export interface JoiningExecutor {
  /** Whether `next` may come behind the units from `first` to `last`, as far as can be told without the database. */
  mayJoin(first: UnitJob, last: UnitJob, next: UnitJob): boolean;
  /**
   * Outcomes in the order of the jobs, all committed in one transaction or none. `apart`: nothing was done, and why, in words that
   * follow "because"; `always`: no units of the task can go together.
   */
  execute(
    jobs: readonly UnitJob[],
    signal: CancelSignal,
    follows: readonly UnitId[],
  ): Promise<readonly UnitOutcome[] | { readonly apart: string; readonly always: boolean }>;
}
