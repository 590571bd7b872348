import type { ColumnReference, SqlExpression } from '../sql/expression.ts';
import type { CalendarOffset, CalendarUnit } from '../time/calendar.ts';
import { isZone } from '../time/zone.ts';
import type { ZoneName } from '../time/zone-name.ts';
import { unitArgument } from './interval-value.ts';
import { isAligned, noOffset } from './time-readings.ts';

/** A column as one side of a comparison: bare, cut to a unit, on another clock, or moved by a constant. */
export interface ColumnSide {
  readonly column: ColumnReference;
  /** `date_trunc(unit, column)`, or `day` for a cast to date. */
  readonly unit: CalendarUnit | undefined;
  /** `column AT TIME ZONE zone`. */
  readonly zone: ZoneName | undefined;
  readonly offset: CalendarOffset;
}

/** `undefined` when the expression is not one column under monotone functions. */
export function columnSide(expression: SqlExpression): ColumnSide | undefined {
  switch (expression.kind) {
    case 'column':
      return { column: expression, unit: undefined, zone: undefined, offset: noOffset };
    case 'cast': {
      const inner = columnSide(expression.operand);
      return inner === undefined ? undefined : castSide(inner, expression.type);
    }
    case 'at-time-zone': {
      const inner = columnSide(expression.operand);
      const zone = expression.zone.kind === 'literal' ? expression.zone.text : undefined;
      if (inner === undefined || inner.unit !== undefined || zone === undefined || !isZone(zone)) return undefined;
      return zone === 'UTC' ? inner : { ...inner, zone };
    }
    case 'binary': {
      const inner = columnSide(expression.left);
      const amount = expression.right.kind === 'interval' ? expression.right.amount : undefined;
      const sign = expression.operator === '-' ? -1 : expression.operator === '+' ? 1 : 0;
      if (inner === undefined || amount === undefined || sign === 0 || inner.unit !== undefined) return undefined;
      const { months, days, ms } = inner.offset;
      const offset = {
        months: months + sign * amount.months,
        days: days + sign * amount.days,
        ms: ms + sign * amount.ms,
      };
      return { ...inner, offset };
    }
    case 'call':
      return callSide(expression);
    default:
      return undefined;
  }
}

function castSide(inner: ColumnSide, type: string): ColumnSide {
  return type.replace(/\(.*?\)/g, '').trim() === 'date' ? cutTo(inner, 'day') : inner;
}

const cutTo = (inner: ColumnSide, unit: CalendarUnit): ColumnSide =>
  inner.unit === undefined || isAligned(unit, inner.unit) ? { ...inner, unit } : inner;

function callSide(call: Extract<SqlExpression, { kind: 'call' }>): ColumnSide | undefined {
  if (call.window !== undefined) return undefined;
  const name = call.name.split('.').at(-1) ?? '';
  const [first, second, third] = call.arguments;
  if (first === undefined) return undefined;
  switch (name) {
    case 'date':
    case 'to_date':
    case 'todate': {
      const inner = columnSide(first);
      if (inner === undefined) return undefined;
      const zone = second?.kind === 'literal' && isZone(second.text) ? second.text : inner.zone;
      return cutTo(zone === undefined || zone === 'UTC' ? inner : { ...inner, zone }, 'day');
    }
    case 'date_trunc':
    case 'timestamp_trunc':
    case 'datetime_trunc':
    case 'trunc': {
      const ahead = name === 'date_trunc' ? unitArgument(first) : undefined;
      const behind = unitArgument(second);
      // `date_trunc(day, week)`: dialects disagree on which of the two is the column.
      if (ahead !== undefined && behind !== undefined && first.kind === 'column') return undefined;
      const unit = ahead ?? behind;
      const operand = ahead === undefined ? first : second;
      const inner = operand === undefined ? undefined : columnSide(operand);
      if (inner === undefined || unit === undefined) return undefined;
      const zone = third?.kind === 'literal' && isZone(third.text) ? third.text : inner.zone;
      if (third !== undefined && zone === undefined) return undefined;
      return cutTo(zone === undefined || zone === 'UTC' ? inner : { ...inner, zone }, unit);
    }
    case 'to_char':
    case 'date_format': {
      const inner = columnSide(first);
      const text = second?.kind === 'literal' ? second.text.replace(/[^A-Za-z]/g, '').toLowerCase() : '';
      return inner !== undefined && (text === 'yyyymmdd' || text === 'ymd') ? cutTo(inner, 'day') : undefined;
    }
    default:
      return undefined;
  }
}
