import { civilOf, dayMs, dayNumberOf, weekdayOf } from '../../time/zones/civil.ts';
import type { Instant } from '../../time/zones/instant.ts';
import { monthNames } from '../../time/zones/month-names.ts';
import { offsetMs } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** What a clock in the zone shows at the instant. */
export function readClock(at: Instant, zone: ZoneName): ClockReading & { readonly offsetMs: number } {
  const offset = offsetMs(zone, at);
  return { wallMs: at + offset, microseconds: 0, offsetMs: offset };
}

/** A reading of the clock, as Python's datetime holds it. */
export interface ClockReading {
  /** Milliseconds since 1970-01-01T00:00:00 on that clock. */
  readonly wallMs: number;
  /** The part below a millisecond, 0 to 999. */
  readonly microseconds: number;
  /** `undefined` for a naive datetime or a date. */
  readonly offsetMs: number | undefined;
}

export const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** The fields that calendars name. Weekday 0 is Sunday. */
export function fieldsOf(reading: Pick<ClockReading, 'wallMs'>) {
  const dayNumber = Math.floor(reading.wallMs / dayMs);
  const inDay = reading.wallMs - dayNumber * dayMs;
  const { year, month, day } = civilOf(dayNumber);
  // Named one by one: the copy of an object with more fields behind it takes the engine ten times as long.
  return {
    year,
    month,
    day,
    dayNumber,
    hour: Math.floor(inDay / 3_600_000),
    minute: Math.floor(inDay / 60_000) % 60,
    second: Math.floor(inDay / 1000) % 60,
    millisecond: inDay % 1000,
    weekday: weekdayOf(dayNumber),
    dayOfYear: dayNumber - dayNumberOf(year, 1, 1) + 1,
  };
}

/** ISO 8601 year and week. */
export function isoWeekOf(dayNumber: number): { readonly year: number; readonly week: number } {
  const thursday = dayNumber - ((weekdayOf(dayNumber) + 6) % 7) + 3;
  const { year } = civilOf(thursday);
  return { year, week: Math.floor((thursday - dayNumberOf(year, 1, 1)) / 7) + 1 };
}

export const pad = (value: number, width: number, fill = '0'): string => String(value).padStart(width, fill);

/** `+01:00`, with seconds where a historic offset has them. */
export function offsetText(offsetMs: number, separator: ':' | ''): string {
  const size = Math.abs(offsetMs) / 1000;
  const seconds = size % 60 === 0 ? '' : `${separator}${pad(size % 60, 2)}`;
  return `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(size / 3600), 2)}${separator}${pad(Math.floor(size / 60) % 60, 2)}${seconds}`;
}

/** `datetime.isoformat(separator)`: the fraction only when there is one. */
export function isoText(reading: ClockReading, separator: string): string {
  const { year, month, day, hour, minute, second, millisecond } = fieldsOf(reading);
  const fraction = millisecond * 1000 + reading.microseconds;
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  const time = `${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction === 0 ? '' : `.${pad(fraction, 6)}`}`;
  return `${date}${separator}${time}${reading.offsetMs === undefined ? '' : offsetText(reading.offsetMs, ':')}`;
}

/** One piece of a strftime pattern: text as it stands, or a directive without its `%` (`Y`, `-d`, `:z`). */
export type PatternPiece = { readonly text: string } | { readonly directive: string };

export function patternPieces(pattern: string): readonly PatternPiece[] {
  const pieces: PatternPiece[] = [];
  for (const [piece, directive] of pattern.matchAll(/%([-_:]?[\s\S]?)|[^%]+/g)) {
    if (directive === undefined) pieces.push({ text: piece });
    else if (directive === '%') pieces.push({ text: '%' });
    else pieces.push({ directive });
  }
  return pieces;
}

/**
 * Python's `strftime` in the C locale. `undefined` where the result depends on the platform or a zone's name, or the
 * year has not four digits: `unsupportedDirective` then names the culprit.
 */
