import type { SymbolicValue } from '../../template/names/symbolic-value.ts';
import type { SourceSpan } from '../../text/span.ts';
import type { Conditioned } from './condition.ts';
import type { Sourced } from './sourced.ts';

/** What a write that is no SQL does to the rows that are there, in dbt's words. */
export type AccessMode =
  | 'append'
  /** Every row of the table, or of the partition where one is named, is replaced. */
  | 'full_replace'
  | 'insert_overwrite'
  | 'merge'
  /** Fails when rows are there (`WRITE_EMPTY`, `if_exists='fail'`). */
  | 'create'
  | 'unknown';

/**
 * A table that a task reads or writes by other means than SQL text: an argument of a transfer operator,
 * `frame.to_sql(…)`, `hook.insert_rows(…)`, a load job.
 */
export interface TableAccess extends Conditioned {
  readonly direction: 'read' | 'write';
  /** Name as in SQL with its schema, lower case; `unknown` when only the run knows it, with the reason. */
  readonly table: Sourced<SymbolicValue>;
  /** What makes the access, as the user knows it: `to_sql`, `S3ToRedshiftOperator`. */
  readonly by: string;
  /** Of a write; `undefined` for a read. `at` is undefined where the mode is the silent default of the call. */
  readonly mode: Sourced<AccessMode> | undefined;
  /** The partition that is named with the table (`t$20261128`, a `partition` argument), where there is one. */
  readonly partition: Sourced<SymbolicValue> | undefined;
  /** Columns that identify a row for `merge`, as written; empty otherwise. */
  readonly key: readonly string[];
  /** The whole call, or the operator's argument: the place a rule underlines when the mode is a default. */
  readonly at: SourceSpan;
  /** As for `TaskSql.session`. */
  readonly session?: number;
}

/** A part of a task that could not be read, said with its place: "this loop runs over an API result". */
export interface Unread {
  /** What is not known because of it. `effect`: what is done elsewhere with what the task hands over, and with that alone. */
  readonly hides: 'statement' | 'table' | 'code' | 'effect';
  /** One sentence for a person, without "could not read": what stands there and why it is not known. */
  readonly reason: string;
  readonly at: SourceSpan;
  /** Folders of template files with which it would be known: those of the DAG, and one of the workspace that has the file. */
  readonly searchPath?: readonly string[];
}
