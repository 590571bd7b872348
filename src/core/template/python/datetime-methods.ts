import { civilOf, dayMs, dayNumberOf, daysInMonth } from '../../time/zones/civil.ts';
import { isZone } from '../../time/zones/zone.ts';
import { pendulumFormat } from './pendulum-tokens.ts';
import { bind, integerArgument, none, textArgument } from './python-arguments.ts';
import { order } from './python-compare.ts';
import {
  added,
  addedToDate,
  atInstant,
  dateOf,
  fieldNames,
  firstDayOf,
  instantOf,
  midnight,
  replacedReading,
  withFields,
} from './python-datetime.ts';
import type { PythonArguments, PythonDate, PythonDatetime, PythonValue } from './python-value.ts';
import { refuse } from './refusal.ts';
import { type ClockReading, fieldsOf, isoText, isoWeekOf, strftime, unsupportedDirective } from './strftime.ts';

/** `value.strftime(pattern)`, refused where the result depends on platform, locale or the name of a zone. */
export function formatted(reading: ClockReading, pattern: string): string {
  const directive = unsupportedDirective(pattern);
  if (directive !== undefined)
    return refuse(`the strftime directive "${directive}" depends on the platform or the zone's name`);
  return strftime(reading, pattern) ?? refuse('a year that has not four digits');
}

/** An attribute of a datetime or date that needs no call. `undefined`: there is none, or none that is certain. */
export function datetimeAttribute(value: PythonDatetime | PythonDate, name: string): PythonValue | undefined {
  const reading = value.kind === 'date' ? midnight(value) : value.reading;
  const fields = fieldsOf(reading);
  const whole = (number: number): bigint => BigInt(number);
  if (name === 'year' || name === 'month' || name === 'day') return whole(fields[name]);
  if (value.kind === 'datetime' && (name === 'hour' || name === 'minute' || name === 'second'))
    return whole(fields[name]);
  if (value.kind === 'datetime' && name === 'microsecond')
    return whole(fields.millisecond * 1000 + reading.microseconds);
  if (!value.pendulum) return undefined;
  switch (name) {
    case 'day_of_year':
      return whole(fields.dayOfYear);
    case 'week_of_year':
      return whole(isoWeekOf(fields.dayNumber).week);
    case 'quarter':
      return whole(Math.ceil(fields.month / 3));
    case 'days_in_month':
      return whole(daysInMonth(fields.year, fields.month));
  }
  if (value.kind === 'date') return undefined;
  if (name === 'int_timestamp') return whole(Math.floor(instantOf(value) / 1000));
  return name === 'float_timestamp' ? timestamp(value) : undefined;
}

const timestamp = (value: PythonDatetime): number => instantOf(value) / 1000 + value.reading.microseconds / 1_000_000;

/** A call of a method of a datetime. Pendulum's own methods exist only on its datetimes. */
export function callDatetime(value: PythonDatetime, name: string, values: PythonArguments): PythonValue {
  const { reading } = value;
  switch (name) {
    case 'strftime':
      return formatted(reading, textArgument(name, bind(name, values, ['format']).get('format')));
    case 'isoformat': {
      const separator = bind(name, values, ['sep']).get('sep') ?? 'T';
      return isoText(
        reading,
        typeof separator === 'string' && [...separator].length === 1
          ? separator
          : refuse('isoformat() with another separator'),
      );
    }
    case 'date':
      none(name, values);
      return dateOf(value);
    case 'timestamp':
      none(name, values);
      return timestamp(value);
    case 'weekday':
    case 'isoweekday':
      none(name, values);
      return weekdayNumber(reading, name);
    case 'replace':
      return replaced(value, name, values);
    default:
      return value.pendulum
        ? callPendulum(value, name, values)
        : refuse(`a standard datetime has no method "${name}" that is supported`);
  }
}

