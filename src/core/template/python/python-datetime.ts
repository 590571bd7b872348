import { civilOf, dayMs, dayNumberOf, daysInMonth } from '../../time/zones/civil.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import { addMonths } from '../../time/zones/shift.ts';
import { wallTime } from '../../time/zones/wall-time.ts';
import { fromWall, wallChoices } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { PythonDate, PythonDatetime, PythonRelativedelta } from './python-value.ts';
import { refuse } from './refusal.ts';
import { type ClockReading, fieldsOf, readClock } from './strftime.ts';

/** First and last day of years 1 to 9999, which is all that Python's datetime can hold. */
const firstDay = dayNumberOf(1, 1, 1);
const lastDay = dayNumberOf(9999, 12, 31);

function checked(wallMs: number): number {
  const day = Math.floor(wallMs / dayMs);
  return day >= firstDay && day <= lastDay ? wallMs : refuse('a date outside the years 1 to 9999');
}

/** An aware datetime as a clock of the zone shows the instant. */
export function atInstant(at: Instant, zone: ZoneName, pendulum: boolean, microseconds = 0): PythonDatetime {
  checked(at);
  const reading = { ...readClock(at, zone), microseconds };
  checked(reading.wallMs);
  return { kind: 'datetime', reading, zone, pendulum };
}

/** The same kind of datetime with another wall time; pendulum resolves gaps and folds as Airflow's schedules do. */
export function withWall(
  value: PythonDatetime,
  wallMs: number,
  microseconds = value.reading.microseconds,
): PythonDatetime {
  checked(wallMs);
  if (value.zone === undefined) return { ...value, reading: { wallMs, microseconds, offsetMs: undefined } };
  return atInstant(fromWall(value.zone, wallTime(wallMs)), value.zone, value.pendulum, microseconds);
}

/**
 * The same for `replace()` and what is built on it: there pendulum keeps the fold of the time it started from, so a
 * wall time that a clock change skips or repeats has no certain result.
 */
export function withFields(value: PythonDatetime, wallMs: number, microseconds: number): PythonDatetime {
  if (value.zone !== undefined) {
    const { first, last, gapAt } = wallChoices(value.zone, wallTime(checked(wallMs)));
    if (first !== last || gapAt !== undefined)
      return refuse(`a time that a clock change in ${value.zone} skips or repeats`);
  }
  return withWall(value, wallMs, microseconds);
}

/** The instant of an aware datetime, without its microseconds. */
export function instantOf(value: PythonDatetime): Instant {
  const { wallMs, offsetMs } = value.reading;
  return offsetMs === undefined ? refuse('the instant of a datetime without a zone') : instant(wallMs - offsetMs);
}

/** Elapsed time: what adding a timedelta does to a pendulum datetime, and to any in UTC. */
export function elapsed(value: PythonDatetime, microseconds: bigint): PythonDatetime {
  const total = BigInt(value.reading.microseconds) + microseconds;
  const rest = ((total % 1000n) + 1000n) % 1000n;
  const ms = Number((total - rest) / 1000n);
  if (value.zone === undefined) return withWall(value, value.reading.wallMs + ms, Number(rest));
  return atInstant(instant(instantOf(value) + ms), value.zone, value.pendulum, Number(rest));
}

/** `add()` of pendulum: on the wall clock as soon as a unit of a day or more is moved, else elapsed. */
export function added(value: PythonDatetime, months: number, days: number, ms: number): PythonDatetime {
  if (months === 0 && days === 0) return elapsed(value, BigInt(ms) * 1000n);
  return withWall(value, checked(addMonths(wallTime(value.reading.wallMs), months)) + days * dayMs + ms);
}

export function addedToDate(date: PythonDate, months: number, days: number): PythonDate {
  const dayNumber = Math.floor(addMonths(wallTime(date.dayNumber * dayMs), months) / dayMs) + days;
  checked(dayNumber * dayMs);
  return { ...date, dayNumber };
}

const limits = {
  year: [1, 9999],
  month: [1, 12],
  day: [1, 31],
  hour: [0, 23],
  minute: [0, 59],
  second: [0, 59],
  microsecond: [0, 999_999],
} as const;
export type FieldName = keyof typeof limits;
export const fieldNames = Object.keys(limits) as readonly FieldName[];

/** `replace()`: the named fields set, the others kept; an impossible day is an error as in Python. */
export function replacedReading(
  reading: ClockReading,
  fields: ReadonlyMap<string, number>,
): { wallMs: number; microseconds: number } {
  const { year, month, day, hour, minute, second, millisecond } = fieldsOf(reading);
  const now = { year, month, day, hour, minute, second, microsecond: millisecond * 1000 + reading.microseconds };
  for (const name of fieldNames) {
    const value = fields.get(name);
    const [low, high] = limits[name];
    if (value !== undefined)
      now[name] = value >= low && value <= high ? value : refuse(`${name} ${value} is out of range`);
  }
  if (now.day > daysInMonth(now.year, now.month)) return refuse(`the month has no day ${now.day}`);
  const clock = ((now.hour * 60 + now.minute) * 60 + now.second) * 1000 + Math.floor(now.microsecond / 1000);
  return { wallMs: dayNumberOf(now.year, now.month, now.day) * dayMs + clock, microseconds: now.microsecond % 1000 };
}

/** dateutil's rule: absolute fields and months first, the day clamped, then the rest by elapsed wall time. */
export function plusRelativedelta(value: PythonDatetime, delta: PythonRelativedelta): PythonDatetime {
  if (value.zone !== undefined && value.zone !== 'UTC') return refuse('relativedelta with a datetime of another zone');
  const fields = fieldsOf(value.reading);
  const month = (delta.fields.get('month') ?? fields.month) - 1 + delta.months;
  const year = (delta.fields.get('year') ?? fields.year) + Math.floor(month / 12);
  const monthOfYear = (((month % 12) + 12) % 12) + 1;
  if (year < 1 || year > 9999) return refuse('a date outside the years 1 to 9999');
  const day = Math.min(daysInMonth(year, monthOfYear), delta.fields.get('day') ?? fields.day);
  const replaced = replacedReading(
    value.reading,
    new Map([...delta.fields, ['year', year], ['month', monthOfYear], ['day', day]]),
  );
  return withWall(value, replaced.wallMs + delta.days * dayMs + delta.ms, replaced.microseconds);
}

export const dateOf = (value: PythonDatetime): PythonDate => ({
  kind: 'date',
  dayNumber: Math.floor(value.reading.wallMs / dayMs),
  pendulum: value.pendulum,
});

/** A date as a reading at midnight, for formatting. */
export const midnight = (date: PythonDate): ClockReading => ({
  wallMs: date.dayNumber * dayMs,
  microseconds: 0,
  offsetMs: undefined,
});

/** The first day of a calendar unit; weeks start on Monday. */
export function firstDayOf(dayNumber: number, unit: 'day' | 'week' | 'month' | 'quarter' | 'year'): number {
  const { year, month } = civilOf(dayNumber);
  if (unit === 'week') return dayNumber - ((((dayNumber + 3) % 7) + 7) % 7);
  if (unit === 'month') return dayNumberOf(year, month, 1);
  if (unit === 'quarter') return dayNumberOf(year, month - ((month - 1) % 3), 1);
  return unit === 'year' ? dayNumberOf(year, 1, 1) : dayNumber;
}
