import type { SourceSpan } from '../../../text/span.ts';
import { type Condition, negated } from '../../model/condition.ts';
import type { Interpreter, UnknownValue } from './value.ts';

/** The conditions under which a value that may be one of several is the one at `index`, and none before it. */
export function chosen(
  among: Pick<UnknownValue, 'options' | 'decidedBy'>,
  index: number,
  otherwise: { readonly callee: string; readonly at: SourceSpan },
  run: Pick<Interpreter, 'identityOf'>,
): readonly Condition[] {
  const { options, decidedBy } = among;
  if (decidedBy !== undefined && options?.length === 2) return [index === 0 ? decidedBy : negated(decidedBy)];
  const key = options === undefined ? otherwise.callee : run.identityOf(options);
  const is = (place: number): Condition => ({
    key: `${key} ${place}`,
    holds: true,
    text: `${otherwise.callee} is its value number ${place + 1}`,
    at: otherwise.at,
  });
  return [...Array.from({ length: index }, (_, place) => negated(is(place))), is(index)];
}
