import { isAggregate } from '../../sql/calls/is-aggregate.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
import { walkInside } from '../../sql/model/walk.ts';
import { unknownBound } from '../times/bound-value.ts';
import type { SqlContext } from '../times/sql-context.ts';
import { type ColumnName, type ColumnRange, openRange, type TypeOf } from './column-range.ts';
import { holdsTimes } from './column-type.ts';
import { columnsIn } from './columns-in.ts';

/**
 * What a range of an output column says of the columns that it is made of, where it cannot be taken back to them
 * (`extract(month FROM day) AS m`, and `m = 5` around it): that their rows are bounded, and not how. Nothing of an
 * aggregate, which all rows of its group go into.
 */
export function boundBehind(
  expression: SqlExpression,
  range: ColumnRange,
  context: SqlContext,
  typeOf: TypeOf,
): readonly (ColumnName & { readonly range: ColumnRange })[] {
  const asked = range.unreadLo ?? range.unreadHi;
  const isBounded = range.lo !== undefined || range.hi !== undefined || asked !== undefined;
  if (!isBounded || aggregates(expression)) return [];
  const bound = unknownBound(context, expression, asked?.varies ?? false);
  if (bound.kind !== 'unknown') return [];
  const { reason, varies, span } = bound;
  return columnsIn(expression).map((column) => {
    const ofTimes = holdsTimes(column.name, typeOf(column));
    const unread = { reason, varies, ranged: asked?.ranged ?? false, ofTimes, span };
    return { ...column, range: { ...openRange, unreadLo: unread, unreadHi: unread, at: range.at } };
  });
}

function aggregates(expression: SqlExpression): boolean {
  let found = false;
  walkInside(expression, (inner, query) => {
    if (query !== undefined || inner.kind !== 'call' || inner.window !== undefined) return;
    found ||= isAggregate(inner.name.slice(inner.name.lastIndexOf('.') + 1));
  });
  return found;
}
