import type { TableColumns } from '../queries/table-columns.ts';

/** What the rest of the workspace knows about tables, by name as written. */
export interface KnownTablesOfWorkspace extends TableColumns {
  /** Columns by which tasks of the workspace cut the table into slices. */
  slicedBy(table: string): readonly string[];
  /** Columns by which the definition of the table keeps rows apart, in order. */
  partitionedBy(table: string): readonly string[];
  /** The type of a column in the database, where that was asked and no file defines the table. */
  storedType(table: string, column: string): ReturnType<TableColumns['typeOf']>;
  /** Tables that a TRUNCATE … CASCADE empties with it, as the foreign keys of the database have it. */
  emptiedWith(table: string): readonly string[];
  /** True when two names mean one table. */
  same(a: string, b: string): boolean;
}
