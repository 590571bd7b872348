import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { SliceRelation } from '../../diff/slice-relation.ts';
import type { TakenFigures, VersionedFigures } from '../../diff/take-figures.ts';
import type { TableDescription } from '../../warehouse/port/table-description.ts';
import type { Target } from '../tables/target.ts';
import type { UpsertKey } from '../tables/upsert-keys.ts';

export interface AppliedSlice {
  readonly target: Target;
  readonly table: TableDescription;
  readonly diff: SliceDiff;
  readonly taken: TakenSlice;
  /** Its old rows, where they are not all in the copy of its own. */
  readonly oldRows?: OldRows | undefined;
  /** Of a table that the unit made: what it was like, to be told from any other. */
  readonly made?: string | undefined;
  /** An undo has dropped the table. */
  readonly gone?: boolean;
}

/** The old rows of a slice, as SQL, until the end of the transaction. */
export interface OldRows {
  readonly rows: string;
  /** `rows` are only those that went or became others: what was added beside, and the key that tells all of them apart. */
  readonly part?: { readonly added: string; readonly key: readonly string[] } | undefined;
  /** Several slices have theirs in these pairs of rows, this one by its number. */
  readonly among?: { readonly pairs: string; readonly slice: number } | undefined;
}

/** A slice as it was measured. */
export interface TakenSlice {
  /** Of the target among those of the unit. */
  readonly index: number;
  readonly relation: SliceRelation;
  readonly before: TakenFigures | undefined;
  readonly after: VersionedFigures;
  /** The key tells rows apart, before and after. */
  readonly keyUsable: boolean;
  /** Filled as a whole with the rows of one query: nothing is left over, whichever rows were really written. */
  readonly replaced: boolean;
}

export interface Applied {
  readonly slices: readonly AppliedSlice[];
  readonly notes: readonly string[];
  readonly escape: EscapeVerdict;
  /** In doubt: the targets as the task left them. */
  readonly left?: readonly (SliceRelation | undefined)[];
  readonly doubled?: DoubledKeys;
  readonly again?: ChangesAgain;
  /** Foreign tables that it wrote, or may have: what becomes of their rows nobody here has seen. */
  readonly uncounted?: readonly string[];
  /** What lasts of the task beside its slices, in words, where these are as they were. */
  readonly lasting?: string | undefined;
}

/** A key of the task whose rows a second run may not find again, by the columns of its target. */
export interface WatchedKey {
  readonly key: UpsertKey;
  readonly relation: SliceRelation;
  /** Nothing in the table keeps a second row of the key out. */
  readonly repeatable: boolean;
}

/** Rows that get in under a key by which a second run does not find them: it was tried. */
export type DoubledKeys =
  | { readonly kind: 'none' }
  | { readonly kind: 'doubled'; readonly code: 'null-key' | 'repeated-key'; readonly reason: string };

/** What a second run of the same task came to: it was tried, and taken back. */
export type ChangesAgain =
  | { readonly kind: 'none' }
  /** It added rows, took some away, or changed values once more. */
  | { readonly kind: 'changes'; readonly reason: string; readonly tables: readonly string[] }
  | { readonly kind: 'not-known'; readonly note: string };

/** Written outside the declared slices: `doubt` where only comparing the rest of the table can tell. */
export type EscapeVerdict =
  | { readonly kind: 'none' }
  /**
   * `tables`: those whose every row would have to be the task's own for it to be let through. `lost`: rows outside changed
   * that this transaction may only have ended, so that they are to be looked for.
   */
  | { readonly kind: 'escaped'; readonly reason: string; readonly tables: readonly string[]; readonly lost?: boolean }
  | { readonly kind: 'doubt' };
