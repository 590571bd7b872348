import type { InputContent, RecordedInput } from '../../ledger/recorded-input.ts';

/** The sum of the versions of rows of a slice, and what it means something within, as the ledger keeps them. */
export interface RowVersions {
  readonly sum: string;
  readonly files: string;
  readonly at: string;
}

/** The newest version of a slice that the same task left in the ledger. */
export interface PreviousVersion extends InputContent {
  /** Its place in the ledger. */
  readonly id: number;
  readonly slice: string;
  readonly run: string;
  /** When its run committed it, in milliseconds since the epoch of the server's clock. */
  readonly madeAt: number;
  readonly codeHash: string;
  readonly sameSchema: boolean;
  /** Whether the rendered statements were the same; null where an older program made the version. */
  readonly sameStatements: boolean | null;
  /** Hash of what decides in the database beside the statements; null like the above. */
  readonly definitionsHash: string | null;
  readonly settings: Readonly<Record<string, string>>;
  readonly keyChecksum: string | null;
  /** Columns of the key that its figures are of. */
  readonly key: readonly string[] | null;
  /** Which versions of rows it left, where they can be told from others later. */
  readonly rowVersions: RowVersions | null;
  /** null: nobody recorded what its scheduler's run read. */
  readonly inputs: readonly RecordedInput[] | null;
}

/** Session settings in any order. */
export const sameSettings = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
