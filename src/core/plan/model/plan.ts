import type { WriteMode } from '../../lineage/facts/facts.ts';
import type { Executor, TaskId } from '../../pipeline/model/model.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { Instant } from '../../time/zones/instant.ts';

/** `dag.task@2026-11-28T00:00:00Z`: the task and its interval's start in UTC, so that a repeated local hour stays two units. */
export type UnitId = string;

/** Why a unit is in the plan; merged per unit, in the order found. */
export type Reason =
  | { readonly kind: 'selected' }
  /** Reads `[from, to)` of what a parent rewrites. */
  | {
      readonly kind: 'reads-parent';
      readonly parent: TaskId;
      readonly table: string;
      readonly from: Instant;
      readonly to: Instant;
    }
  /** Reads its own earlier output, so everything after the first changed interval is redone. */
  | { readonly kind: 'own-tail' }
  /** An explicit edge and no table in common: by order, not by data. */
  | { readonly kind: 'by-order'; readonly parent: TaskId };

/** The rows of one table that a unit owns: `[from, to)` on `column`; a whole table has neither. */
export interface UnitSlice {
  readonly table: string;
  readonly column: string | undefined;
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
  readonly mode: WriteMode;
  /** The rows before are another run's, or go on purpose: that fewer are left says nothing. */
  readonly stage?: boolean;
}

/**
 * Units that must be done first: `units[first] … units[last]` of `task`, both included, as indexes into
 * {@link Plan.byTask}. A range instead of a list keeps cumulative tasks linear in memory.
 */
export interface WaitRange {
  readonly task: TaskId;
  readonly first: number;
  readonly last: number;
}

export interface PlanUnit {
  readonly id: UnitId;
  readonly task: TaskId;
  /** `[start, next)` on the task's grid: what selects and orders the unit. */
  readonly start: Instant;
  readonly next: Instant;
  /** What the scheduler would hand to the run; differs from `[start, next)` only for zero-width intervals. */
  readonly data: DataInterval;
  readonly reasons: readonly Reason[];
  readonly waitsFor: readonly WaitRange[];
  readonly executor: Executor;
  readonly slices: readonly UnitSlice[];
  /** It stands for every run of its task: each gives the same whole table. */
  readonly standsForAll?: boolean;
  /** Units of this plan that fill, for this interval, a table which holds one interval at a time, and that this one reads. */
  readonly filledBy?: readonly UnitId[];
  /** The nearest task upstream that cannot be run from here; the unit then cannot run either. */
  readonly blockedBy?: TaskId;
}

/** What can keep a plan from being started. */
export const planErrorCodes = [
  'empty-selection',
  'not-loadable',
  'cycle',
  'overlapping-plan',
  'not-runnable',
  'append-in-plan',
  'retention',
  'mutable-source',
  'missing-snapshot',
  'missing-previous',
  'unsayable-slice',
  'no-table',
] as const;

/** What is said and never keeps it. */
export const planNoteCodes = [
  'not-finished',
  'unfinished-day',
  'unbounded-read',
  'unknown-window',
  'schema-change',
  'session-zone',
  'loose-commits',
  'altered-writes',
  'written-view',
  'cascade',
  'zero-width-interval',
  'oldest-first',
  'over-newer',
  'run-before',
  'stale',
  'unmade-table',
  'batch',
  'assumed-variable',
  'tried-twice',
  'wider-elsewhere',
  'not-undone',
] as const;

type Graded =
  | { readonly code: (typeof planErrorCodes)[number]; readonly severity: 'error' | 'warning' | 'info' }
  | { readonly code: (typeof planNoteCodes)[number]; readonly severity: 'warning' | 'info' };

/** Said before the first unit runs; `error` means that nothing of this plan can be started. */
export type PlanFinding = Graded & {
  readonly message: string;
  readonly task: TaskId | undefined;
  /** Rows that the plan builds on and does not make: the database can be asked whether there are any. */
  readonly needs?: UnitSlice | undefined;
};

/** The frozen, ordered list of units: what is previewed is exactly what runs. */
export interface Plan {
  readonly version: 1;
  /** The clock that the plan was made with. */
  readonly now: Instant;
  /** Ready-queue order: (interval end, topological rank), or the latest interval first. */
  readonly units: readonly PlanUnit[];
  /** For each task its units' positions in `units`, oldest first. */
  readonly byTask: ReadonlyMap<TaskId, readonly number[]>;
  readonly findings: readonly PlanFinding[];
  /** Hash of the code that each task would run, frozen at planning. */
  readonly codeHashes: ReadonlyMap<TaskId, string>;
  /** In words: tasks whose range is wider than the selection, and why. */
  readonly widened: readonly {
    readonly task: TaskId;
    readonly from: Instant;
    readonly to: Instant;
    readonly because: string;
  }[];
}
