import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import type { WarehouseErrorKind } from '../../warehouse/port/warehouse-error.ts';

/** What became of one try of a unit. Every state but `cancelled`, `failed`, `busy`, `full` and `lost` left the ledger saying so. */
export type UnitOutcome =
  | {
      readonly state: 'changed' | 'unchanged';
      readonly slices: readonly SliceDiff[];
      readonly notes: readonly string[];
      readonly durationMs: number;
    }
  /** A scheduler ran it to its end, and nothing of it was compared, for the reason. */
  | {
      readonly state: 'not-compared';
      readonly reason: string;
      readonly notes: readonly string[];
      readonly durationMs: number;
    }
  /** A scheduler was given it and skipped it, for the reason, and its rows are as they were. No version of them is recorded. */
  | {
      readonly state: 'left-out';
      readonly reason: string;
      readonly slices: readonly SliceDiff[];
      readonly notes: readonly string[];
      readonly durationMs: number;
    }
  /** The marker was there already: an earlier try had committed. */
  | { readonly state: 'done-before'; readonly slices: readonly SliceDiff[]; readonly durationMs: number }
  /** The server does not have what it had said was committed: these units of the run. Nothing was done. */
  | { readonly state: 'lost'; readonly units: readonly UnitId[]; readonly durationMs: number }
  /** Early cutoff: every input is as its last run saw it, and so are its own rows. Not run. */
  | { readonly state: 'skipped'; readonly reason: string; readonly durationMs: number }
  /** Rolled back with the proof; the old rows stay until somebody decides. */
  | {
      readonly state: 'held';
      readonly reason: string;
      /** The command, or the lines of `backfill.yaml`, that let it through. */
      readonly remedy: string;
      readonly code: HeldCode;
      readonly slices: readonly SliceDiff[];
      readonly durationMs: number;
    }
  | { readonly state: 'busy'; readonly owner: string; readonly durationMs: number }
  /** As many units as may are at work on its table or connection. Nothing was done; a place comes free when one ends. */
  | { readonly state: 'full'; readonly reason: string; readonly durationMs: number }
  | { readonly state: 'failed'; readonly error: UnitError; readonly durationMs: number }
  /** Not atomic, and it stopped after it had begun: the ledger says how far it came, and nobody knows what is left of it. */
  | { readonly state: 'unknown'; readonly error: UnitError; readonly durationMs: number }
  | { readonly state: 'cancelled'; readonly confirmed: boolean; readonly durationMs: number }
  /** Preview: the same figures, then rolled back. */
  | {
      readonly state: 'previewed';
      readonly changed: boolean;
      readonly slices: readonly SliceDiff[];
      readonly notes: readonly string[];
      /** Foreign tables that it wrote, or may have. */
      readonly uncounted?: readonly string[] | undefined;
      readonly durationMs: number;
    };

/** Why a unit is held: rows that would be gone, rows written elsewhere, rows that a second run would not find again, or would change once more. */
export const heldCodes = ['empty', 'shrunk', 'escaped', 'null-key', 'repeated-key', 'changes-again'] as const;
export type HeldCode = (typeof heldCodes)[number];

export interface UnitError {
  readonly kind: WarehouseErrorKind | 'refused';
  readonly message: string;
  readonly remedy: string | undefined;
  readonly retryable: boolean;
  /** The server could not be reached or took no work, so nothing of the unit had begun. */
  readonly away?: true | undefined;
  readonly sqlState: string | undefined;
  /** The statement that failed, as rendered. */
  readonly statement: string | undefined;
}
