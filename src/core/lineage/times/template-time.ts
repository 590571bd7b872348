import type { SymbolicValue, TimeForm } from '../../template/names/symbolic-value.ts';
import type { CalendarUnit } from '../../time/zones/calendar.ts';
import { isZone } from '../../time/zones/zone.ts';
import { isWeekPattern } from './date-pattern.ts';
import { floorReadings, noOffset, shiftReadings, type TimeReadings } from './time-readings.ts';

/** A template expression that is a time, as the text that SQL sees. `undefined`: the text says only a part of it. */
export function readingsOfText(value: Extract<SymbolicValue, { kind: 'time' }>): TimeReadings | undefined {
  const zone = value.zone ?? 'UTC';
  if (!isZone(zone) || value.time.steps.some((step) => !isZone(step.zone))) return undefined;
  const whole: TimeReadings = { readings: [{ time: value.time, zone: undefined }], unit: undefined, naive: false };
  const onClock: TimeReadings = { readings: [{ time: value.time, zone }], unit: undefined, naive: true };
  const written = precisionOf(value.form);
  if (written === 'nothing') return undefined;
  const naive = written === 'naive';
  if (written === 'whole') return value.zone === undefined ? whole : { ...onClock, naive };
  if (naive) return onClock;
  const floored = floorReadings(onClock, written, [zone]);
  return namesFirstDay(value.form) ? floorReadings(floored, 'day', [zone]) : floored;
}

/** What a form keeps of a time: a unit's start, everything with an offset, everything without, or not enough. */
function precisionOf(form: TimeForm): CalendarUnit | 'whole' | 'naive' | 'nothing' {
  if (typeof form === 'object') return strftimeUnit(form.strftime) ?? 'nothing';
  switch (form) {
    case 'date':
    case 'basic-date':
      return 'day';
    case 'datetime':
    case 'timestamp':
    case 'epoch-seconds':
      return 'whole';
    case 'naive-timestamp':
    case 'basic-timestamp':
      return 'naive';
  }
}

const composites: Readonly<Record<string, string>> = { F: 'Ymd', T: 'HMS', D: 'mdy', R: 'HM' };
const fields = ['Y', 'm', 'd', 'H', 'M', 'S'] as const;
const units: readonly CalendarUnit[] = ['year', 'month', 'day', 'hour', 'minute', 'second'];

/** The unit that a strftime pattern is exact to; `undefined` when a coarser part is missing, e.g. `%H` alone. */
function strftimeUnit(pattern: string): CalendarUnit | undefined {
  if (isWeekPattern(pattern)) return 'week';
  const present = new Set<string>();
  for (const [, letter = ''] of pattern.matchAll(/%[-#]?([A-Za-z%])/g)) {
    for (const field of composites[letter] ?? (letter === 'y' ? 'Y' : letter)) present.add(field);
  }
  const exact = fields.findIndex((field) => !present.has(field));
  const last = exact === -1 ? fields.length - 1 : exact - 1;
  // A finer field without the coarser one is no time.
  if (last < 0 || fields.slice(last + 1).some((field) => present.has(field))) return undefined;
  const tail = tailOf(pattern);
  return /^0*$/.test(tail) || firstDays[last]?.test(tail) === true ? units[last] : undefined;
}

/** Constant digits behind the last field. */
const tailOf = (pattern: string): string => pattern.slice(pattern.lastIndexOf('%') + 2).replace(/[:.TZ+ -]/g, '');

/** Constant digits behind a year or a month that make it the day that begins it: `%Y-01-01`, `%Y-%m-01`, `%Y%m01`. */
const firstDays: readonly RegExp[] = [/^01010*$/, /^010*$/];

/** True for a text that is a day though its fields end before: `%Y-%m-01` is the first of the month, not the month. */
const namesFirstDay = (form: TimeForm): boolean => typeof form === 'object' && /^0*1/.test(tailOf(form.strftime));

const timeOfDay = /^[T ]?\s*(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|UTC|[+-]00(?::?00)?)?$/i;

/** `'{{ ds }} 23:59:59'`: a day and a constant time of day behind it. `undefined` when the rest is something else. */
export function withTimeOfDay(day: TimeReadings, rest: string): TimeReadings | undefined {
  if (rest.trim() === '') return day;
  const fields = timeOfDay.exec(rest);
  if (fields === null || day.unit !== 'day') return undefined;
  const [hour = 0, minute = 0, second = 0] = fields.slice(1, 4).map((field) => Number(field ?? 0));
  const milliseconds = Number((fields[4] ?? '').padEnd(3, '0').slice(0, 3));
  const ms = ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
  const moved = ms === 0 ? day : shiftReadings(day, { ...noOffset, ms }, []);
  // A day of UTC with an offset of UTC behind it is an instant, whatever the zone of the session.
  const isInstant = fields[5] !== undefined && day.readings.every(({ zone }) => zone === undefined || zone === 'UTC');
  // A written time of day makes it a moment and no longer the name of a day.
  return { ...moved, unit: undefined, naive: moved.naive && !isInstant };
}
