import type { ChangeCause } from './change-cause.ts';
import type { SliceFigures } from './slice-figures.ts';

export interface ColumnChange {
  readonly column: string;
  readonly rows: number;
  /** Of a float column: how many of them moved by no more than the table's tolerance. */
  readonly withinTolerance?: number | undefined;
}

/** What a numeric column of a slice added up to, as decimals; `NaN` and infinities are as the database writes them. */
export interface ColumnSum {
  readonly column: string;
  readonly before: string;
  readonly after: string;
}

/** One differing row as text per column; `before` or `after` is missing for an added or removed row. */
export interface RowSample {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly key: Readonly<Record<string, string | null>> | undefined;
  readonly before: Readonly<Record<string, string | null>> | undefined;
  readonly after: Readonly<Record<string, string | null>> | undefined;
}

/** Rows that earlier runs of the interval left, and that a single clean run would not have. */
export interface LeftOverRows {
  /** Rows of keys that a clean run does not have. */
  readonly rows: number;
  /** Rows that the run found and left, which a clean run has with other values. */
  readonly stale: number;
  /** A few of `rows`, as text per column. */
  readonly samples: readonly Readonly<Record<string, string | null>>[];
  readonly declared: 'keep' | 'delete' | undefined;
  /** They were taken away, and are among the removed rows but for those of `addedAgain`. */
  readonly deleted: boolean;
  /** How many of the deleted rows this run itself had added to equal ones. Missing where there are none, and in older records. */
  readonly addedAgain?: number | undefined;
  /** Why they were not, although that was declared. */
  readonly problem?: string | undefined;
}

/** How one slice changed by one unit. */
export interface SliceDiff {
  readonly table: string;
  readonly column: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly before: SliceFigures | undefined;
  readonly after: SliceFigures | undefined;
  readonly added: number | undefined;
  readonly removed: number | undefined;
  readonly changed: number | undefined;
  /**
   * Changed rows that differ in float columns only, and there by no more than the table's tolerance. Their checksums
   * differ all the same. Missing in older records.
   */
  readonly withinTolerance?: number | undefined;
  readonly columns: readonly ColumnChange[];
  /** Of a slice whose rows were compared and differ. Missing in others, and in older records. */
  readonly sums?: readonly ColumnSum[] | undefined;
  readonly samples: readonly RowSample[];
  /** `key`: joined on the key; `multiset`: no usable key, so only added and removed; `none`: not compared. */
  readonly method: 'key' | 'multiset' | 'none';
  readonly key: readonly string[];
  /** Columns that were not compared. */
  readonly leftOut: readonly string[];
  /** Those of `leftOut` that nobody declared: their defaults fill them anew and no INSERT names them. Missing in older records. */
  readonly surrogates?: readonly string[] | undefined;
  /** `undefined` where there are none, or where nobody could tell. */
  readonly leftOver?: LeftOverRows | undefined;
  /**
   * What its unit did beside rows of its slices, each as what it does (`drops the table a.b`): no undo takes it back. Said with
   * the first slice of the unit; missing where there is nothing, and in older records.
   */
  readonly stays?: readonly string[] | undefined;
  /** Why the rows differ, the surest cause first; empty where they do not, and in a preview. */
  readonly causes: readonly ChangeCause[];
}
