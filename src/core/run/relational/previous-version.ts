import { sameContent } from '../../diff/change-cause.ts';
import type { SliceFigures } from '../../diff/slice-diff.ts';
import type { InputContent } from './input-content.ts';

/** The newest version of a slice in the ledger. */
export interface PreviousVersion {
  readonly slice: string;
  readonly task: string;
  readonly rows: number;
  readonly rowChecksum: string;
  readonly algorithm: string;
  readonly codeHash: string;
  readonly sameSchema: boolean;
  readonly settings: Readonly<Record<string, string>>;
  readonly inputs: readonly RecordedInput[];
}

/** An input as a unit found it before its task: what the ledger knows of it, and what it held. */
export interface RecordedInput {
  readonly table: string;
  /** Bounds of the read window as the ledger writes them, infinite where open. */
  readonly from: string;
  readonly to: string;
  /** Newest versions of its slices in the window; null where no run of ours wrote it. */
  readonly versions: readonly ConsumedVersion[] | null;
  /** Missing where it could not be told or was not asked for. */
  readonly content?: InputContent;
}

export interface ConsumedVersion extends Pick<SliceFigures, 'rowChecksum' | 'algorithm'> {
  readonly run: string;
  readonly unit: string;
  readonly slice: string;
  readonly rows: number;
}

/** Whether an input is what it was then: by content where both are known, else by versions; `undefined`: unknown. */
export function sameInput(now: RecordedInput, then: RecordedInput | undefined): boolean | undefined {
  if (then === undefined) return undefined;
  if (now.content !== undefined && then.content !== undefined) return sameContent(now.content, then.content);
  if (now.versions === null || then.versions === null) return undefined;
  return versionsKey(now.versions) === versionsKey(then.versions);
}

const versionsKey = (versions: readonly ConsumedVersion[]): string =>
  JSON.stringify(versions.map(({ slice, rowChecksum, algorithm }) => [slice, rowChecksum, algorithm]));

/** The same input in another list, by table and window. */
export const counterpart = (input: RecordedInput, among: readonly RecordedInput[]): RecordedInput | undefined =>
  among.find(
    (other) => other.table === input.table && sameBound(other.from, input.from) && sameBound(other.to, input.to),
  );

/** Bounds are written in the time zone of the session that wrote them. */
const sameBound = (a: string, b: string): boolean => a === b || Date.parse(a) === Date.parse(b);

/** Session settings in any order. */
export const sameSettings = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
