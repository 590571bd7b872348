import type { SqlExpression } from '../../sql/model/expression.ts';
import type { BoundOf } from './bound-value.ts';
import { castBound, type TimeBound, unknownBound } from './bound-value.ts';
import { isDateField, patternUnit } from './date-pattern.ts';
import { constantNumber, constantOffset, scaled, unitArgument } from './interval-value.ts';
import type { SqlContext } from './sql-context.ts';
import { prefixUnit, timeFunction, zoneArgument } from './time-function.ts';
import {
  asWallOf,
  floorReadings,
  inZone,
  isAligned,
  noOffset,
  onClockOf,
  shiftReadings,
  type TimeReadings,
  unitLength,
} from './time-readings.ts';
import { type CutUnit, cutArgument } from './week-start.ts';

type Call = Extract<SqlExpression, { kind: 'call' }>;

/** What a date function makes of a bound; `undefined` when the function is not about dates. */
export function dateCall(call: Call, context: SqlContext, boundOf: BoundOf): TimeBound | undefined {
  const name = call.name.split('.').at(-1) ?? '';
  const [first, second, third] = call.arguments;
  const converted = conversion(call, context, boundOf);
  if (converted !== undefined) return converted;
  switch (name) {
    case 'date_trunc':
    case 'timestamp_trunc':
    case 'datetime_trunc':
    case 'trunc':
      return truncated(call, name, context, boundOf);
    case 'last_day':
      return lastDay(call, context, boundOf);
    case 'extract':
    case 'date_part':
      return first === undefined || second === undefined || !isDateField(first)
        ? undefined
        : castBound(boundOf(second), 'date', context);
    case 'to_char':
    case 'format_date':
    case 'format_timestamp':
    case 'format_datetime':
    case 'date_format':
    case 'strftime':
    case 'from_unixtime':
      return formatted(call, name, context, boundOf);
    case 'left':
    case 'substr':
    case 'substring': {
      const unit = prefixUnit(call);
      const bound = first === undefined || unit === undefined ? undefined : boundOf(first);
      if (bound?.kind !== 'time' || unit === undefined) return undefined;
      return { kind: 'time', ...floorReadings(bound, unit, context.zones) };
    }
    case 'add_months':
      return addMonths(call, context, boundOf);
    case 'date_add':
    case 'dateadd':
    case 'date_sub':
    case 'datesub':
    case 'adddate':
    case 'subdate':
    case 'timestamp_add':
    case 'timestamp_sub':
    case 'datetime_add':
    case 'datetime_sub':
    case 'timestampadd': {
      const sign = name.includes('sub') ? -1 : 1;
      if (third !== undefined) return unitFirst(call, sign, context, boundOf);
      const offset = second === undefined ? undefined : constantOffset(second, context);
      const value = moved(first, offset === undefined ? undefined : scaled(offset, sign), call, context, boundOf);
      const givesDate = second !== undefined && constantNumber(second, context) !== undefined;
      return givesDate && context.dialect !== 'mysql' ? castBound(value, 'date', context) : value;
    }
    default:
      return undefined;
  }
}

/** The same time in another type, or on another clock. */
function conversion(call: Call, context: SqlContext, boundOf: BoundOf): TimeBound | undefined {
  const found = timeFunction(call, context.dialect);
  if (found === undefined) return undefined;
  const bound = boundOf(found.operand);
  if (bound.kind !== 'time') return bound;
  const { clock, isDay, isNumber } = found;
  if (clock === 'unknown') return unknownBound(context, call, false);
  const moved = clock === undefined ? bound : onAnotherClock(bound, clock);
  const value = isNumber === true ? { ...moved, unit: undefined } : moved;
  return isDay ? castBound({ ...value, kind: 'time' }, 'date', context) : { ...value, kind: 'time' };
}

function onAnotherClock(
  value: TimeReadings,
  { from, to }: Exclude<NonNullable<ReturnType<typeof timeFunction>>['clock'], undefined | 'unknown'>,
): TimeReadings {
  if (from === undefined) return inZone(value, to);
  return onClockOf(from === 'UTC' ? value : asWallOf(value, from), to);
}

