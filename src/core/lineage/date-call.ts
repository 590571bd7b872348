import type { SqlExpression } from '../sql/expression.ts';
import { isZone } from '../time/zone.ts';
import { constantNumber, constantOffset, scaled, unitArgument } from './interval-value.ts';
import type { SqlContext } from './sql-context.ts';
import { castBound, type TimeBound, timeBound, unknownBound } from './time-bound.ts';
import { floorReadings, noOffset, shiftReadings, unitLength } from './time-readings.ts';

type Call = Extract<SqlExpression, { kind: 'call' }>;

/** What a date function makes of a bound; `undefined` when the function is not about dates. */
export function dateCall(call: Call, context: SqlContext): TimeBound | undefined {
  const name = call.name.split('.').at(-1) ?? '';
  const [first, second, third] = call.arguments;
  switch (name) {
    case 'date_trunc':
    case 'timestamp_trunc':
    case 'datetime_trunc':
    case 'trunc':
      return truncated(call, context);
    case 'date':
    case 'to_date':
    case 'try_to_date':
    case 'todate':
      return first === undefined ? undefined : castBound(timeBound(first, context), 'date', context);
    case 'parse_date':
      return second === undefined ? undefined : castBound(timeBound(second, context), 'date', context);
    case 'timestamp':
    case 'datetime':
    case 'to_timestamp':
    case 'to_timestamp_ntz':
    case 'to_timestamp_tz':
    case 'str_to_date':
    case 'from_iso8601_timestamp':
    case 'from_iso8601_date':
    case 'date_parse':
    case 'parsedatetimebesteffort':
    case 'todatetime':
    case 'lower':
    case 'trim':
      return first === undefined ? undefined : timeBound(first, context);
    case 'parse_timestamp':
    case 'parse_datetime':
      return second === undefined ? undefined : timeBound(second, context);
    case 'to_char':
    case 'format_date':
    case 'date_format':
      return formatted(call, context);
    case 'add_months':
      return moved(first, monthsOf(second, context), call, context);
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
      if (third !== undefined) return unitFirst(call, sign, context);
      const offset = second === undefined ? undefined : constantOffset(second, context);
      return moved(first, offset === undefined ? undefined : scaled(offset, sign), call, context);
    }
    default:
      return undefined;
  }
}

/** `date_trunc('month', x)`, `date_trunc('day', x, 'Europe/Berlin')`, `date_trunc(x, MONTH)`, `trunc(x, 'MM')`. */
function truncated(call: Call, context: SqlContext): TimeBound | undefined {
  const [first, second, third] = call.arguments;
  if (first === undefined || second === undefined) return undefined;
  const unitAhead = call.name.endsWith('date_trunc') ? unitArgument(first) : undefined;
  const unit = unitAhead ?? unitArgument(second);
  const value = timeBound(unitAhead === undefined ? first : second, context);
  if (value.kind !== 'time') return value;
  // BigQuery's plain WEEK starts on Sunday, ISOWEEK and WEEK(MONDAY) on Monday as everywhere else.
  const named = unitAhead === undefined ? second : first;
  const sundays = context.dialect === 'bigquery' && named.kind === 'column' && named.name.toLowerCase() === 'week';
  if (unit === undefined || sundays) return unknownBound(context, call, false);
  if (third === undefined) return { kind: 'time', ...floorReadings(value, unit, context.zones) };
  const zone = third.kind === 'literal' ? third.text : undefined;
  if (zone === undefined || !isZone(zone)) return unknownBound(context, call, false);
  const readings = value.readings.map(({ time }) => ({ time, zone }));
  return { kind: 'time', ...floorReadings({ ...value, readings, unit: undefined }, unit, [zone]) };
}

/** `to_char(x, 'YYYYMMDD')` and kin: the text of a day; other patterns are not bounds. */
function formatted(call: Call, context: SqlContext): TimeBound | undefined {
  const swapped = call.name.endsWith('format_date');
  const [value, pattern] = swapped ? call.arguments.toReversed() : call.arguments;
  if (value === undefined) return undefined;
  const bound = timeBound(value, context);
  if (bound.kind !== 'time') return bound;
  const text = pattern?.kind === 'literal' ? pattern.text.replace(/[^A-Za-z]/g, '').toLowerCase() : '';
  const isDay = text === 'yyyymmdd' || text === 'ymd' || text === 'f';
  return isDay ? { kind: 'time', ...floorReadings(bound, 'day', context.zones) } : unknownBound(context, call, false);
}

/** `dateadd(day, -6, x)`. */
function unitFirst(call: Call, sign: number, context: SqlContext): TimeBound {
  const [first, amount, value] = call.arguments;
  const unit = unitArgument(first);
  const count = amount === undefined ? undefined : constantNumber(amount, context);
  const offset =
    unit === undefined || count === undefined || !Number.isInteger(count)
      ? undefined
      : scaled(unitLength(unit), sign * count);
  return moved(value, offset, call, context);
}

function monthsOf(expression: SqlExpression | undefined, context: SqlContext): typeof noOffset | undefined {
  const months = expression === undefined ? undefined : constantNumber(expression, context);
  return months === undefined || !Number.isInteger(months) ? undefined : { ...noOffset, months };
}

function moved(
  value: SqlExpression | undefined,
  offset: typeof noOffset | undefined,
  call: Call,
  context: SqlContext,
): TimeBound {
  const bound = value === undefined ? unknownBound(context, call, false) : timeBound(value, context);
  if (bound.kind !== 'time') return bound;
  if (offset === undefined) return unknownBound(context, call, false);
  return { kind: 'time', ...shiftReadings(bound, offset, context.zones) };
}