export function strftime(reading: ClockReading, pattern: string): string | undefined {
  let text = '';
  for (const piece of patternPieces(pattern)) {
    const part = 'text' in piece ? piece.text : directives[piece.directive]?.(reading);
    if (part === undefined) return undefined;
    text += part;
  }
  return text;
}

/** The first directive of the pattern that {@link strftime} does not know, with its `%`. */
export function unsupportedDirective(pattern: string): string | undefined {
  for (const piece of patternPieces(pattern))
    if ('directive' in piece && !Object.hasOwn(directives, piece.directive)) return `%${piece.directive}`;
  return undefined;
}

type Fields = ReturnType<typeof fieldsOf>;
const field =
  (pick: (fields: Fields, reading: ClockReading) => string) =>
  (reading: ClockReading): string | undefined => {
    const fields = fieldsOf(reading);
    return fields.year < 1000 || fields.year > 9999 ? undefined : pick(fields, reading);
  };
const hour12 = (hour: number): number => (hour % 12 === 0 ? 12 : hour % 12);
const weekOfYear = (fields: Fields, firstDay: 0 | 1): number =>
  Math.floor((fields.dayOfYear + 6 - ((fields.weekday - firstDay + 7) % 7)) / 7);

const directives: Readonly<Record<string, (reading: ClockReading) => string | undefined>> = {
  Y: field((f) => String(f.year)),
  y: field((f) => pad(f.year % 100, 2)),
  C: field((f) => pad(Math.floor(f.year / 100), 2)),
  m: field((f) => pad(f.month, 2)),
  d: field((f) => pad(f.day, 2)),
  e: field((f) => pad(f.day, 2, ' ')),
  H: field((f) => pad(f.hour, 2)),
  I: field((f) => pad(hour12(f.hour), 2)),
  M: field((f) => pad(f.minute, 2)),
  S: field((f) => pad(f.second, 2)),
  f: field((f, reading) => pad(f.millisecond * 1000 + reading.microseconds, 6)),
  j: field((f) => pad(f.dayOfYear, 3)),
  p: field((f) => (f.hour < 12 ? 'AM' : 'PM')),
  B: field((f) => monthNames[f.month - 1] ?? ''),
  b: field((f) => (monthNames[f.month - 1] ?? '').slice(0, 3)),
  h: field((f) => (monthNames[f.month - 1] ?? '').slice(0, 3)),
  A: field((f) => dayNames[f.weekday] ?? ''),
  a: field((f) => (dayNames[f.weekday] ?? '').slice(0, 3)),
  w: field((f) => String(f.weekday)),
  u: field((f) => String(f.weekday === 0 ? 7 : f.weekday)),
  U: field((f) => pad(weekOfYear(f, 0), 2)),
  W: field((f) => pad(weekOfYear(f, 1), 2)),
  G: field((f) => String(isoWeekOf(f.dayNumber).year)),
  V: field((f) => pad(isoWeekOf(f.dayNumber).week, 2)),
  F: field((f) => `${f.year}-${pad(f.month, 2)}-${pad(f.day, 2)}`),
  T: field((f) => `${pad(f.hour, 2)}:${pad(f.minute, 2)}:${pad(f.second, 2)}`),
  R: field((f) => `${pad(f.hour, 2)}:${pad(f.minute, 2)}`),
  D: field((f) => `${pad(f.month, 2)}/${pad(f.day, 2)}/${pad(f.year % 100, 2)}`),
  z: (reading) => (reading.offsetMs === undefined ? '' : offsetText(reading.offsetMs, '')),
  '-d': field((f) => String(f.day)),
  '-m': field((f) => String(f.month)),
  '-y': field((f) => String(f.year % 100)),
  '-H': field((f) => String(f.hour)),
  '-I': field((f) => String(hour12(f.hour))),
  '-M': field((f) => String(f.minute)),
  '-S': field((f) => String(f.second)),
  '-j': field((f) => String(f.dayOfYear)),
};
