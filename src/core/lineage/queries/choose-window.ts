import { locate, type MappedText } from '../../text/mapped-text.ts';
import type { SourceSpan } from '../../text/span.ts';
import type { TimeExpression } from '../../time/expressions/time-expression.ts';
import { type ColumnRange, isAboutTime } from '../columns/column-range.ts';
import type { Ranges } from '../columns/query-scope.ts';
import type { ReadWindow } from '../facts/facts.ts';

/** A window with the condition that gives it. */
export interface ChosenWindow {
  readonly window: ReadWindow;
  readonly windowAt: SourceSpan | undefined;
}

/**
 * The window of one read. `slicedBy`: the columns by which tasks of the workspace cut the table; a predicate on
 * another column says nothing about which of their slices are read. `source`: the text that the places are of.
 */
export function chooseWindow(
  table: string,
  ranges: Ranges,
  slicedBy: readonly string[],
  source: MappedText | undefined,
): ChosenWindow {
  for (const column of slicedBy) {
    const range = ranges.get(column);
    const chosen = range === undefined ? undefined : windowOf(column, range, source, true);
    if (chosen !== undefined) return chosen;
  }
  const candidates = [...ranges].flatMap(([column, range]) => {
    const chosen = windowOf(column, range, source, false);
    return chosen === undefined ? [] : [{ column, ...chosen }];
  });
  const bounded = candidates.filter(({ window }) => window.kind === 'range');
  if (slicedBy.length > 0 && bounded.length > 0) {
    const read = bounded.map(({ column }) => column).join(', ');
    const reason = `it is read by ${read}, and ${table} is written by ${slicedBy.join(', ')}`;
    const windowAt = bounded[0]?.windowAt;
    return { window: { kind: 'unknown', reason, at: windowAt }, windowAt };
  }
  const both = bounded.find(({ window }) => window.kind === 'range' && window.lo.length > 0 && window.hi.length > 0);
  const { window = { kind: 'unbounded' } as const, windowAt } = both ?? bounded[0] ?? candidates[0] ?? {};
  return { window, windowAt };
}

/** `undefined`: the range says nothing about time. A side that is compared with something unread makes it unknown. */
function windowOf(
  column: string,
  range: ColumnRange,
  source: MappedText | undefined,
  isSliceColumn: boolean,
): ChosenWindow | undefined {
  const windowAt = range.at && source && locate(source, range.at);
  const lo = times(range.lo);
  const hi = times(range.hi);
  const missing = [lo.length === 0 ? range.unreadLo : undefined, hi.length === 0 ? range.unreadHi : undefined];
  const unread = missing.find((bound) => bound !== undefined);
  if (unread !== undefined && (lo.length > 0 || hi.length > 0 || isSliceColumn || isAboutTime(unread))) {
    const reason = `the bound on ${column} cannot be read: ${unread.reason}`;
    return { window: { kind: 'unknown', reason, at: source && locate(source, unread.span) }, windowAt };
  }
  return lo.length === 0 && hi.length === 0 ? undefined : { window: { kind: 'range', column, lo, hi }, windowAt };
}

function times(side: ColumnRange['lo']): readonly TimeExpression[] {
  const found = new Map((side?.readings ?? []).map(({ time }) => [JSON.stringify(time), time]));
  return [...found.values()];
}
