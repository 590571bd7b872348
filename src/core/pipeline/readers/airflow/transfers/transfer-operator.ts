import type { AccessMode } from '../../../model/table-access.ts';

/** Arguments that say which table is meant; `a.b` is a key inside a dict argument. */
export interface TableArgument {
  /** The name itself, or a list of names. Of several spellings the first that is given counts. */
  readonly table: readonly string[];
  /** Leading parts in arguments of their own (project, dataset, schema), outermost first; each may be left out. */
  readonly within?: readonly string[];
  /** Used for the innermost of `within` when it is left out. */
  readonly schemaDefault?: string;
  /** Partition in an argument of its own. A `$20261128` behind a BigQuery name is read without this. */
  readonly partition?: { readonly argument: string; readonly silent?: string };
  /** The table is not touched when this argument is given. */
  readonly unless?: string;
  /** The operator works without it: nothing is said when it is left out. */
  readonly optional?: boolean;
}

/** What the values of an argument make of the rows that are there; the first pattern that matches the text counts. */
export interface ModeArgument {
  readonly argument: string;
  /** Booleans are `true` and `false`, names of constants their last part (`WRITE_APPEND`). */
  readonly modes: readonly (readonly [RegExp, AccessMode])[];
}

export interface TransferWrite extends TableArgument {
  /** The first of the arguments that is given and not None decides. */
  readonly mode?: readonly ModeArgument[];
  /** When none of them is given: the class's own default. */
  readonly silent: AccessMode;
  /** Argument with the columns that identify a row. */
  readonly key?: string;
  /** True in this argument: the whole table is dropped first, also where a partition is named. */
  readonly dropsTable?: string;
}

/** What an operator does to tables that its arguments name. SQL text that it takes as well is in `sqlOperators`. */
export interface TransferOperator {
  readonly reads?: readonly TableArgument[];
  readonly writes?: readonly TransferWrite[];
}
