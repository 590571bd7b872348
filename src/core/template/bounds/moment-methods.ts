import type { CalendarOffset, CalendarUnit } from '../../time/zones/calendar.ts';
import { movesMidnight } from '../../time/zones/moves-midnight.ts';
import { isZone } from '../../time/zones/zone.ts';
import type { CallArguments, JinjaExpression } from '../language/expression.ts';
import { unknownValue } from '../names/symbolic-value.ts';
import { strftimeOf } from '../python/pendulum-tokens.ts';
import { patternPieces, unsupportedDirective } from '../python/strftime.ts';
import { calendarUnits, distance, type Reading } from './distance.ts';
import { formPatterns } from './format-time.ts';
import {
  floored,
  inZone,
  isFloored,
  isoPatternOf,
  keptTimeOfDay,
  type Moment,
  printPatternOf,
  replaced,
  shifted,
  written,
} from './moment.ts';

type Read = (expression: JinjaExpression) => Reading;
type Constant = string | number | boolean | null | undefined;

/** Airflow's own filters, and the few of Jinja2 that leave a time readable. */
export function filteredMoment(moment: Moment, name: string): Reading | undefined {
  if (name === 'string' || name === 'trim') return asText(written(moment, printPatternOf(moment)));
  if (name === 'default' || name === 'd') return moment;
  if (moment.type === 'text') return name === 'int' ? asNumber(moment) : undefined;
  if (name === 'ds') return asText(written(moment, formPatterns.date));
  if (name === 'ds_nodash') return asText(written(moment, formPatterns['basic-date']));
  if (name === 'ts') return asText(written(moment, isoPatternOf(moment)));
  if (name === 'ts_nodash') return asText(written(moment, formPatterns['basic-timestamp']));
  if (name === 'ts_nodash_with_tz' && moment.type !== 'date' && moment.zone === 'UTC')
    return asText(written(moment, moment.type === 'naive' ? formPatterns['basic-timestamp'] : '%Y%m%dT%H%M%S%z'));
  return undefined;
}

/** Digits only, without a leading zero: printed as a number it is the same text. */
const asNumber = (moment: Moment): Reading | undefined =>
  patternPieces(moment.pattern).every(
    (piece) => 'directive' in piece && /^(?:[YmdHMSj]|-[dmHMSj])$/.test(piece.directive),
  ) && moment.pattern.startsWith('%Y')
    ? moment
    : undefined;

/** Why strftime with this pattern cannot be foretold, if so. */
export function patternProblem(pattern: string): string | undefined {
  const directive = unsupportedDirective(pattern);
  return directive === undefined ? undefined : `the directive ${directive} depends on platform or zone name`;
}

const timeOfDayLost = unknownValue(keptTimeOfDay);

/** Moves a time: pendulum's `add()` by calendar units, a timedelta by elapsed time, a naive time on its own clock. */
export function movedMoment(
  moment: Moment,
  offset: CalendarOffset,
  mode: 'calendar' | 'elapsed' = 'calendar',
): Reading {
  const { months, days, ms } = offset;
  if (moment.type === 'date' && ms !== 0) return unknownValue('hours added to a date');
  if (moment.precision === 'day' && ms !== 0) return timeOfDayLost;
  if (moment.zone === 'UTC') return shifted(moment, offset);
  if (moment.type === 'naive' || moment.type === 'date' || moment.type === 'text')
    return ms === 0 ? onOwnClock(shifted(moment, offset)) : unknownValue('hours added to a time without a zone');
  if (mode === 'elapsed') {
    if (months !== 0) return unknownValue('months added to a time of another zone by relativedelta');
    if (moment.precision === 'day') return timeOfDayLost;
    return shifted(moment, { months: 0, days: 0, ms: days * 86_400_000 + ms });
  }
  if (ms !== 0 && (months !== 0 || days !== 0))
    return unknownValue('days and hours added together in a zone with clock changes');
  return shifted(moment, offset);
}

/**
 * A method (or, without arguments, an attribute) of a time or of its text; `undefined` when it is none that is known.
 * Methods of pendulum are refused for standard datetimes, which have none of them.
 */
