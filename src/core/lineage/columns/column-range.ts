import type { Span } from '../../text/span.ts';
import type { TimeReadings } from '../times/time-readings.ts';
import type { ColumnType } from './column-type.ts';

/** A bound that could not be read. `varies`: it changes from run to run, so a rerun reads something else. */
export interface UnreadBound {
  readonly reason: string;
  readonly varies: boolean;
  /** It bounds one side (`<`, `between`) and is no plain equality. */
  readonly ranged: boolean;
  /** Its column holds times, by its type or its name: even a plain equality says which rows of time are meant. */
  readonly ofTimes: boolean;
  readonly span: Span;
}

/** `country = {{ params.country }}` is no bound on time; `changed_at > (select max(…))` and `day = {{ params.day }}` are. */
export const isAboutTime = ({ varies, ranged, ofTimes }: UnreadBound): boolean => varies || ranged || ofTimes;

/** `[lo, hi)` of one column; a missing side is open, or could not be read. Always as wide as the rows that pass. */
export interface ColumnRange {
  readonly lo: TimeReadings | undefined;
  readonly hi: TimeReadings | undefined;
  readonly unreadLo: UnreadBound | undefined;
  readonly unreadHi: UnreadBound | undefined;
  /** The condition that says it, from its first to its last part. */
  readonly at?: Span | undefined;
  /** Of a date whose year, month and day are columns of their own: no condition on this column alone says it. */
  readonly inParts?: boolean;
}

export interface ColumnName {
  readonly qualifier: string | undefined;
  readonly name: string;
}

/** Types of columns where the workspace says them. */
export type TypeOf = (column: ColumnName) => ColumnType;

export const openRange: ColumnRange = { lo: undefined, hi: undefined, unreadLo: undefined, unreadHi: undefined };

/** Both hold, said in one clause: of two bounds on a side either is right, the first is taken. */
export const both = (a: ColumnRange, b: ColumnRange): ColumnRange => ({
  lo: a.lo ?? b.lo,
  hi: a.hi ?? b.hi,
  unreadLo: a.unreadLo ?? b.unreadLo,
  unreadHi: a.unreadHi ?? b.unreadHi,
  at: adds(a, b) ? (adds(b, a) ? hull(a.at, b.at) : b.at) : a.at,
  ...(a.inParts === true || b.inParts === true ? { inParts: true } : {}),
});

/** True when `more` has a bound that `known` lacks. */
const adds = (known: ColumnRange, more: ColumnRange): boolean =>
  (known.lo === undefined && more.lo !== undefined) || (known.hi === undefined && more.hi !== undefined);

const hull = (a: Span | undefined, b: Span | undefined): Span | undefined =>
  a === undefined || b === undefined ? (a ?? b) : { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };

/** As {@link both}, for what another block of the statement says of the same rows: one place says it, not all between. */
export const alsoAsked = (own: ColumnRange, asked: ColumnRange): ColumnRange => ({
  ...both(own, asked),
  at: own.lo === undefined && own.hi === undefined ? (asked.at ?? own.at) : own.at,
});

/** One of them holds: a side is bounded only where it is in all of them. */
export const either = (ranges: readonly ColumnRange[]): ColumnRange => ({
  lo: union(ranges.map((range) => range.lo)),
  hi: union(ranges.map((range) => range.hi)),
  unreadLo: ranges.find((range) => range.lo === undefined && range.unreadLo !== undefined)?.unreadLo,
  unreadHi: ranges.find((range) => range.hi === undefined && range.unreadHi !== undefined)?.unreadHi,
  at: ranges.map((range) => range.at).reduce(hull, undefined),
});

function union(sides: readonly (TimeReadings | undefined)[]): TimeReadings | undefined {
  const known = sides.flatMap((side) => side ?? []);
  const first = known[0];
  if (first === undefined || known.length < sides.length) return undefined;
  const unit = known.every((side) => side.unit === first.unit) ? first.unit : undefined;
  const naive = known.some((side) => side.naive);
  const moment = known.some((side) => side.moment === true);
  return { readings: known.flatMap((side) => side.readings), unit, naive, ...(moment ? { moment } : {}) };
}
