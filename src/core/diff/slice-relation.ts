import type { HashMethod } from '../warehouse/dialects/postgres/row-hash.ts';
import type { TableDescription } from '../warehouse/port/table-description.ts';

/** A slice as the figures and the diff see it: which rows, which columns count, and what tells rows apart. */
export interface SliceRelation {
  readonly table: TableDescription;
  /** `undefined`: the whole table. */
  readonly predicate: string | undefined;
  /** Columns of the key, in its own order; empty where the target has none. */
  readonly key: readonly string[];
  /** No duplicate and no NULL can be in the key: the catalog has a unique index for it. */
  readonly keyGuaranteed: boolean;
  /** Columns that are not compared: declared ones, and those in `surrogates`. */
  readonly volatile: readonly string[];
  /** Columns that nobody declared and that each run fills anew by their defaults. */
  readonly surrogates?: readonly string[] | undefined;
  /** Floats that are apart by no more than this, relative to the larger one, are near; `undefined`: their last bits. */
  readonly floatTolerance?: number | undefined;
  readonly hash: HashMethod;
  /** Server version, as part of the algorithm's name. */
  readonly server: string;
}
