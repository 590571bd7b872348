import type { ColumnType } from '../columns/column-type.ts';
import type { TablePart } from './table-parts.ts';
import type { ViewDefinition } from './view-definition.ts';

/** A unique index on some rows of a table, and as SQL on which. */
export interface PartialKey {
  readonly columns: readonly string[];
  readonly where: string;
}

/** What is known of the keys of a table. */
export interface TableKeys {
  /** Columns in order; empty where nobody has said them. */
  readonly columns: readonly {
    readonly name: string;
    readonly notNull: boolean;
    readonly isFilled?: true;
    readonly isNumbered?: true;
  }[];
  readonly keys: readonly (readonly string[])[];
  readonly partialKeys?: readonly PartialKey[] | undefined;
}

/** Columns of tables as the workspace knows them, by table name as written. */
export interface TableColumns {
  has(table: string, column: string): boolean | undefined;
  typeOf(table: string, column: string): ColumnType;
  /** As the definition of the table or the database has it, in lower case; also where it says nothing of times. */
  writtenType(table: string, column: string): string | undefined;
  /** In the order of the table's definition, when that is known. */
  columnsOf(table: string): readonly string[] | undefined;
  /** Its partitions whose days are known. */
  partsOf(table: string): readonly TablePart[];
  /** What keeps rows of the table apart, as its definition or the database says. */
  keysOf(table: string): TableKeys;
  /** Set for a view. */
  viewOf(table: string): ViewDefinition | undefined;
  /** Set for a materialised view: what its refresh reads. */
  materializedOf(table: string): ViewDefinition | undefined;
}
