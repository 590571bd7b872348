export const describeSchema = (table: TableDescription): string =>
  table.columns.map(({ name, type, notNull }) => `${name} ${type}${notNull ? ' not null' : ''}`).join(', ');

/** One column of a target as the catalog has it. */
export interface ColumnDescription {
  readonly name: string;
  /** As `format_type` shows it, e.g. `numeric(10,2)`. */
  readonly type: string;
  /** The base type's name without its modifier, domains followed to their end, e.g. `timestamptz`. */
  readonly baseType: string;
  readonly notNull: boolean;
  /** SQL over the column (`%` stands for it) whose binary form depends on its value only. */
  readonly stable: readonly string[];
  /** Needs the text settings pinned: the type has no binary form of its own. */
  readonly textual: boolean;
  readonly float: boolean;
  /** `=` tells its values apart, so that it can be part of a key. */
  readonly equatable: boolean;
  /** Where nobody names it, each new row gets another value: identity, sequence, random, clock. */
  readonly surrogate: boolean;
  /** Columns of the table that it is computed from; empty where it is not generated. */
  readonly computedFrom: readonly string[];
}

/** What the run protocol must know of a table before it touches it. */
export interface TableDescription {
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  /** `schema.name`: how claims, locks and the ledger name it, however the task wrote it. */
  readonly qualified: string;
  readonly columns: readonly ColumnDescription[];
  /** Unique keys whose columns are all NOT NULL, the primary key first. */
  readonly keys: readonly (readonly string[])[];
  /** The table itself, its partitions and its inheritance children: where rows of it are really written. */
  readonly storage: readonly string[];
  /** Row security may hide rows of it from this connection. */
  readonly rowSecurity: boolean;
  /** Triggers of the user's own; foreign keys do not count. */
  readonly triggers: boolean;
  /** Set for a materialized view, whose rows a refresh makes and nothing else; `unfilled`: none has yet. */
  readonly materialized?: 'filled' | 'unfilled' | undefined;
}

/** A column's name and its type as `format_type` shows it. */
export type ColumnType = readonly [name: string, type: string];

export const columnTypes = ({ columns }: Pick<TableDescription, 'columns'>): readonly ColumnType[] =>
  columns.map(({ name, type }) => [name, type]);
