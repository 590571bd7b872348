/** What is known of one slice from the ledger: shown in hovers, read without asking the table itself. */
export interface SliceVersion {
  readonly table: string;
  readonly state: 'changed' | 'unchanged' | 'held' | 'failed';
  readonly rows: number | undefined;
  readonly rowChecksum: string | undefined;
  /** When it was recorded, for the eye. */
  readonly at: string;
}
