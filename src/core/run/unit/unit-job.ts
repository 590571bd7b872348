import type { WriteMode } from '../../lineage/facts/facts.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import type { SourceSpan } from '../../text/span.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { TypedCut } from '../../warehouse/dialects/postgres/slice-predicate.ts';
import type { Warehouse } from '../../warehouse/port/ports.ts';

/**
 * How many units may write the table of a slice at once, all runs together; `undefined`: as many as like. Units that
 * lock the table would only wait for each other, with their transactions open.
 */
export const tableCap = (slice: JobSlice, options: UnitOptions): number | undefined =>
  options.lockTable ? 1 : (slice.concurrency ?? options.tableConcurrency);

/** One statement of the user's task, rendered for the interval. */
export interface RenderedStatement {
  readonly text: string;
  readonly at: SourceSpan | undefined;
}

/** A task that adds its rows once more, or makes a column of its old value; without a column its rows come and go. */
export interface SliceAgain {
  readonly addsRows: boolean;
  readonly column: string | undefined;
  /** It is known by its text, so that a plan is refused that nobody allows it. */
  readonly sure?: boolean | undefined;
}

/** The slice of one written table. `predicate` is SQL over the target's columns; `undefined`: the whole table. */
export interface JobSlice {
  readonly table: string;
  /** The view that its statements name instead. */
  readonly through?: string | undefined;
  readonly column: string | undefined;
  /** ISO bounds for the ledger and for the eye. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Rendered conjuncts of the task's own DELETE; otherwise built from column, bounds and the column's type. */
  readonly predicate: string | undefined;
  /** Where there is none: rendered values of columns, the same in all rows that the task writes. */
  readonly values?: readonly { readonly column: string; readonly sql: string }[] | undefined;
  /** By what it is cut where a person declared more than a column; beats `column`, which stands for it. */
  readonly cut?: TypedCut | undefined;
  readonly mode: WriteMode;
  /** What a second run of the same code over the same rows does to it. */
  readonly again?: SliceAgain | undefined;
  /** Each run is meant to add to it. */
  readonly journal?: boolean | undefined;
  /** Why what the task leaves in it goes by the rows that it finds there, in words; `undefined`: it fills it from elsewhere. */
  readonly byOwn?: string | undefined;
  /** The rows before are another run's, or go on purpose: that fewer are left is never held. */
  readonly stage?: boolean | undefined;
  /**
   * Of several units of the plan that each put others in the place of all these rows (a whole table as of the interval):
   * `passing` where one of them comes later, `last` for the one that what is left is of.
   */
  readonly turn?: 'passing' | 'last' | undefined;
  /** Declared key, else the ledger asks the catalog for the primary key. */
  readonly key: readonly string[];
  /** Columns left out of the row checksum, by name. */
  readonly volatile: readonly string[];
  /** Relative tolerance of this table's floats in the row diff; otherwise the options' own. */
  readonly floatTolerance?: number | undefined;
  /** Columns that are left out though nobody declared them; otherwise those that the defaults of the table fill. */
  readonly surrogates?: readonly string[] | undefined;
  /** Why rows of the slice may belong to others too, in words; `undefined`: all of them are what this unit's runs made. */
  readonly shared?: string | undefined;
  /** What was declared for rows that earlier runs left and one clean run would not have; else they are kept. */
  readonly orphans?: 'keep' | 'delete' | undefined;
  /** Units that may write this table at once, of all runs together; otherwise the options' own. */
  readonly concurrency?: number | undefined;
}

/** What a unit read: recorded with each slice version so that staleness and causes can be told later. */
export interface JobInput {
  readonly table: string;
  readonly column: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Set where the table holds the state of a source in the unit's interval and is read instead of it. */
  readonly snapshot?: InputSnapshot | undefined;
  /** Set, as SQL, where these are a unit's own rows of the table, and only the others are read. */
  readonly except?: string | undefined;
}

export interface InputSnapshot {
  /** The source. */
  readonly of: string;
  /** Where one table holds the snapshots of all intervals: the column and the value of this one. */
  readonly column: string | undefined;
  readonly date: string | undefined;
}

/** A task of a run of a DAG that a scheduler carries out, instead of statements of ours. */
export interface CarriedTask {
  /** Its name in `backfill.yaml`. */
  readonly scheduler: string;
  readonly dag: string;
  /** Name inside of the DAG. */
  readonly task: string;
  /** Every run of it gives the same whole table, and it is done in the run of this interval: there is none of its own. */
  readonly at?: DataInterval | undefined;
  /** Why its rows are not compared, or not all of them, in words. */
  readonly uncompared?: string | undefined;
  /** It claims and locks its rows by itself, and would be kept out by a claim of ours. */
  readonly locksItself?: boolean | undefined;
  /** It only marks a place in its DAG: the scheduler ends it in the moment in which it begins. */
  readonly marks?: boolean | undefined;
  /** Runs that the scheduler is to make in one go, of which its own is one. */
  readonly range?: CarriedRange | undefined;
}

