import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
import type { CalendarUnit } from '../../time/zones/calendar.ts';
import { isZone } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

type Call = Extract<SqlExpression, { kind: 'call' }>;

/** A call that gives the time that it takes, in another type or on another clock. */
export interface TimeFunction {
  readonly operand: SqlExpression;
  /** It keeps the day only. */
  readonly isDay: boolean;
  /** A number of seconds or the like: no longer the name of a day, so that a number added to it counts no days. */
  readonly isNumber?: boolean;
  /**
   * `undefined`: the clock stays. `from`: the operand is a wall time of that zone; absent: a moment, or as
   * `AT TIME ZONE` takes it. `unknown`: a zone that the text does not say.
   */
  readonly clock: { readonly from?: ZoneName; readonly to: ZoneName } | 'unknown' | undefined;
}

/** Text, number, date and timestamp into each other, the operand in front. */
const conversions =
  /^((try_)?to_timestamp(_ntz|_ltz|_tz)?|to_datetime|timestamp_(seconds|millis|micros)|unix_(seconds|millis|micros)|to_unixtime|from_unixtime|from_iso8601_(timestamp|date)|str_to_date|date_parse|strptime|parsedatetimebesteffort|todatetime(64)?|lower|trim)$/;

/** As {@link conversions}, with a pattern in front in BigQuery and behind elsewhere. */
const parsers: ReadonlySet<string> = new Set(['parse_date', 'parse_timestamp', 'parse_datetime']);

const days: ReadonlySet<string> = new Set([
  'date',
  'to_date',
  'try_to_date',
  'todate',
  'to_days',
  'from_iso8601_date',
  'parse_date',
]);

/** `undefined`: another function, or one that changes the time. */
export function timeFunction(call: Call, dialect: DialectName): TimeFunction | undefined {
  const name = call.name.split('.').at(-1) ?? '';
  const [first, second, third] = call.arguments;
  if (first === undefined) return undefined;
  const isDay = days.has(name);
  if (conversions.test(name)) {
    // `from_unixtime(n, 'yyyy-MM-dd')` is a text, `from_unixtime(n, zone)` a moment on a clock.
    if (name === 'from_unixtime' && second !== undefined) return undefined;
    return { operand: first, isDay, isNumber: /^(unix_|to_unix)/.test(name), clock: undefined };
  }
  if (parsers.has(name)) {
    const operand = dialect === 'bigquery' ? second : first;
    const zone = dialect === 'bigquery' ? third : undefined;
    return operand === undefined ? undefined : { operand, isDay, clock: zone && clockOf(zone) };
  }
  switch (name) {
    case 'to_date':
    case 'try_to_date':
    case 'to_days':
      return { operand: first, isDay, clock: undefined };
    case 'date':
    case 'todate':
    case 'timestamp':
    case 'datetime':
      // Three numbers are a day of their own.
      if (third !== undefined) return undefined;
      return { operand: first, isDay, clock: second && clockOf(second) };
    case 'unix_timestamp':
      return { operand: first, isDay, isNumber: true, clock: undefined };
    case 'extract':
    case 'date_part': {
      const field = first.kind === 'column' ? first.name : first.kind === 'literal' ? first.text : '';
      const isEpoch = /^epoch(_second|_millisecond)?s?$/i.test(field);
      return isEpoch && second !== undefined ? { operand: second, isDay, isNumber: true, clock: undefined } : undefined;
    }
    case 'with_timezone':
    case 'at_timezone':
      return { operand: first, isDay, clock: second === undefined ? 'unknown' : clockOf(second) };
    case 'timezone':
      return second === undefined ? undefined : { operand: second, isDay, clock: clockOf(first) };
    case 'from_utc_timestamp':
      return { operand: first, isDay, clock: between('UTC', zoneArgument(second)) };
    case 'to_utc_timestamp':
      return { operand: first, isDay, clock: between(zoneArgument(second), 'UTC') };
    case 'convert_tz':
      return { operand: first, isDay, clock: between(zoneArgument(second), zoneArgument(third)) };
    case 'convert_timezone':
      if (second === undefined) return undefined;
      return third === undefined
        ? { operand: second, isDay, clock: clockOf(first) }
        : { operand: third, isDay, clock: between(zoneArgument(first), zoneArgument(second)) };
    default:
      return undefined;
  }
}

const clockOf = (expression: SqlExpression): TimeFunction['clock'] => {
  const to = zoneArgument(expression);
  return to === undefined ? 'unknown' : { to };
};

const between = (from: ZoneName | undefined, to: ZoneName | undefined): TimeFunction['clock'] =>
  from === undefined || to === undefined ? 'unknown' : { from, to };

/**
 * A zone that is written as a text. Only names of places: PostgreSQL turns the sign of `+09:00` around and takes `CET`
 * for a fixed offset, others do not.
 */
export const zoneArgument = (expression: SqlExpression | undefined): ZoneName | undefined => {
  if (expression?.kind !== 'literal') return undefined;
  if (/^(etc\/)?(utc|gmt|z|[+-]00:00)$/i.test(expression.text)) return 'UTC';
  return expression.text.includes('/') && isZone(expression.text) ? expression.text : undefined;
};

/** The unit that the first characters of a date's text are: seven of `2026-11-28`, or six of `20261128`, are a month. */
export function prefixUnit(call: Call): CalendarUnit | undefined {
  const [, second, third] = call.arguments;
  const isLeft = call.name === 'left';
  const from = isLeft ? '1' : textOf(second);
  const length = textOf(isLeft ? second : third);
  return (from === '1' || from === '0') && Object.hasOwn(prefixes, length) ? prefixes[length] : undefined;
}

const textOf = (expression: SqlExpression | undefined): string =>
  expression?.kind === 'literal' ? expression.text : '';

const prefixes: Readonly<Record<string, CalendarUnit>> = { 4: 'year', 6: 'month', 7: 'month', 8: 'day', 10: 'day' };
