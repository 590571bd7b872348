import type { DeclaredSource } from '../../lineage/facts/declared-sources.ts';
import type { DatedSlice, ReadWindow, WriteFact } from '../../lineage/facts/facts.ts';
import type { Executor, TaskId } from '../../pipeline/model/model.ts';
import type { Grid } from '../../time/intervals/grid.ts';
import type { CalendarOffset } from '../../time/zones/calendar.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { UnitId } from './plan.ts';

/** A table that a task of the workspace writes and this task reads. `parent` may be the task itself. */
export interface ParentRead {
  readonly parent: TaskId;
  readonly table: string;
  readonly window: ReadWindow;
  /**
   * A stage: the table holds only what the parent's latest run put there, so a run reads the rows of its own; `emptied`: and which the
   * parent only takes the rows away of, before others fill it.
   */
  readonly sameRun?: 'filled' | 'emptied';
  /** The parent empties the table by a cascade, and this task fills it again: it is not read. */
  readonly refills?: true;
  /** The parent comes later in the task's own run: whatever the window says, only earlier intervals are read. */
  readonly earlierRuns?: boolean;
}

/** Runs of another pipeline that use a table which this task empties for its own run: those that start before it, or `isFirst`: with it. */
export interface TakenTurn {
  readonly users: readonly TaskId[];
  readonly isFirst: boolean;
}

/** A table that the task reads as it is now, and of which a person has said what can still be read. */
export interface SourceRead {
  readonly source: DeclaredSource;
  readonly window: ReadWindow;
  /** Tasks of the workspace that write it. */
  readonly writers: readonly TaskId[];
  /** How the task itself has to do with the source: what it reads it for is not an interval of old. */
  readonly makes: 'source' | 'snapshots' | undefined;
}

/** A table or function that a task reads and that nothing in the workspace makes. */
export interface UnmadeRead {
  /** As the task names it; a function with its brackets. */
  readonly name: string;
  /**
   * `unasked`: no database was asked what stands behind the name. `unread`: a function whose text does not say what it
   * reads. `unrefreshed`: a materialized view of the database, made of the tables `over`, which no task refreshes.
   */
  readonly why: 'unasked' | 'unread' | 'unrefreshed';
  readonly over: readonly string[];
}

/** A task that another one comes after by the order of the files, and what the logical date moves by on the way to it. */
export interface OrderedBehind {
  readonly parent: TaskId;
  readonly shift: CalendarOffset | undefined;
  /**
   * A table joins the two as well, and both are of one run. What has to be redone is then a matter of the table; but within the
   * run the one waits for the other, as it does in the scheduler, whatever it reads of it.
   */
  readonly inRun?: true;
}

/** A task as the planner sees it: a grid, windows on its parents, and nothing of the format it was written in. */
export interface PlannableTask {
  readonly id: TaskId;
  readonly zone: ZoneName;
  /** `undefined`: the schedule gives no grid; `noGrid` says why. */
  readonly grid: Grid | undefined;
  readonly noGrid: string | undefined;
  /** Why the scheduler cannot load the file that it stands in. */
  readonly unloadable?: string;
  /** `zero-width` bounds are used by this task under Airflow 3's default timetable. */
  readonly zeroWidth: boolean;
  readonly reads: readonly ParentRead[];
  readonly sources?: readonly SourceRead[];
  readonly unmade?: readonly UnmadeRead[];
  /**
   * Edges without a table: this task's logical date moved by `shift` (a sensor's delta, negated) is the parent's that
   * it follows. An edge to itself: its runs go one at a time, oldest first.
   */
  readonly after: readonly OrderedBehind[];
  /** Where the files order it behind another task, joined by a table or not: over a task that a plan leaves out, the order stays. */
  readonly ordered?: readonly OrderedBehind[];
  readonly writes: readonly WriteFact[];
  /** In place of its own slices, those by which a range of days means runs of it: a stage is of the days of its run. */
  readonly pickedBy?: readonly DatedSlice[];
  /**
   * Every run gives the same table, whatever its interval: one, after everything that it reads, is all that a plan
   * needs. It is the newest finished one.
   */
  readonly fullRefresh?: true;
  /**
   * Every run rewrites the whole table as of its interval, so whatever is run, the newest interval has to come last.
   * With all of these tasks, which fill what it empties or empty what it fills; without one of them it does not come.
   */
  readonly lastRunWins?: readonly TaskId[];
  /** Tasks of the same run that are done with what this one wrote before its next run empties the table again. */
  readonly usedBy?: readonly TaskId[];
  /** As with {@link usedBy}, but where other pipelines use the same table for themselves. */
  readonly turns?: readonly TakenTurn[];
  /** Stages that it writes: fewer rows than before say nothing, because the rows before are another run's. */
  readonly stages?: readonly string[];
  /** The task that empties the slice which this one only adds rows to: the two are one rerun. */
  readonly pairedWith?: TaskId;
  readonly executor: Executor;
  readonly codeHash: string;
}

/** A data range `[from, to)` picks the runs that write data of it; logical dates `first..last`, both included, pick by start. */
export type Selection =
  | { readonly kind: 'data-range'; readonly from: Instant; readonly to: Instant }
  | { readonly kind: 'logical-dates'; readonly first: Instant; readonly last: Instant };

export interface PlanRequest {
  readonly tasks: readonly TaskId[];
  readonly selection: Selection;
  /** Of what `selection` picks, only these: days that do not follow each other. `undefined`: all of it. */
  readonly only?: readonly UnitId[];
  readonly downstream: boolean;
  /** Downstream tasks left out by hand; their slices stay stale and the plan says so. */
  readonly without: readonly TaskId[];
  /** Expand children whose read has no time predicate (offered, never silent). */
  readonly expandUnbounded: boolean;
  /** Allow `append` tasks, whose second run doubles rows. */
  readonly allowAppend: boolean;
  /** Which interval of a task comes first where that is free; `oldest` where it is not said. */
  readonly order?: 'oldest' | 'newest';
  /** Allow intervals whose sources do not keep any more what they read. */
  readonly allowExpired?: boolean;
  readonly now: Instant;
}