function weekdayNumber(reading: ClockReading, name: 'weekday' | 'isoweekday'): bigint {
  const { weekday } = fieldsOf(reading);
  return BigInt(name === 'weekday' ? (weekday + 6) % 7 : weekday === 0 ? 7 : weekday);
}

function replaced(value: PythonDatetime, name: string, values: PythonArguments): PythonDatetime {
  const fields = integers(name, bind(name, values, fieldNames));
  const { wallMs, microseconds } = replacedReading(value.reading, fields);
  return withFields(value, wallMs, microseconds);
}

const integers = (name: string, bound: ReadonlyMap<string, PythonValue>): ReadonlyMap<string, number> =>
  new Map([...bound].map(([field, item]) => [field, integerArgument(name, item)]));

const moveUnits = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const;

/** Months, days and milliseconds of `add(…)` and `subtract(…)`. */
function movement(name: string, values: PythonArguments): readonly [number, number, number] {
  const units = integers(name, bind(name, values, moveUnits));
  const sign = name === 'subtract' ? -1 : 1;
  const of = (unit: (typeof moveUnits)[number]): number => sign * (units.get(unit) ?? 0);
  return [
    of('years') * 12 + of('months'),
    of('weeks') * 7 + of('days'),
    of('hours') * 3_600_000 + of('minutes') * 60_000 + of('seconds') * 1000,
  ];
}

function callPendulum(value: PythonDatetime, name: string, values: PythonArguments): PythonValue {
  const { reading } = value;
  switch (name) {
    case 'add':
    case 'subtract':
      return added(value, ...movement(name, values));
    case 'in_timezone':
    case 'in_tz': {
      const zone = textArgument(name, bind(name, values, ['tz']).get('tz'));
      if (!isZone(zone) || /^[+-]/.test(zone)) return refuse(`"${zone}" is not a zone that is known`);
      return atInstant(instantOf(value), zone, true, reading.microseconds);
    }
    case 'start_of':
    case 'end_of':
      return edgeOf(value, name, textArgument(name, bind(name, values, ['unit']).get('unit')));
    case 'first_of':
    case 'last_of': {
      const unit = bind(name, values, ['unit']).get('unit');
      if (unit !== 'month' && unit !== 'quarter' && unit !== 'year')
        return refuse(`${name}() with another unit than month, quarter or year`);
      const first = firstDayOf(Math.floor(reading.wallMs / dayMs), unit);
      return withFields(value, (name === 'first_of' ? first : lastDayOf(first, unit)) * dayMs, 0);
    }
    case 'set':
      return replaced(value, name, values);
    case 'at':
    case 'on': {
      const names =
        name === 'at' ? (['hour', 'minute', 'second', 'microsecond'] as const) : (['year', 'month', 'day'] as const);
      const fields = integers(name, bind(name, values, names));
      if (!fields.has(names[0]) || (name === 'on' && fields.size < 3))
        return refuse(`${name}() with an argument missing`);
      const all = name === 'at' ? new Map([...names.map((field) => [field, 0] as const), ...fields]) : fields;
      const { wallMs, microseconds } = replacedReading(reading, all);
      return withFields(value, wallMs, microseconds);
    }
    case 'format':
      return pendulumFormat(reading, textArgument(name, bind(name, values, ['fmt']).get('fmt')));
    case 'diff': {
      const other = bind(name, values, ['dt']).get('dt');
      if (other === undefined || other === null || typeof other !== 'object' || other.kind !== 'datetime')
        return refuse('diff() with the clock');
      return difference(order(value, other) < 0 ? other : value, order(value, other) < 0 ? value : other);
    }
  }
  none(name, values);
  switch (name) {
    case 'naive':
      return { ...value, zone: undefined, reading: { ...reading, offsetMs: undefined } };
    case 'to_date_string':
      return isoText(reading, ' ').slice(0, 10);
    case 'to_datetime_string':
      return isoText({ ...reading, offsetMs: undefined }, ' ').slice(0, 19);
    case 'to_time_string':
      return isoText(reading, ' ').slice(11, 19);
    case 'to_iso8601_string':
      return value.zone === 'UTC'
        ? isoText(reading, 'T').replace('+00:00', 'Z')
        : refuse('to_iso8601_string() of another zone than UTC');
    case 'is_leap_year':
      return daysInMonth(fieldsOf(reading).year, 2) === 29;
    default:
      return refuse(`the method "${name}" of a datetime is not supported`);
  }
}

