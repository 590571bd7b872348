import type { TaskId } from '../../pipeline/model/model.ts';
import type { PlanFinding, UnitId } from '../../plan/model/plan.ts';
import type { Forecast } from './forecast.ts';
import type { RunResult, RunUnit } from './run-result.ts';

/** How far a run is. Rates are taken over this run's own units, so the first estimate comes with the first finished unit. */
export interface RunProgress {
  /** Units of the plan that have ended, those of earlier runs included. */
  readonly finished: number;
  readonly total: number;
  readonly running: number;
  readonly failed: number;
  readonly held: number;
  readonly blocked: number;
  readonly elapsedMs: number;
  readonly unitsPerMinute: number | undefined;
  readonly remainingMs: number | undefined;
}

/** What a shell shows while a run goes on, in the order it happens. */
export type RunEvent =
  | {
      readonly kind: 'run-started';
      readonly run: string;
      readonly total: number;
      readonly toRun: number;
      /** The units to run by task, in the order in which each first comes. */
      readonly tasks: readonly { readonly task: TaskId; readonly units: number }[];
      /** Of the plan, with what the database was found to say against it. */
      readonly findings: readonly PlanFinding[];
    }
  /** Before the first unit: what all of it is going to cost and hold. */
  | { readonly kind: 'forecast'; readonly forecast: Forecast }
  | { readonly kind: 'unit-started'; readonly unit: UnitId; readonly attempt: number }
  /** What a scheduler does with a unit that it was given, in words; each state once. */
  | { readonly kind: 'unit-reported'; readonly unit: UnitId; readonly state: string }
  | {
      readonly kind: 'unit-retrying';
      readonly unit: UnitId;
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
      /** The server could not be reached, so nothing of the unit had begun. */
      readonly away?: true;
    }
  | { readonly kind: 'unit-finished'; readonly unit: UnitId; readonly result: RunUnit }
  | { readonly kind: 'unit-blocked'; readonly unit: UnitId; readonly result: RunUnit }
  /** The server of the ledger, or the scheduler, cannot be reached: the run waits for it, at the most for as long as it has patience. */
  | { readonly kind: 'server-away'; readonly reason: string }
  /** It can again. */
  | { readonly kind: 'server-back' }
  /** Cancel was asked for; the running units go on until their server confirms. */
  | { readonly kind: 'cancelling'; readonly running: readonly UnitId[] }
  | { readonly kind: 'progress'; readonly progress: RunProgress }
  | { readonly kind: 'run-finished'; readonly result: RunResult };