/** `date_trunc('month', x)`, `date_trunc('day', x, 'Europe/Berlin')`, `date_trunc(x, MONTH)`, `trunc(x, 'MM')`, `trunc(x)`. */
function truncated(call: Call, name: string, context: SqlContext, boundOf: BoundOf): TimeBound | undefined {
  const [first, second, third] = call.arguments;
  if (first === undefined) return undefined;
  if (second === undefined) {
    const bound = name === 'trunc' ? boundOf(first) : undefined;
    return bound?.kind === 'time' ? castBound(bound, 'date', context) : undefined;
  }
  const isAhead = context.dialect !== 'bigquery' && name === 'date_trunc';
  const ahead = isAhead ? cutArgument(first, context.dialect) : undefined;
  const value = boundOf(ahead === undefined ? first : second);
  if (value.kind !== 'time') return value;
  const cut = ahead ?? cutArgument(second, context.dialect);
  if (cut === undefined) return unknownBound(context, call, false);
  if (third === undefined) return { kind: 'time', ...cutReadings(value, cut, context.zones) };
  const zone = zoneArgument(third);
  if (zone === undefined) return unknownBound(context, call, false);
  const readings = value.readings.map(({ time }) => ({ time, zone }));
  return { kind: 'time', ...cutReadings({ ...value, readings, unit: undefined }, cut, [zone]) };
}

/** A week that starts on another day than Monday is cut that many days away. */
function cutReadings(
  value: TimeReadings,
  { unit, weekStart }: CutUnit,
  zones: Parameters<typeof floorReadings>[2],
): TimeReadings {
  if (weekStart === 0) return floorReadings(value, unit, zones);
  const aside = shiftReadings(value, { ...noOffset, days: -weekStart }, zones);
  return shiftReadings(floorReadings(aside, unit, zones), { ...noOffset, days: weekStart }, zones);
}

/** `last_day(x)`, `last_day(x, WEEK)`. */
function lastDay(call: Call, context: SqlContext, boundOf: BoundOf): TimeBound | undefined {
  const [first, second] = call.arguments;
  const bound = first === undefined ? undefined : boundOf(first);
  if (bound?.kind !== 'time') return bound;
  const cut = second === undefined ? ({ unit: 'month', weekStart: 0 } as const) : cutArgument(second, context.dialect);
  if (cut === undefined) return unknownBound(context, call, false);
  const begin = cutReadings(bound, cut, context.zones);
  const next = shiftReadings(begin, unitLength(cut.unit), context.zones);
  const last = shiftReadings(next, { ...noOffset, days: -1 }, context.zones);
  return { kind: 'time', ...last, unit: 'day', naive: true, moment: false };
}

/** `to_char(x, 'YYYYMMDD')` and kin: the text of a unit; texts that do not sort as times do are not bounds. */
function formatted(call: Call, name: string, context: SqlContext, boundOf: BoundOf): TimeBound | undefined {
  const [first, second, ...more] = call.arguments;
  const isBehind = second?.kind === 'literal';
  const [value, pattern] = isBehind ? [first, second] : [second, first];
  if (value === undefined) return first === undefined ? undefined : boundOf(first);
  const bound = boundOf(value);
  if (bound.kind !== 'time') return bound;
  const found = pattern?.kind === 'literal' ? patternUnit(pattern.text, name, context.dialect) : undefined;
  if (found === undefined || more.length > 0) return unknownBound(context, call, false);
  const cut = floorReadings(bound, found.unit, context.zones);
  return { kind: 'time', ...cut, ...(found.firstDay ? { unit: 'day' } : {}) };
}

/** `dateadd(day, -6, x)`. */
function unitFirst(call: Call, sign: number, context: SqlContext, boundOf: BoundOf): TimeBound {
  const [first, amount, value] = call.arguments;
  const unit = unitArgument(first);
  const count = amount === undefined ? undefined : constantNumber(amount, context);
  const offset =
    unit === undefined || count === undefined || !Number.isInteger(count)
      ? undefined
      : scaled(unitLength(unit), sign * count);
  return moved(value, offset, call, context, boundOf);
}

/** Engines disagree whether the last day of a month stays one (28 February to 31 March), and whether a time of day is kept. */
function addMonths(call: Call, context: SqlContext, boundOf: BoundOf): TimeBound {
  const [first, second] = call.arguments;
  const months = second === undefined ? undefined : constantNumber(second, context);
  const isWhole = months !== undefined && Number.isInteger(months);
  const value = moved(first, isWhole ? { ...noOffset, months } : undefined, call, context, boundOf);
  if (value.kind !== 'time') return value;
  if (context.dialect === 'spark') return castBound(value, 'date', context);
  if (isAligned(value.unit, 'month')) return value;
  const later = shiftReadings(value, { ...noOffset, days: 3 }, context.zones);
  return { ...value, readings: [...value.readings, ...later.readings] };
}

function moved(
  value: SqlExpression | undefined,
  offset: typeof noOffset | undefined,
  call: Call,
  context: SqlContext,
  boundOf: BoundOf,
): TimeBound {
  const bound = value === undefined ? unknownBound(context, call, false) : boundOf(value);
  if (bound.kind !== 'time') return bound;
  if (offset === undefined) return unknownBound(context, call, false);
  return { kind: 'time', ...shiftReadings(bound, offset, context.zones) };
}
