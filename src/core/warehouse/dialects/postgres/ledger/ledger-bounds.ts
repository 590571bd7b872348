import { epochMs } from '../slice-predicate.ts';

/** Slice bounds of the ledger: an open side is infinite. */
export const lowerBound = (iso: string | undefined): string => iso ?? '-infinity';
export const upperBound = (iso: string | undefined): string => iso ?? 'infinity';

/** A bound that is no time cannot be ordered among the others: it counts as open, so that it overlaps all. */
export function ledgerBound(iso: string | undefined): string | undefined {
  const at = iso === undefined ? undefined : epochMs(iso);
  return at === undefined ? undefined : new Date(at).toISOString();
}
