import type { TaskId } from '../../pipeline/model/model.ts';
import type { Problem, SourceSpan } from '../../text/span.ts';
import type { TimeExpression } from '../../time/expressions/time-expression.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { DeclaredSnapshots } from './declared-sources.ts';
import type { SliceCut } from './slice-cut.ts';
import type { TableNaming } from './table-naming.ts';

/** Where a fact came from; a declared fact beats an inferred one. */
export type Provenance = 'sql' | 'argument' | 'outlet' | 'declared';

/**
 * The range of a parent's time column that a task reads for one interval: `[min(lo), max(hi))`. Several expressions
 * on a side are the union of the possible readings (a local day of 23, 24 or 25 hours). Empty side: open.
 */
export type ReadWindow =
  | {
      readonly kind: 'range';
      readonly column: string;
      readonly lo: readonly TimeExpression[];
      readonly hi: readonly TimeExpression[];
    }
  /**
   * No time predicate: the whole table. Never expanded silently. `mayBeBoundBy`: a column that the statement bounds
   * without saying of which table; it is planned as the whole table, and not said to be.
   */
  | { readonly kind: 'unbounded'; readonly mayBeBoundBy?: string }
  | { readonly kind: 'unknown'; readonly reason: string; readonly at: SourceSpan | undefined };

export interface ReadFact {
  /** Table name as in SQL, lower case; of tables that are named by the interval, the one that stands for all of them. */
  readonly table: string;
  /** Set where a run makes the name. */
  readonly naming?: TableNaming | undefined;
  readonly window: ReadWindow;
  /** The condition that gives the window. */
  readonly windowAt?: SourceSpan | undefined;
  readonly provenance: Provenance;
  readonly at: SourceSpan | undefined;
  /** The lasting view that a statement names instead of the table. */
  readonly through?: string | undefined;
  /** Set where `table` is the template of a snapshot's name, which a run reads instead of what the statements name. */
  readonly snapshot?: SnapshotRead;
}

/** A source that is overwritten in place, and what stands in for it. */
export interface SnapshotRead {
  /** As declared. */
  readonly source: string;
  /** The source by every name that the task's statements have for it. */
  readonly of: readonly string[];
  /** A view in which the source is named, out of reach of the task. */
  readonly through: string | undefined;
  readonly snapshots: DeclaredSnapshots;
  /** Columns of the source; `undefined` where nobody has said them. */
  readonly columns: readonly string[] | undefined;
}

/** In dbt's words, with `delete` for a task that only takes rows away. */
export type WriteMode =
  | 'append'
  | 'delete'
  | 'delete+insert'
  | 'insert_overwrite'
  | 'merge'
  | 'full_replace'
  | 'create'
  | 'update'
  | 'unknown';

/** The rows of the target that one interval owns, as a function of the interval. */
export type SliceFact =
  | {
      readonly kind: 'range';
      readonly column: string;
      readonly lo: TimeExpression;
      readonly hi: TimeExpression;
      /**
       * The conjuncts of the task's own DELETE as a template (so that one rendered literal serves both), offsets into
       * `sql[sqlIndex]`; `undefined`: build the predicate from column and bounds, bound by the column's type.
       */
      readonly predicate: { readonly sqlIndex: number; readonly start: number; readonly end: number } | undefined;
      /** Without a DELETE of its own: the one value that the rows which it writes have in each of these columns. */
      readonly values?: readonly SliceValue[] | undefined;
      /** A person declared that no single column cuts it; `column` then stands for it. Beats the values. */
      readonly cut?: SliceCut | undefined;
      /** Its statements name the parts of a time, of which `column` holds the year. */
      readonly inParts?: true;
      /**
       * Nobody says the type of `column`: the rows are those of UTC's days or, where it holds moments, of this zone of the
       * session, and the range holds both.
       */
      readonly openZone?: ZoneName;
    }
  /** The task rewrites the whole table. */
  | { readonly kind: 'whole-table' }
  /** Each interval has a table of its own, which the task rewrites whole: the one that stands for `[lo, hi)`. */
  | { readonly kind: 'own-table'; readonly lo: TimeExpression; readonly hi: TimeExpression }
  | { readonly kind: 'unknown'; readonly reason: string };

/** A column, and what is put into it as a template: offsets into `sql[sqlIndex]`. */
export interface SliceValue {
  readonly column: string;
  readonly sqlIndex: number;
  readonly start: number;
  readonly end: number;
}

export type RangeSlice = Extract<SliceFact, { kind: 'range' }>;

/** A slice whose rows are of a known range of time for each interval: of one column, or a table of the interval's own. */
export type DatedSlice = Extract<SliceFact, { kind: 'range' | 'own-table' }>;

export const isDated = (slice: SliceFact): slice is DatedSlice => slice.kind === 'range' || slice.kind === 'own-table';

/** What a second run of an interval does to what the first one wrote. */
export interface ChangedColumn {
  /** `undefined`: to the rows as such. */
  readonly column: string | undefined;
  /**
   * Of the rows as such: more of them come, or fewer stay, each time. Left out: those that one run inserts the next one deletes,
   * and the other way round.
   */
  readonly rows?: 'more' | 'fewer';
  /** A sum or difference; else another value made of the old one. */
  readonly adds: boolean;
  /**
   * `sure`: it changes the value once more. `open`: it may, and `why` says what decides that. `guarded`: it does not, because
   * the rows that a first run has changed are left out.
   */
  readonly certainty: 'sure' | 'open' | 'guarded';
  readonly why?: string;
  readonly at: SourceSpan | undefined;
}

