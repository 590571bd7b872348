import type { ColumnType } from '../columns/column-type.ts';
import type { ViewDefinition } from './view-definition.ts';

/** Columns of tables as the workspace knows them, by table name as written. */
export interface TableColumns {
  has(table: string, column: string): boolean | undefined;
  typeOf(table: string, column: string): ColumnType;
  /** In the order of the table's definition, when that is known. */
  columnsOf(table: string): readonly string[] | undefined;
  /** Set for a view. */
  viewOf(table: string): ViewDefinition | undefined;
  /** Set for a materialised view: what its refresh reads. */
  materializedOf(table: string): ViewDefinition | undefined;
}
