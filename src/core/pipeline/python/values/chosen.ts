import type { SourceSpan } from '../../../text/span.ts';
import { type Condition, negated } from '../../model/condition.ts';

/** What is one of several, and where it stands. */
export interface Choice {
  /** Equal where the same one is chosen. */
  readonly key: string;
  readonly text: string;
  readonly at: SourceSpan;
}

/** The conditions under which what may be one of `count` values is the one at `index`. */
export function whichOf(
  count: number,
  index: number,
  { key, text, at }: Choice,
  decidedBy: Condition | undefined,
): readonly Condition[] {
  if (decidedBy !== undefined && count === 2) return [index === 0 ? decidedBy : negated(decidedBy)];
  const is = (place: number): Condition => ({
    key: `${key} ${place}`,
    holds: true,
    text: `${text} is number ${place + 1} of ${count}`,
    at,
  });
  return [...Array.from({ length: index }, (_, place) => negated(is(place))), is(index)];
}