export function methodOfMoment(
  moment: Moment,
  name: string,
  call: CallArguments | undefined,
  read: Read,
): Reading | undefined {
  const constants = call === undefined ? [] : call.positional.map((argument) => constantOf(read(argument)));
  if (moment.type === 'text') return call === undefined ? undefined : methodOfText(moment, name, constants);
  if (call === undefined)
    return moment.type === 'object' && name === 'int_timestamp'
      ? asText(written(moment, '%s'))
      : attribute(moment, name);
  const [first] = constants;
  switch (name) {
    case 'strftime':
      return typeof first === 'string'
        ? orProblem(first, () => written(moment, first))
        : unknownValue('strftime() with a pattern that is not constant');
    case 'isoformat':
      return call.positional.length + call.keyword.length === 0
        ? asText(written(moment, isoPatternOf(moment)))
        : undefined;
    case 'date':
      return moment.type === 'date' ? undefined : { ...floored(moment, 'day'), type: 'date', precision: 'instant' };
    case 'replace': {
      const result = replacedFields(moment, call, read);
      return result.kind === 'moment' ? onOwnClock(result) : result;
    }
    default:
      return moment.type === 'object' ? methodOfPendulum(moment, name, call, first, read) : undefined;
  }
}

/**
 * A naive time knows no clock changes: moved on the clock of a zone that has them it may come to stand where that
 * clock never did, so only its day is certain.
 */
const onOwnClock = (moment: Moment): Moment =>
  moment.type === 'naive' && moment.zone !== 'UTC' ? { ...moment, precision: 'day' } : moment;

function attribute(moment: Moment, name: string): Reading | undefined {
  const pattern = {
    year: '%Y',
    month: '%-m',
    day: '%-d',
    hour: '%-H',
    minute: '%-M',
    second: '%-S',
    day_of_year: '%-j',
  }[name];
  return pattern === undefined ? undefined : asText(written(moment, pattern));
}

function methodOfText(moment: Moment, name: string, [first, second]: readonly Constant[]): Reading | undefined {
  if (name === 'replace' && typeof first === 'string' && typeof second === 'string')
    return asText(replaced(moment, first, second));
  if (name === 'strip' && first === undefined) return moment;
  if (name === 'split' && (first === 'T' || first === ' ') && /^%Y-%m-%d[T ]/.test(moment.pattern))
    return unknownValue('a list of the parts of a time');
  return undefined;
}

const clockUnits: ReadonlySet<string> = new Set(['second', 'minute', 'hour']);
const startUnits: ReadonlySet<string> = new Set(['second', 'minute', 'hour', 'day', 'week', 'month', 'year']);

function methodOfPendulum(
  moment: Moment,
  name: string,
  call: CallArguments,
  first: Constant,
  read: Read,
): Reading | undefined {
  const bare = call.positional.length === 0 && call.keyword.length === 0;
  switch (name) {
    case 'add':
    case 'subtract': {
      const length = distance(call, calendarUnits, read, 'years');
      if (length === undefined) return unknownValue(`${name}() with a value that is not constant`);
      const sign = name === 'add' ? 1 : -1;
      const { months, days, ms } = length.offset;
      return movedMoment(moment, { months: sign * months, days: sign * days, ms: sign * ms });
    }
    case 'start_of':
    case 'end_of': {
      if (typeof first !== 'string' || !startUnits.has(first)) return undefined;
      if (moment.precision === 'day' && clockUnits.has(first)) return timeOfDayLost;
      const start = { ...floored(moment, first as CalendarUnit), precision: 'instant' } as const;
      return name === 'start_of' ? start : endOf(start, first as CalendarUnit);
    }
    case 'first_of':
    case 'last_of': {
      if ((first !== 'month' && first !== 'quarter' && first !== 'year') || call.positional.length > 1)
        return undefined;
      const start = { ...floored(moment, first), precision: 'instant' } as const;
      return name === 'first_of' ? start : shifted(start, { months: unitMonths[first], days: -1, ms: 0 });
    }
    case 'in_timezone':
    case 'in_tz':
      if (moment.precision === 'day') return timeOfDayLost;
      return typeof first === 'string' && isZone(first) && !/^[+-]/.test(first)
        ? inZone(moment, first)
        : unknownValue('a zone that is not known');
    case 'format':
      return typeof first === 'string' && call.keyword.length === 0 ? formatted(moment, first) : undefined;
    case 'naive':
      // Printed, the result would end in the microseconds of the end of a unit.
      if (moment.precision === 'second') return unknownValue('end_of() ends in microseconds');
      return bare ? { ...moment, type: 'naive' } : undefined;
    case 'to_date_string':
      return bare ? asText(written(moment, formPatterns.date)) : undefined;
    case 'to_datetime_string':
      return bare ? asText(written(moment, '%Y-%m-%d %H:%M:%S')) : undefined;
    case 'to_time_string':
      return bare ? asText(written(moment, '%H:%M:%S')) : undefined;
    case 'to_iso8601_string':
      return bare && moment.zone === 'UTC' ? asText(written(moment, '%Y-%m-%dT%H:%M:%SZ')) : undefined;
    default:
      return undefined;
  }
}