/** The difference of two pendulum datetimes in UTC, never negative. */
export function difference(later: PythonDatetime, earlier: PythonDatetime): PythonValue {
  if (later.zone !== 'UTC' || earlier.zone !== 'UTC')
    return refuse('a difference of datetimes that are not both in UTC');
  if (later.reading.microseconds !== earlier.reading.microseconds) return refuse('a difference with microseconds');
  const ms = instantOf(later) - instantOf(earlier);
  return ms < 0 ? refuse('a negative difference of datetimes') : { kind: 'interval', ms };
}

function edgeOf(value: PythonDatetime, name: 'start_of' | 'end_of', unit: string): PythonDatetime {
  const { wallMs } = value.reading;
  const small = { second: 1000, minute: 60_000, hour: 3_600_000 }[unit];
  let start: number;
  let end: number;
  if (small !== undefined) {
    start = Math.floor(wallMs / small) * small;
    end = start + small;
  } else {
    if (unit !== 'day' && unit !== 'week' && unit !== 'month' && unit !== 'year') return refuse(`${name}("${unit}")`);
    const first = firstDayOf(Math.floor(wallMs / dayMs), unit);
    start = first * dayMs;
    end = (lastDayOf(first, unit) + 1) * dayMs;
  }
  return name === 'start_of' ? withFields(value, start, 0) : withFields(value, end - 1, 999);
}

function lastDayOf(first: number, unit: 'day' | 'week' | 'month' | 'quarter' | 'year'): number {
  const { year, month } = civilOf(first);
  if (unit === 'day') return first;
  if (unit === 'week') return first + 6;
  return dayNumberOf(year, month + { month: 1, quarter: 3, year: 12 }[unit], 1) - 1;
}

/** A call of a method of a date. */
export function callDate(date: PythonDate, name: string, values: PythonArguments): PythonValue {
  const reading = midnight(date);
  switch (name) {
    case 'strftime':
      return formatted(reading, textArgument(name, bind(name, values, ['format']).get('format')));
    case 'isoformat':
      none(name, values);
      return isoText(reading, ' ').slice(0, 10);
    case 'weekday':
    case 'isoweekday':
      none(name, values);
      return weekdayNumber(reading, name);
    case 'replace': {
      const { wallMs } = replacedReading(reading, integers(name, bind(name, values, ['year', 'month', 'day'])));
      return { ...date, dayNumber: wallMs / dayMs };
    }
    case 'add':
    case 'subtract': {
      if (!date.pendulum) return refuse(`a standard date has no method "${name}"`);
      const [months, days, ms] = movement(name, values);
      return ms === 0 ? addedToDate(date, months, days) : refuse('hours added to a date');
    }
    default:
      return refuse(`the method "${name}" of a date is not supported`);
  }
}

/** Airflow's filters for times, by what they call on the value. */
export function timeFilter(name: string, value: PythonDatetime | PythonDate): string {
  const reading = value.kind === 'date' ? midnight(value) : value.reading;
  const iso = value.kind === 'date' ? isoText(reading, 'T').slice(0, 10) : isoText(reading, 'T');
  switch (name) {
    case 'ds':
      return formatted(reading, '%Y-%m-%d');
    case 'ds_nodash':
      return formatted(reading, '%Y%m%d');
    case 'ts':
      return iso;
    case 'ts_nodash':
      return formatted(reading, '%Y%m%dT%H%M%S');
    default:
      return iso.replaceAll('-', '').replaceAll(':', '');
  }
}
