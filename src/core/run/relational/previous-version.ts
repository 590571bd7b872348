import type { InputContent, RecordedInput } from '../../ledger/recorded-input.ts';

/** The newest version of a slice in the ledger. */
export interface PreviousVersion extends InputContent {
  readonly slice: string;
  readonly task: string;
  readonly codeHash: string;
  readonly sameSchema: boolean;
  readonly settings: Readonly<Record<string, string>>;
  readonly inputs: readonly RecordedInput[];
}

/** Session settings in any order. */
export const sameSettings = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