/** Runs of a DAG side by side of which none is there yet, and whose tasks are all in the plan. */
export interface CarriedRange {
  /** Logical dates, both included. */
  readonly first: Instant;
  readonly last: Instant;
  /** Units of the plan that are carried out in them. */
  readonly units: number;
  /** Of them side by side. */
  readonly maxActiveRuns: number;
}

/** Where the tables of a unit are: in the database that has the ledger, or in files behind a connection of Spark. */
export type UnitPlace =
  | { readonly kind: 'database' }
  | {
      readonly kind: 'lake';
      /** Its name in `backfill.yaml`. */
      readonly connection: string;
    };

/** Whether the tables of a unit are files of a lake, and not in the database of the ledger. */
export const isOnFiles = ({ place }: Pick<UnitJob, 'place'>, { lake }: Pick<Warehouse, 'lake'>): boolean =>
  place === undefined ? lake !== undefined : place.kind === 'lake';

/** Everything that running one unit needs, decided before the first statement. */
export interface UnitJob {
  readonly run: string;
  readonly unit: UnitId;
  readonly task: TaskId;
  readonly interval: DataInterval;
  /** Absent: where the connection leads that its run was started on. */
  readonly place?: UnitPlace | undefined;
  /** The zone of the pipeline, where days or wall times bound what the task reads. */
  readonly calendarZone?: ZoneName | undefined;
  /** Zones of sessions that its windows are right for; left out where only those of UTC and `calendarZone` are. */
  readonly readZones?: readonly ZoneName[] | undefined;
  readonly statements: readonly RenderedStatement[];
  readonly slices: readonly JobSlice[];
  readonly inputs: readonly JobInput[];
  /** Units that fill a table which holds one interval at a time, and that this one reads for its own. */
  readonly filledBy?: readonly UnitId[] | undefined;
  /**
   * The unit is in its plan only because of what it reads, and all that it reads is in `inputs`: with the same inputs
   * as last time it need not run.
   */
  readonly cutsOff: boolean;
  /** It may read other tables than `inputs` has. */
  readonly readsMore?: boolean | undefined;
  readonly codeHash: string;
  /** The unit of an earlier run whose change is taken back; the job then has no statements of its own. */
  readonly restores: RestoredVersion | undefined;
  /** Its slices are emptied before its statements: to see what one clean run leaves. Never kept. */
  readonly fromNothing?: boolean | undefined;
  /** Who carries it out; absent: our own engine, by its statements. */
  readonly carried?: CarriedTask | undefined;
  /** Why it cannot be one transaction; somebody said that it is to be run all the same. */
  readonly notAtomic?: string | undefined;
  /**
   * What it does that no rollback takes back, in words, as far as the database shows it. Its statements are then sent
   * once. Absent: nothing that is known.
   */
  readonly outside?: readonly string[] | undefined;
  /** Code that runs SQL which it makes, in words (`mart.load()`): what that does is not among `outside`. */
  readonly makesSql?: readonly string[] | undefined;
  /** Whom its statements run as; `undefined`: who connects. */
  readonly role?: string | undefined;
  readonly options: UnitOptions;
}

/** What decides in its session beside its statements, as the ledger keeps it. */
export const sessionSettings = ({ role, options }: Pick<UnitJob, 'role' | 'options'>): UnitOptions['settings'] =>
  role === undefined ? options.settings : { ...options.settings, role };

export interface RestoredVersion {
  readonly run: string;
  readonly unit: UnitId;
}

export interface UnitOptions {
  /** `rows`: old copy, checksums and row diff; `checksums`: figures only; `none`: count only. */
  readonly compare: 'rows' | 'checksums' | 'none';
  /** Rows of each kind shown as samples, at most 20. */
  readonly samples: number;
  /** Relative; rows whose floats moved by no more are told apart in the row diff. `undefined`: by the last bits of each type. */
  readonly floatTolerance?: number | undefined;
  /**
   * Hold when the slice shrinks by more than this share (0…100) or becomes empty, and when a second run would add rows
   * again; `undefined`: nothing is held for a decision.
   */
  readonly holdShrinkPercent: number | undefined;
  /** Keep the old rows of a changed slice of at most this many rows, so that it can be undone; 0: never. */
  readonly keepBeforeRows: number;
  /** Record what each input holds, and leave out units that would see what they saw last time. */
  readonly earlyCutoff: boolean;
  /** Take SHARE ROW EXCLUSIVE on each target, where another scheduler writes it too. */
  readonly lockTable: boolean;
  /** Units that may write one table at once, and be at work on this connection at once, of all runs together. */
  readonly tableConcurrency?: number | undefined;
  readonly connectionConcurrency?: number | undefined;
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly leaseMs: number;
  /** Slices without a gap, of at most this many milliseconds, may be made in one go where that gives the same; absent: each alone. */
  readonly batchMs?: number | undefined;
  /** Session settings of the scheduler's connection (e.g. `timezone`) and of the task, applied before its statements. */
  readonly settings: Readonly<Record<string, string>>;
}
