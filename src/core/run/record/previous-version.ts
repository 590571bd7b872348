import type { InputContent, RecordedInput } from '../../ledger/recorded-input.ts';

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
  /** null: nobody recorded what its scheduler's run read. */
  readonly inputs: readonly RecordedInput[] | null;
}

/** Session settings in any order. */
export const sameSettings = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
