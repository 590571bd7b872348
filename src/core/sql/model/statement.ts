import type { Span } from '../../text/span.ts';
import type { CommonTable, FromItem, QueryBlock, SqlExpression } from './expression.ts';
import type { TableReference } from './table-reference.ts';

export type Trust = 'full' | 'envelope';

export const statementKinds = [
  'begin',
  'commit',
  'rollback',
  'select',
  'insert',
  'insert_overwrite',
  'insert_overwrite_dir',
  'insert_replace_where',
  'replace',
  'delete',
  'update',
  'merge',
  'truncate',
  'create_table',
  'create_table_as',
  'create_view',
  'create_procedure',
  'drop',
  'rename',
  'alter',
  'alter_rename',
  'alter_swap',
  'alter_append',
  'alter_partition',
  'copy',
  'load',
  'export',
  'unload',
  'refresh',
  'do',
  'other',
] as const;

/** What a statement does, by its first keywords; DECLARE, SET and CALL are `other`, END is `commit`. */
export type StatementKind = (typeof statementKinds)[number];

/** `SET column = value` of UPDATE, upsert or a MERGE branch; the span covers the whole assignment. */
export interface Assignment extends Span {
  readonly column: string;
  /** Table or alias in front of the column. */
  readonly qualifier?: string;
  readonly value: SqlExpression;
}

/** ON CONFLICT / ON DUPLICATE KEY / OR REPLACE / IGNORE. The span is the action (`DO NOTHING`, `DO UPDATE`). */
export interface ConflictClause extends Span {
  readonly action: 'update' | 'nothing';
  /** Columns of the conflict target; empty when none is named. */
  readonly key: readonly string[];
  /** `ON CONFLICT ON CONSTRAINT name`, which stands for its columns. */
  readonly constraint?: string | undefined;
  /** `ON CONFLICT (k) WHERE …`: what the partial index asks by which rows are found. */
  readonly asked?: readonly SqlExpression[];
  readonly where: readonly SqlExpression[];
}

export interface MergeBranch extends Span {
  readonly action: 'update' | 'insert' | 'delete' | 'nothing';
  readonly matched: 'matched' | 'not-matched' | 'not-matched-by-source';
  readonly condition: readonly SqlExpression[];
  readonly assignments: readonly Assignment[];
  /** Columns and values of INSERT; empty for `INSERT *` and its kin. */
  readonly columns: readonly string[];
  readonly values: readonly SqlExpression[];
  /** The action's own span, e.g. `UPDATE SET …`. */
  readonly actionSpan: Span;
}

/** A column of CREATE TABLE. */
export interface ColumnDefinition extends Span {
  readonly name: string;
  readonly type: string;
  readonly notNull: boolean;
  readonly primaryKey: boolean;
  readonly unique: boolean;
  readonly generated: boolean;
  /** Each row gets a value of its own: a number that counts up. */
  readonly numbered?: true;
  /** It has a DEFAULT that is not NULL. */
  readonly hasDefault: boolean;
}

/** One statement as understood from its tokens. Offsets are UTF-16 in the unmasked text. Never throws; what is not understood is missing. */
export interface Statement extends Span {
  readonly kind: StatementKind;
  /** From the first keyword through the target's name: what a finding about the whole statement underlines. */
  readonly head: Span;
  readonly target: TableReference | undefined;
  readonly targetAlias: string | undefined;
  /** All targets; more than one for INSERT ALL and multi-insert. */
  readonly targets: readonly TableReference[];
  /** Tables that are read, CTE names excluded, each as often as it is named. */
  readonly reads: readonly TableReference[];
  /** Column list of INSERT / COPY; empty when none is written. */
  readonly columns: readonly string[];
  /** The SELECT of INSERT … SELECT, CTAS, MERGE USING (…), a plain SELECT; `undefined` for VALUES and the rest. */
  readonly query: QueryBlock | undefined;
  /** Common tables in front of UPDATE, DELETE and MERGE; those in front of another statement are in its `query`. */
  readonly with: readonly CommonTable[];
  /** Number of VALUES rows; 0 when there is none. */
  readonly valueRows: number;
  readonly values: readonly SqlExpression[];
  /** WHERE of UPDATE and DELETE (for INSERT … SELECT look at `query.where`), split at ANDs. */
  readonly where: readonly SqlExpression[];
  readonly whereSpan: Span | undefined;
  /** FROM / USING of UPDATE, DELETE and MERGE. */
  readonly from: readonly FromItem[];
  readonly on: readonly SqlExpression[];
  readonly assignments: readonly Assignment[];
  readonly conflict: ConflictClause | undefined;
  readonly branches: readonly MergeBranch[];
  readonly definitions: readonly ColumnDefinition[];
  /** Unique keys of CREATE TABLE / CREATE UNIQUE INDEX: primary key first. */
  readonly keys: readonly (readonly string[])[];
  /** Of CREATE UNIQUE INDEX … WHERE: a key of some of the rows, and the condition that tells which. */
  readonly partialKey?: { readonly columns: readonly string[]; readonly where: Span };
  /** Columns by which CREATE TABLE keeps rows apart, in order. */
  readonly partitionedBy: readonly string[];
  readonly partition: 'static' | 'dynamic' | 'mixed' | 'none' | undefined;
  /** Entries of `PARTITION (…)`: `column = value` (a binary) or a column alone. */
  readonly partitionBy: readonly SqlExpression[];
  readonly temporary: boolean;
  readonly ifNotExists: boolean;
  readonly orReplace: boolean;
  /** `INSERT … BY NAME`: columns find each other by their names, whatever their order. */
  readonly byName: boolean;
  /** Calls whose result differs between runs, with their spans (`now()`, `random()`, `uuid_generate_v4()`, `current_date`). */
  readonly nondeterministic: readonly (Span & {
    readonly name: string;
    readonly family: 'clock' | 'random' | 'sequence';
  })[];
  /** Names of the output columns, `undefined` where unnamed. */
  readonly outputColumns: readonly (string | undefined)[];
  /**
   * `envelope`: the expression parser of the dialect disagreed on kind or target, so expressions are not trusted.
   * Decided when `answer` is first read: a second reading of every statement would cost as much as the first.
   */
  readonly trust: { readonly answer: Trust };
  /** New name of a rename, `SWAP WITH` partner, `COPY … FROM` direction. */
  readonly renamedTo: TableReference | undefined;
  readonly copyDirection: 'from' | 'to' | undefined;
  /** Data-modifying common tables (`WITH d AS (DELETE … RETURNING …)`), which run in the same statement. */
  readonly modifying: readonly Statement[];
  /**
   * What stands in the body of DO, of a routine, trigger, event or task, or in a literal EXECUTE IMMEDIATE, as far as
   * it is SQL: in source order, blocks and control flow left out. Bodies of DO and EXECUTE IMMEDIATE run with their
   * statement, those of a routine only when it is called. INTO of a SELECT names variables there.
   */
  readonly body: readonly Statement[];
  /** Stands in a branch, a loop or an exception handler of its script or body: it may run any number of times. */
  readonly conditional: boolean;
  /** Where it breaks off: it is half typed, or broken. */
  readonly unfinished?: Span;
  /** The routine that is created or called. */
  readonly routine: TableReference | undefined;
}

/** All statements of one text. A statement that is broken never hides another. */
export interface SqlReading {
  readonly statements: readonly Statement[];
  readonly problems: readonly (Span & { readonly message: string })[];
  /** Commands of psql that decide what is done; absent where there are none. */
  readonly clientCommands?: readonly Span[];
}
