/** What the catalog of a database says of a table or view; names are `schema.name`, as the catalog has them. */
export interface DatabaseRelation {
  readonly name: string;
  readonly kind: 'table' | 'view' | 'materialized view' | 'foreign table';
  readonly columns: readonly string[];
  /** Of each column, as `format_type` shows it without its modifier. */
  readonly types: readonly string[];
  /** Of a table: columns of its unique keys; those that are never NULL; those that have a default; those whose default is another value for each row. */
  readonly keys?: readonly (readonly string[])[];
  /** Of partial unique indexes, with their conditions as SQL. */
  readonly partialKeys?: readonly { readonly columns: readonly string[]; readonly where: string }[];
  readonly notNull?: readonly string[];
  readonly filled?: readonly string[];
  readonly numbered?: readonly string[];
  /** Tables that refer to it by foreign keys, and those that refer to them: TRUNCATE … CASCADE empties them too. Left out where there is none. */
  readonly emptiedWith?: readonly string[];
  /** The query of a view, every name in it with its schema; `undefined` for what has rows of its own. */
  readonly query: string | undefined;
  /** Of a view: a rule or trigger takes what is written to it elsewhere. */
  readonly redirected?: true;
  /** Relations and routines that its query and its row-security policies name. */
  readonly reads: readonly string[];
  readonly calls: readonly string[];
  /** Its partitions and the tables that inherit from it, all the way down: their rows are its rows too. */
  readonly parts: readonly string[];
  /** Of those that are partitions, which rows they hold, as the catalog shows it: `FOR VALUES FROM ('…') TO ('…')`. */
  readonly bounds?: readonly { readonly name: string; readonly bound: string }[];
  /** Row-security policies may read more than what a statement names. */
  readonly hasPolicies: boolean;
}

/** A function or procedure of the user's own; overloads share a name. */
export interface DatabaseRoutine {
  readonly name: string;
  readonly kind: 'function' | 'procedure';
  /** In lower case, as the catalog has it: `sql`, `plpgsql`, `c`, … */
  readonly language: string;
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  /** What a call gives, in order; `name` is empty where the parameter has none. */
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  /** The body, or the query of one in SQL's own syntax; `undefined` where it is not in SQL or PL/pgSQL. */
  readonly body: string | undefined;
  /** Relations and routines that its body names, as far as the database knows them. */
  readonly reads: readonly string[];
  readonly calls: readonly string[];
  /** False: it may read and write more than that, because of its language or of text that it runs as SQL. */
  readonly isRead: boolean;
}

/** Views, routines and tables that a workspace names, and all that these name in turn. */
export interface DatabaseDefinitions {
  /** By each name that was asked for and means one, and by its own. */
  readonly relations: ReadonlyMap<string, DatabaseRelation>;
  readonly routines: ReadonlyMap<string, readonly DatabaseRoutine[]>;
  /** `TimeZone` of its sessions under the settings of the connection, as the server has it; left out where it was not asked. */
  readonly timeZone?: string;
}

export const noDefinitions: DatabaseDefinitions = { relations: new Map(), routines: new Map() };