const unitMonths = { month: 1, quarter: 3, year: 12 } as const;

function endOf(start: Moment, unit: CalendarUnit): Reading {
  const length = {
    second: { months: 0, days: 0, ms: 1000 },
    minute: { months: 0, days: 0, ms: 60_000 },
    hour: { months: 0, days: 0, ms: 3_600_000 },
    day: { months: 0, days: 1, ms: 0 },
    week: { months: 0, days: 7, ms: 0 },
    month: { months: 1, days: 0, ms: 0 },
    quarter: { months: 3, days: 0, ms: 0 },
    year: { months: 12, days: 0, ms: 0 },
  }[unit];
  // There the next unit need not begin at a midnight whose last millisecond before is the day before: only the day is sure.
  if (!clockUnits.has(unit) && movesMidnight(start.zone))
    return { ...shifted(start, { ...length, days: length.days - 1 }), precision: 'day' };
  // The last microsecond is said as the last millisecond: the same to every pattern that shows seconds or coarser.
  return { ...shifted(shifted(start, length), { months: 0, days: 0, ms: -1 }), precision: 'second' };
}

function formatted(moment: Moment, format: string): Reading {
  const converted = strftimeOf(format);
  if ('unsupported' in converted)
    return unknownValue(`the token "${converted.unsupported}" of .format() is not supported`);
  return asText(written(moment, converted.pattern));
}

/** `replace(day=1)`, `replace(hour=0, minute=0, second=0, microsecond=0)`: the start of a unit, where it is one. */
function replacedFields(moment: Moment, call: CallArguments, read: Read): Reading {
  const fields = new Map(call.keyword.map(({ name, value }) => [name, constantOf(read(value))]));
  const unclear = unknownValue('replace() of fields that do not make a start of a unit');
  if (call.positional.length > 0 || fields.size === 0) return unclear;
  const start = (name: string, value: number): boolean => fields.get(name) === value;
  const clock = ['hour', 'minute', 'second', 'microsecond'].filter((name) => fields.has(name));
  if (clock.some((name) => !start(name, 0))) return unclear;
  const calendar: CalendarUnit | undefined =
    fields.has('month') || fields.has('day') ? (fields.has('month') ? 'year' : 'month') : undefined;
  if (calendar !== undefined && (!start('day', 1) || (calendar === 'year' && !start('month', 1)))) return unclear;
  if ([...fields.keys()].some((name) => !['month', 'day', ...clock].includes(name))) return unclear;
  const midnight = ['hour', 'minute', 'second'].every((name) => clock.includes(name));
  const microsecondsKept = moment.precision === 'second' && !fields.has('microsecond');
  const cleared = microsecondsKept ? 'second' : 'instant';
  if (calendar !== undefined) {
    if (midnight) return { ...floored(moment, calendar), precision: cleared };
    // The end of a unit has microseconds, which a later replace() of hour, minute and second leaves in place.
    if (moment.precision === 'second') return timeOfDayLost;
    const whole =
      moment.type === 'date' || (moment.precision === 'instant' && isFloored(moment.steps, 'day', moment.zone));
    return { ...floored(moment, calendar), precision: whole ? 'instant' : 'day' };
  }
  if (moment.type === 'date') return unclear;
  if (midnight) return { ...floored(moment, 'day'), precision: cleared };
  if (moment.precision === 'day') return timeOfDayLost;
  if (clock.includes('minute') && clock.includes('second') && !clock.includes('hour'))
    return { ...floored(moment, 'hour'), precision: cleared };
  return unclear;
}

const constantOf = (value: Reading): Constant => (value.kind === 'literal' ? value.value : undefined);
const asText = (value: Moment | string): Reading => (typeof value === 'string' ? unknownValue(value) : value);
const orProblem = (pattern: string, write: () => Moment | string): Reading => {
  const problem = patternProblem(pattern);
  return problem === undefined ? asText(write()) : unknownValue(problem);
};
