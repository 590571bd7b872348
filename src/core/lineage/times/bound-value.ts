import type { SqlExpression } from '../../sql/model/expression.ts';
import type { Span } from '../../text/span.ts';
import type { SqlContext } from './sql-context.ts';
import { asLocalIn, floorReadings, type TimeReadings } from './time-readings.ts';

/** What a SQL expression that a column is compared with stands for. */
export type TimeBound =
  | ({ readonly kind: 'time' } & TimeReadings)
  /** The same for every interval. */
  | { readonly kind: 'constant' }
  /** Depends on other columns of the row: a join, not a bound. */
  | { readonly kind: 'column' }
  /** `varies`: it changes from run to run (a clock, a maximum), rather than being fixed outside of the file. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly varies: boolean; readonly span: Span };

/** The text of an expression as the reason why its value is not known. */
export function unknownBound(context: SqlContext, expression: SqlExpression, varies: boolean): TimeBound {
  const text = context.text.slice(expression.start, expression.end).replace(/\s+/g, ' ').trim();
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return { kind: 'unknown', reason: short, varies, span: { start: expression.start, end: expression.end } };
}

/** A cast changes what a day is only where it cuts to one. */
export function castBound(value: TimeBound, type: string, context: SqlContext): TimeBound {
  if (value.kind !== 'time') return value;
  const name = type.replace(/\(.*?\)/g, '').trim();
  if (name === 'date') {
    return { kind: 'time', ...floorReadings(value, 'day', context.zones), naive: true, moment: false };
  }
  if (name === 'timestamptz' || name.endsWith(' with time zone') || name === 'timestamp_tz') {
    return { ...asMoment(value, context), kind: 'time' };
  }
  if (/^(timestamp|datetime)/.test(name)) return { ...value, naive: true, moment: false };
  return value;
}

/** A wall time becomes a moment by the session's zone, which may be any of the context's. */
function asMoment(value: TimeReadings, { zones }: SqlContext): TimeReadings {
  const others = value.naive ? zones.filter((zone) => zone !== 'UTC') : [];
  const local = others.flatMap((zone) => asLocalIn(value, zone).readings);
  return { ...value, readings: [...value.readings, ...local], naive: false, moment: true };
}

/** Reads an expression inside another one. */
export type BoundOf = (expression: SqlExpression) => TimeBound;
