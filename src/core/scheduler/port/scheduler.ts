import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { Instant } from '../../time/zones/instant.ts';

/**
 * Who carries out a task that our own engine cannot: an Airflow of the user. Every call throws {@link SchedulerError}.
 * It decides nothing: which runs, which tasks of them and in which order is said by who calls.
 */
export interface Scheduler {
  readonly description: SchedulerDescription;
  health(): Promise<SchedulerHealth>;
  /** `undefined`: no such DAG is deployed, or this user may not see it. */
  dag(id: string): Promise<DeployedDag | undefined>;
  pool(name: string): Promise<PoolState | undefined>;
  /** Runs whose logical date is one of `[first, last]`, oldest first. */
  runs(dag: string, first: Instant, last: Instant): Promise<readonly DagRun[]>;
  run(dag: string, run: string): Promise<DagRun | undefined>;
  /** Runs that are queued or running now. */
  activeRuns(dag: string): Promise<readonly DagRun[]>;
  /**
   * Makes a run, which starts by itself within seconds unless it is ended first. Gives the run that is there already where one
   * has this logical date. The DAG must not be paused.
   */
  createRun(dag: string, run: NewRun): Promise<DagRun>;
  /** The dates of which one backfill over a range would make runs now; `undefined`: it makes none over ranges. */
  backfillDates(dag: string, range: BackfillRange): Promise<readonly Instant[] | undefined>;
  /** Makes the runs of a range in one go. They start by themselves, each with all tasks of the DAG. */
  backfill(dag: string, range: BackfillRange, maxActiveRuns: number): Promise<void>;
  /** Whether a backfill over this range was begun and has not ended: its runs may not be there yet. */
  isBackfilling(dag: string, range: BackfillRange): Promise<boolean>;
  /**
   * Ends a run that has not ended. What its tasks ran is told to stop, and counts as the run does; what had not begun counts as
   * done or as skipped, which differs between schedulers.
   */
  endRun(dag: string, run: string, as: 'success' | 'failed'): Promise<void>;
  /** All instances of one task in a run: one, or one for each part of a mapped task. Without a task, those of all tasks. */
  instances(dag: string, run: string, task?: string): Promise<readonly TaskInstance[]>;
  /** How long newest executions of a DAG's tasks took that ended well, by task, in milliseconds. */
  durations(dag: string): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Tasks of any DAG that this user may see and that ran at some moment of `[from, to]`, or still do. */
  atWork(from: Instant, to: Instant): Promise<readonly TaskAtWork[]>;
  /** Has one task of a run run again, and no other. */
  clear(dag: string, run: string, task: string): Promise<void>;
  /** Has an instance count as done, without running it. */
  setDone(dag: string, run: string, instance: TaskInstance): Promise<void>;
  /** Ends the instances of a task that have not ended. What they ran is told to stop. */
  stop(dag: string, run: string, task: string): Promise<void>;
  /** Says on the run who does what to it, in place of `instead` where that stands there; what else stood there stays. */
  note(dag: string, run: string, text: string, instead?: string): Promise<void>;
  /** The end of the log of one try, oldest line first; nothing where it cannot be read. */
  logTail(dag: string, run: string, instance: TaskInstance, lines: number): Promise<readonly string[]>;
  /** Page of a task in a run, for a person. */
  link(dag: string, run: string, instance: TaskInstance): string;
}

export interface SchedulerDescription {
  readonly name: string;
  readonly kind: 'airflow';
  /** As it says itself, e.g. `3.3.2`. */
  readonly version: string;
  readonly major: 2 | 3;
  /** What is shown wherever it is named: never a secret. */
  readonly target: string;
}

export interface SchedulerHealth {
  /** False: it answers, and starts nothing. */
  readonly starts: boolean;
  /** What is not well, in words; empty when all is. */
  readonly troubles: readonly string[];
}

export interface DeployedDag {
  readonly id: string;
  readonly paused: boolean;
  /** False: its file is gone or cannot be loaded, and runs of it do not start. */
  readonly active: boolean;
  readonly importErrors: boolean;
  /** As the scheduler has it, e.g. `0 2 * * *`; `undefined` for what is started by hand only. */
  readonly schedule: string | undefined;
  readonly maxActiveRuns: number | undefined;
  readonly tasks: readonly DeployedTask[];
}

export interface DeployedTask {
  readonly id: string;
  readonly operator: string;
  readonly pool: string;
  readonly poolSlots: number;
  /** Tasks that wait for it; `undefined`: not told. */
  readonly downstream?: readonly string[] | undefined;
  /** When it starts by itself; `undefined`: not told. */
  readonly triggerRule?: string | undefined;
  /** It waits for the run before its own. */
  readonly dependsOnPast?: boolean | undefined;
}

export interface PoolState {
  readonly name: string;
  readonly slots: number;
  readonly open: number;
}

export interface DagRun {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'success' | 'failed' | 'other';
  readonly logicalDate: Instant | undefined;
  readonly interval: DataInterval | undefined;
  readonly note: string | undefined;
}

export interface NewRun {
  readonly id: string;
  readonly logicalDate: Instant;
  readonly interval: DataInterval;
  readonly note: string;
}

/** Logical dates, both included. */
export interface BackfillRange {
  readonly first: Instant;
  readonly last: Instant;
}

export interface TaskAtWork {
  readonly dag: string;
  readonly run: string;
  readonly task: string;
}

export interface TaskInstance {
  readonly task: string;
  /** -1 where the task is not mapped. */
  readonly mapIndex: number;
  /** As the scheduler says it; `undefined`: not looked at yet. */
  readonly state: string | undefined;
  readonly tryNumber: number;
  /** Tries that it may have altogether; moves when somebody clears it. */
  readonly maxTries: number;
  readonly startedAt: Instant | undefined;
  readonly endedAt: Instant | undefined;
}
