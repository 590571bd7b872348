import { sameContent } from '../diff/change-cause.ts';
import type { SliceFigures } from '../diff/slice-figures.ts';
import { sameDefinition, type ViewDefinition } from '../warehouse/catalog/view-definitions.ts';
import type { ColumnType } from '../warehouse/port/table-description.ts';

/** What an input held in its read window; equal content means that nothing was changed there, by whomever. */
export type InputContent = Pick<SliceFigures, 'rows' | 'rowChecksum' | 'algorithm'>;

/** An input as a unit found it before its task: what the ledger knew of it, and what it held. */
export interface RecordedInput {
  readonly table: string;
  /** Bounds of the read window as the ledger writes them, infinite where open. */
  readonly from: string;
  readonly to: string;
  /** Newest versions of its slices in the window; null where no run of ours wrote it. */
  readonly versions: readonly ConsumedVersion[] | null;
  /** Missing where it could not be told or was not asked for. */
  readonly content?: InputContent;
  /** Columns that it had; missing where an older program recorded it. */
  readonly columns?: readonly ColumnType[] | undefined;
  /** Set where this is how a view was defined that rows came through: what they were stands in the tables behind it. */
  readonly definition?: string | undefined;
}

export interface ConsumedVersion extends InputContent {
  readonly run: string;
  readonly unit: string;
  readonly slice: string;
  /** Set where it was not read: a later look found that it would have given the same. */
  readonly confirmed?: true;
}

/** Whether an input is what it was then: by content where both are known, else by versions; `undefined`: unknown. */
export function sameInput(now: RecordedInput, then: RecordedInput | undefined): boolean | undefined {
  if (then === undefined) return undefined;
  if (now.definition !== undefined && then.definition !== undefined)
    return sameDefinition(now.definition, then.definition);
  if (now.content !== undefined && then.content !== undefined) return sameContent(now.content, then.content);
  if (now.versions === null || then.versions === null) return undefined;
  return versionsKey(now.versions) === versionsKey(then.versions);
}

/** How a view was defined, beside the rows that a unit read through it. */
export const viewInput = ({ view, definition }: Pick<ViewDefinition, 'view' | 'definition'>): RecordedInput => ({
  table: view,
  from: '-infinity',
  to: 'infinity',
  versions: null,
  definition,
});

const versionsKey = (versions: readonly ConsumedVersion[]): string =>
  JSON.stringify(versions.map(({ slice, rowChecksum, algorithm }) => [slice, rowChecksum, algorithm]));

/** The same input in another list, by table and window. */
export const counterpart = (input: RecordedInput, among: readonly RecordedInput[]): RecordedInput | undefined =>
  among.find(
    (other) =>
      other.table === input.table &&
      (other.definition === undefined) === (input.definition === undefined) &&
      sameBound(other.from, input.from) &&
      sameBound(other.to, input.to),
  );

/** Bounds are written in the time zone of the session that wrote them. */
const sameBound = (a: string, b: string): boolean => a === b || Date.parse(a) === Date.parse(b);
