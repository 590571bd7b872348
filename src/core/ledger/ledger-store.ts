import type { SliceDiff } from '../diff/slice-diff.ts';
import type { TaskId } from '../pipeline/model/model.ts';
import type { UnitId } from '../plan/model/plan.ts';
import type { Instant } from '../time/zones/instant.ts';
import type { SliceVersionRecord } from './stale-slices.ts';

export const unitStates = [
  'waiting',
  'running',
  'changed',
  'unchanged',
  'skipped',
  'done',
  'held',
  'failed',
  'blocked',
  'cancelled',
  'unknown',
] as const;
/**
 * `blocked`: something it waits for failed or was held; `skipped`: early cutoff; `done`: run elsewhere, as somebody said; `unknown`: not atomic, and it stopped
 * halfway, so that it is not run again unless somebody says so.
 */
export type UnitState = (typeof unitStates)[number];

/** A run as kept in the target database: the frozen plan and what it was asked with. `document` is versioned JSON. */
export interface StoredRun {
  readonly run: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  /** The plan, jobs and options, encoded by the ledger codec. */
  readonly document: string;
  readonly title: string;
}

export interface UnitRecord {
  readonly unit: UnitId;
  readonly state: UnitState;
  readonly attempts: number;
  readonly message: string | undefined;
  readonly durationMs: number | undefined;
  readonly slices: readonly SliceDiff[];
  /** It was committed, and its marker is gone, or that of a version which it read. */
  readonly lost?: boolean;
}

export interface RunSummary {
  readonly run: string;
  readonly title: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  readonly counts: Readonly<Partial<Record<UnitState, number>>>;
  /** That of its first unit. */
  readonly task: TaskId | undefined;
  /** Who is at work on it now; `undefined`: nobody. */
  readonly workedOnBy: string | undefined;
}

/** A slice that a run changed. */
export interface ChangedSlice {
  readonly unit: UnitId;
  readonly slice: string;
  readonly target: string;
  readonly rowsBefore: number | undefined;
  /** Rows of before that are kept; `undefined`: they were not. */
  readonly kept: number | undefined;
  /** Another run that made the slice anew since. */
  readonly newerRun: string | undefined;
  /** That run put back what was there before this one. */
  readonly undone?: boolean;
}

/** `[from, to)` of a table as ISO instants, open where undefined. */
export interface LedgerSlice {
  readonly table: string;
  /** What the bounds are on. Bounds on different columns cannot be told apart, and count as overlapping. */
  readonly column?: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Another live run, who works on it since when, and the rows of one table that both write. */
export interface RunOverlap {
  readonly run: string;
  readonly owner: string;
  readonly since: Instant;
  readonly table: string;
  /** From the first to the last row in common, infinite where a side is open; gaps between are not told. */
  readonly from: Instant;
  readonly to: Instant;
  /** For how long it still counts as live without a further sign of life, in milliseconds of the server's clock. */
  readonly leaseLeftMs: number;
}

/**
 * The durable record in the target database. Committed units are recorded by the unit's own transaction; this port
 * keeps everything that has no transaction of its own.
 */
export interface LedgerStore {
  /** `slices`: what the whole run will write, so that another run on the same rows is refused before its first unit. */
  saveRun(run: StoredRun, units: readonly UnitId[], slices?: readonly LedgerSlice[]): Promise<void>;
  /** `workedOnBy`: as of a {@link RunSummary}. */
  loadRun(run: string): Promise<(StoredRun & Partial<Pick<RunSummary, 'workedOnBy'>>) | undefined>;
  listRuns(limit: number): Promise<readonly RunSummary[]>;
  /**
   * Never overwrites a committed state (`changed`, `unchanged`, `skipped`), and never makes one: only the unit's own transaction
   * does. `lost`: it was to be added to a commit that is not there.
   */
  recordUnit(run: string, record: UnitRecord): Promise<'recorded' | 'lost'>;
  /** The same for several units at once; gives those that are lost. */
  recordUnits(run: string, records: readonly UnitRecord[]): Promise<readonly UnitId[]>;
  /** Those of these units that are not committed. */
  uncommitted(run: string, units: readonly UnitId[]): Promise<readonly UnitId[]>;
  /** Takes back that these units are committed, so that they can run again: their versions and kept rows are forgotten. */
  reopen(run: string, units: readonly UnitId[]): Promise<void>;
  /** A unit that is lost is `waiting`. */
  units(run: string): Promise<readonly UnitRecord[]>;
  /**
   * Says that the run is at work from now on, for `leaseMs` until its first unit renews that. Nothing is said, and
   * the others are returned, where a live run works on overlapping slices; of two that begin at once, one is let in.
   */
  beginRun(
    run: string,
    owner: string | undefined,
    slices: readonly LedgerSlice[],
    leaseMs: number,
  ): Promise<readonly RunOverlap[]>;
  /** Says that nobody works on the run any more, whatever is left of it. */
  endRun(run: string): Promise<void>;
  /** Runs with a live lease whose slices of `tables` overlap `[from, to)` of the given slices. */
  activeOverlaps(run: string, slices: readonly LedgerSlice[]): Promise<readonly RunOverlap[]>;
  /** Slices that a run changed, the last one first, and whether each can be undone. */
  changedSlices(run: string): Promise<readonly ChangedSlice[]>;
  /** Units of a run whose rows may be there already, though nothing records them: whoever goes on with the run ends them. */
  begun(run: string): Promise<readonly UnitId[]>;
  /** The run, if any, that took changes of this one back and whose rows stand where it did. */
  undoneBy(run: string): Promise<string | undefined>;
  /** Forgets old rows that were kept longer ago than this many days. */
  forgetImages(days: number): Promise<void>;
  /**
   * The newest version of every slice that runs committed: by each unit that made it, since a table that each interval makes
   * anew is one slice for all of them.
   */
  newestVersions(): Promise<readonly SliceVersionRecord[]>;
  close(): Promise<void>;
}
