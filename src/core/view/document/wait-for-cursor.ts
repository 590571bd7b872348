/** A mark in a document; lines count from 0, both included. */
export interface LineMark {
  readonly first: number;
  readonly last: number;
  /** Tells it from others, wherever it stands: rule and message. */
  readonly key: string;
  /** What could not be read: while something is half typed that is no news, wherever it stands. */
  readonly isUnread: boolean;
}

/**
 * Which marks are shown while somebody types on a line: what was there before, and what is new elsewhere. What is new at
 * the cursor waits until it leaves the line or comes to rest, because half a word is not wrong yet. `line`: where is typed;
 * `undefined`: nobody types. `before`: keys of what was shown when all was last at rest.
 */
export function marksToShow<Mark extends LineMark>(
  marks: readonly Mark[],
  line: number | undefined,
  before: ReadonlySet<string>,
): readonly Mark[] {
  if (line === undefined) return marks;
  return marks.filter(
    ({ first, last, key, isUnread }) => before.has(key) || !(isUnread || (first <= line && line <= last)),
  );
}
