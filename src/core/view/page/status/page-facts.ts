import type { UnitState } from '../../../ledger/ledger-store.ts';
import type { TaskId } from '../../../pipeline/model/model.ts';
import type { RunMode } from '../page-request.ts';
import type { PlanGrid } from '../plan-view.ts';

/** What the sentence, the action and the news of a page are said from. */
export interface PageFacts {
  /** The task that the page is of: it cannot be left out. */
  readonly task: TaskId;
  readonly range: { readonly valid: boolean; readonly summary: string };
  /** Name of the connection; `undefined`: none is chosen. */
  readonly connection: string | undefined;
  /** Why its database has not told what is there; `undefined`: it has, or nobody asked yet. */
  readonly silent: SilentFacts | undefined;
  /** `undefined`: the range means nothing, or its plan is being made. */
  readonly plan: PlanGrid | undefined;
  readonly run: RunFacts | undefined;
  /** Parallel to the plan's units; empty before a run. */
  readonly states: readonly UnitState[];
  /** What is going on beside a run, e.g. `Planning…`. */
  readonly busy: string | undefined;
  /** A button was pressed, and its run has not begun yet. */
  readonly starting: boolean;
  /** What went wrong last, with what to do. */
  readonly error: { readonly message: string; readonly remedy: string | undefined } | undefined;
  /** Tasks whose code is no longer what was previewed. */
  readonly outdated: readonly TaskId[];
  /** What the task was seen to write while a scheduler ran it; `undefined`: nobody asked. */
  readonly observed?: ObservedFacts | undefined;
  /** For how long the rows of before are kept. */
  readonly keepBeforeDays: number;
  /** Index of the first unit to be looked at, if any. */
  readonly firstStop: number | undefined;
}

export interface ObservedFacts {
  /** A sentence for each table, or why there is none. */
  readonly said: readonly string[];
  /** Something of it can be declared. */
  readonly clear: boolean;
}

export interface SilentFacts {
  /** A person has to be asked. */
  readonly wantsPassword: boolean;
  /** What it said; `undefined`: nothing that a person has not to be asked for first. */
  readonly message: string | undefined;
}

export interface RunFacts {
  readonly run: string;
  readonly mode: RunMode;
  readonly status: 'running' | 'cancelling' | 'finished' | 'cancelled' | 'interrupted';
  readonly secondsLeft: number | undefined;
  /** How it ended, as a clock on the wall showed it (`14:33`), and how long it took. */
  readonly ended: { readonly at: string; readonly tookMs: number } | undefined;
  /** The server cannot be reached and is waited for: since when, and what was said of it. */
  readonly away: { readonly since: string; readonly reason: string } | undefined;
  /** Who may still be at work on an interrupted run, in another window or on a command line. */
  readonly workedOnBy?: string | undefined;
  /** The connection that was lost, in the words of whoever noticed. */
  readonly lost: string | undefined;
  /** What is to be said of the end beside the counts: a failure, what a proof varied, what the server confirmed. */
  readonly said: string | undefined;
}
