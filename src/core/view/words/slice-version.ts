/** What is known of one slice from the ledger: shown in hovers, read without asking the table itself. */
export interface SliceVersion {
  readonly table: string;
  readonly state: 'changed' | 'unchanged' | 'held' | 'failed';
  readonly rows: number | undefined;
  readonly rowChecksum: string | undefined;
  /** Rows that were added, removed or changed; `undefined`: they were not counted. */
  readonly differing: number | undefined;
  /** When it was recorded, in milliseconds since the epoch. */
  readonly at: number;
}
