import { locate, type MappedText } from '../text/mapped-text.ts';
import type { TimeExpression } from '../time/time-expression.ts';
import type { ColumnRange, UnreadBound } from './column-range.ts';
import type { ReadWindow } from './facts.ts';
import type { Ranges } from './query-scope.ts';

/**
 * The window of one read. `slicedBy`: the columns by which tasks of the workspace cut the table; a predicate on
 * another column says nothing about which of their slices are read.
 */
export function chooseWindow(
  table: string,
  ranges: Ranges,
  slicedBy: readonly string[],
  source: MappedText,
): ReadWindow {
  for (const column of slicedBy) {
    const range = ranges.get(column);
    const window = range === undefined ? undefined : windowOf(column, range, source, true);
    if (window !== undefined) return window;
  }
  const candidates = [...ranges].flatMap(([column, range]) => {
    const window = windowOf(column, range, source, false);
    return window === undefined ? [] : [{ column, window }];
  });
  const bounded = candidates.filter(({ window }) => window.kind === 'range');
  if (slicedBy.length > 0 && bounded.length > 0) {
    const read = bounded.map(({ column }) => column).join(', ');
    const reason = `it is read by ${read}, and ${table} is written by ${slicedBy.join(', ')}`;
    return { kind: 'unknown', reason, at: undefined };
  }
  const both = bounded.find(({ window }) => window.kind === 'range' && window.lo.length > 0 && window.hi.length > 0);
  return (both ?? bounded[0] ?? candidates[0])?.window ?? { kind: 'unbounded' };
}

/** `undefined`: the range says nothing about time. A side that is compared with something unread makes it unknown. */
function windowOf(
  column: string,
  range: ColumnRange,
  source: MappedText,
  isSliceColumn: boolean,
): ReadWindow | undefined {
  const lo = times(range.lo);
  const hi = times(range.hi);
  const missing = [lo.length === 0 ? range.unreadLo : undefined, hi.length === 0 ? range.unreadHi : undefined];
  const unread = missing.find((bound) => bound !== undefined);
  if (unread !== undefined && (lo.length > 0 || hi.length > 0 || isSliceColumn || isAboutTime(unread))) {
    const reason = `the bound on ${column} cannot be read: ${unread.reason}`;
    return { kind: 'unknown', reason, at: locate(source, unread.span) };
  }
  return lo.length === 0 && hi.length === 0 ? undefined : { kind: 'range', column, lo, hi };
}

/** `country = {{ params.country }}` is no bound on time, `changed_at > (select max(…))` is. */
const isAboutTime = (bound: UnreadBound): boolean => bound.varies || bound.ranged;

function times(side: ColumnRange['lo']): readonly TimeExpression[] {
  const found = new Map((side?.readings ?? []).map(({ time }) => [JSON.stringify(time), time]));
  return [...found.values()];
}