/** The column that a second run surely changes again; that it perhaps does so where none is sure. */
export const changedColumn = ({ again = [] }: Pick<WriteFact, 'again'>): ChangedColumn | undefined =>
  again.find(({ certainty }) => certainty === 'sure') ?? again.find(({ certainty }) => certainty === 'open');

/** Whether a second run surely adds rows or changes values again. */
export const surelyAgain = (write: Pick<WriteFact, 'again'>): boolean => changedColumn(write)?.certainty === 'sure';

/** Whether its rows come once more: the statements themselves do not see to it that those of a first run stay out. */
export const addsTwice = ({
  mode,
  takenFrom,
  behindMark,
  markSetBack,
  doneBy,
  leavesOut,
  mayEmpty,
}: WriteFact): boolean =>
  mode === 'append' &&
  mayEmpty === undefined &&
  takenFrom === undefined &&
  doneBy === undefined &&
  (behindMark === undefined || markSetBack === true) &&
  leavesOut === undefined;

export interface WriteFact {
  readonly table: string;
  /** The view that its statements name instead of the table, and whether that leaves rows of it out. */
  readonly through?: { readonly view: string; readonly isFiltered: boolean };
  /** Set where a run makes the name. */
  readonly naming?: TableNaming | undefined;
  /** Its statements only take rows away: another task fills the table. */
  readonly empties?: true;
  /** Only a TRUNCATE … CASCADE of a table that it refers to empties it. */
  readonly cascaded?: true;
  readonly slice: SliceFact;
  /** The condition that gives the slice. */
  readonly sliceAt?: SourceSpan | undefined;
  readonly mode: WriteMode;
  /** Columns of rows that are there whose new value is made of old ones, so that a second run of an interval changes it once more, or may. */
  readonly again?: readonly ChangedColumn[];
  /** The table out of which the rows that are added are deleted, so that a second run finds none. */
  readonly takenFrom?: string;
  /** The table of the mark behind which the rows are read that are added, so that a second run adds none of them. */
  readonly behindMark?: string;
  /** A run of an older interval sets that mark back to its own end: the runs behind it then add their rows once more. */
  readonly markSetBack?: true;
  /** The table or function that it asks whether it is done before it adds any row; `open`: what that says of a first run is not known. */
  readonly doneBy?: { readonly what: string; readonly certainty: 'sure' | 'open' };
  /** Rows are only added for which none was found in the table itself; `open`: whether those count that it adds itself is not known. */
  readonly leavesOut?: 'sure' | 'open';
  /** A column by which it looks for rows that are there: those that have NULL in it are found by none, and come again. */
  readonly addsNull?: string;
  /** A table that is emptied before, which may be the partition that holds the rows; `name` with `<…>` for what a run makes of it. */
  readonly mayEmpty?: string;
  /** The partition that holds them is emptied before. */
  readonly partEmptied?: true;
  /** What is added tells of the run itself: that it ran again is worth a row too. */
  readonly tellsOfRuns?: true;
  /** The table is made anew of all of its own rows and those that are added. */
  readonly keepsRows?: true;
  /** The key of the table on which the rows that are added fail the second time. */
  readonly refusedBy?: readonly string[];
  /** Rows that come in take the place of those that are there by their key, however new those are; of rows that are added: it changes others, too. */
  readonly overNewer?: true;
  /** The key of an upsert that finds no row, because each row gets another value of it. */
  readonly madeAnew?: readonly string[];
  /** Key of an upsert or of the table's DDL, when known. */
  readonly key: readonly string[];
  /** Which rows are an interval's is as a person declared, beside what its statements say of the same column, if anything. */
  readonly cutAsSaid?: 'alone' | Pick<RangeSlice, 'lo' | 'hi'>;
  /** A person declared that each run is to add to it. */
  readonly journal?: true;
  /** Columns that a person declared to differ after every run, as written; left out of the row checksum. */
  readonly volatile?: readonly string[];
  readonly provenance: Provenance;
  readonly at: SourceSpan | undefined;
}

/** Something about a task that planning needs and nobody has said; a declaration in `backfill.yaml` settles it. */
export interface Unknown {
  readonly task: TaskId;
  readonly about: /** What it reads or writes at all: code that is not followed. */
    | 'tables'
    /** A table's name that only the run knows. */
    | 'table-name'
    /** The range that it reads of a known table. */
    | 'window'
    /** The rows that one interval owns of a known target. */
    | 'slice';
  /** The table where it is known. */
  readonly table: string | undefined;
  /** One sentence: what is not known and why. */
  readonly message: string;
  readonly at: SourceSpan | undefined;
  /** Folders of template files that would settle it, said for the DAG. */
  readonly searchPath?: readonly string[];
}

export interface TaskFacts {
  readonly task: TaskId;
  readonly reads: readonly ReadFact[];
  readonly writes: readonly WriteFact[];
  /** Zones of sessions that its reads are right for, all of them at once; left out where it has no statement. */
  readonly readZones?: readonly ZoneName[];
  readonly unknowns: readonly Unknown[];
  readonly problems: readonly Problem[];
}
