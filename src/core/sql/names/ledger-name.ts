/** The schema of the ledger in every target database. */
export const ledgerSchema = 'backfill_ledger';
