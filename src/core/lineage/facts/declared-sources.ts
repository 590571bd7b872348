import type { CalendarOffset } from '../../time/zones/calendar.ts';

/** What a person says in `backfill.yaml` about a table that tasks read: what of it can still be read as it was. */
export interface DeclaredSource {
  /** Lower case, as in SQL. */
  readonly table: string;
  /** Rows older than this are gone; `undefined`: all are kept. */
  readonly retention: { readonly offset: CalendarOffset; readonly words: string } | undefined;
  /** Overwritten in place: whoever reads it gets today's rows, whatever the interval. */
  readonly mutable: boolean;
  readonly snapshots: DeclaredSnapshots | undefined;
}

/** Where the state of a source in each interval is kept; a run reads it instead of the source. */
export interface DeclaredSnapshots {
  /** Template of a table's name. Without a `column` it names another table for each interval. */
  readonly table: string;
  /** The column of that table that holds the date of the snapshot. */
  readonly column: string | undefined;
  /** Template of that date. */
  readonly date: string;
  /** Columns of the source, where no definition in the workspace says them. */
  readonly columns: readonly string[];
}

/** The declarations of a workspace by table. */
export type DeclaredSources = ReadonlyMap<string, DeclaredSource>;

export const noSources: DeclaredSources = new Map();
