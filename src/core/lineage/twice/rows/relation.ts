import type { MaskedText } from '../../../template/mask/masked-text.ts';
import type { Value } from '../../repeats/term.ts';

/** Rows with their columns in order; two may share a name. */
export interface Relation {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** A table of the made-up world. The last column, `ctid`, is another one in each row that is written. */
export interface WorldTable extends Relation {
  /** Columns that keep rows apart. */
  readonly keys: readonly WorldKey[];
  /** Columns that count on by themselves where nothing is given for them. */
  readonly numbered: readonly string[];
  /** The order of its columns is known; else what comes in without a list goes to the columns of its names. */
  readonly isOrdered: boolean;
}

export interface WorldKey {
  readonly columns: readonly string[];
  /** Of a partial index: whether it is about a row. */
  readonly holds?: (row: NamedRow) => boolean;
}

export type NamedRow = ReadonlyMap<string, Value>;

/** What a name in FROM stands for while one row is looked at; without values where an outer join has found none. */
export interface RowInSight {
  readonly alias: string;
  readonly columns: readonly string[];
  readonly values: readonly Value[] | undefined;
}

/** Rows in sight, the innermost query first, and the variables of a body. */
export interface Sight {
  readonly levels: readonly (readonly RowInSight[])[];
  readonly variables: ReadonlyMap<string, Value | NamedRow>;
  /** The rows of a group or of the whole query, of which this is one. */
  readonly group?: readonly Sight[];
  readonly peers?: readonly Sight[];
}

/** What is the same in every part of one statement. */
export interface Scene {
  readonly masked: MaskedText;
  /** The tables as they were when the statement began. */
  readonly tables: ReadonlyMap<string, WorldTable>;
  /** What WITH puts out by rows that it changes, by the start of its query. */
  readonly putOut: ReadonlyMap<number, Relation>;
  /** Of a place in the text whose value differs in every run: `random()`, a sequence. */
  readonly isAnew: (start: number, end: number) => boolean;
  /** What a template gives, by its source. */
  readonly given: (source: string) => Value;
  /** What the clock says, which no other run hears. */
  readonly clock: Value;
  /** A value that no other is. */
  readonly anew: () => Value;
}
