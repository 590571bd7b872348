import type { CalendarOffset } from '../../time/zones/calendar.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { SliceCut } from './slice-cut.ts';

/** One edge of a declared window in words: `start - 6 days`, floored to a unit. */
export interface DeclaredEdge {
  readonly anchor: 'start' | 'end';
  readonly floor: 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year' | undefined;
  readonly offset: CalendarOffset;
  /** Whose calendar the unit is of; the pipeline's where it is not said. */
  readonly zone?: ZoneName;
}

/** What a person says in `backfill.yaml` about one task; it beats what was inferred for the same table. */
export interface DeclaredTask {
  /** Reads and writes are both listed, if only as empty: beside them and what was read there is nothing else. */
  readonly complete?: boolean;
  /** When its slices are held, instead of what holds for the run; `shrinkPercent` undefined: never. */
  readonly hold?: { readonly shrinkPercent: number | undefined } | undefined;
  /** Slices without a gap, of at most this many milliseconds together, are made in one go where that gives the same; else each alone. */
  readonly batchMs?: number | undefined;
  readonly reads: readonly {
    readonly table: string;
    readonly column: string | undefined;
    /** `all`: the whole table, for every interval. */
    readonly window: 'all' | { readonly lo: DeclaredEdge | undefined; readonly hi: DeclaredEdge | undefined };
  }[];
  readonly writes: readonly {
    readonly table: string;
    readonly column: string | undefined;
    /** By what it is cut where no column is. */
    readonly cut?: SliceCut | undefined;
    /** `all`: every interval rewrites the whole table. */
    readonly slice?: 'all' | undefined;
    /** Each run is to add to it, so that a second run that does is nothing to be held. */
    readonly journal?: true | undefined;
    /** The rows of `column` or `cut` that one interval owns; `undefined`: those of its data interval, or as the statements say. */
    readonly range?: { readonly lo: DeclaredEdge; readonly hi: DeclaredEdge } | undefined;
    readonly key: readonly string[];
    /** Columns left out of the row checksum, e.g. load timestamps. */
    readonly volatile: readonly string[];
    /** What becomes of rows that earlier runs left in a slice and one clean run would not have; else they are kept and told. */
    readonly orphans?: 'keep' | 'delete' | undefined;
    /** Relative tolerance of its float columns in the row diff. */
    readonly floatTolerance?: number | undefined;
    /** Units that may write it at once. */
    readonly concurrency?: number | undefined;
  }[];
}

/** The declarations of a workspace by task id (`dag.task` or a file's path). */
export type DeclaredFacts = ReadonlyMap<string, DeclaredTask>;
