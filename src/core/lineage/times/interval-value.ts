import type { SqlExpression } from '../../sql/model/expression.ts';
import { parseInterval } from '../../sql/parse/expressions/interval-amount.ts';
import type { CalendarOffset, CalendarUnit } from '../../time/zones/calendar.ts';
import type { SqlContext } from './sql-context.ts';
import { noOffset, unitLength } from './time-readings.ts';

/** A distance that is the same for every interval: `interval '6 days'`, `6 * interval '1 day'`, `6` (days), `make_interval(…)`. */
export function constantOffset(expression: SqlExpression, context: SqlContext): CalendarOffset | undefined {
  switch (expression.kind) {
    case 'interval':
      return expression.amount ?? bracketed(expression, context);
    case 'cast': {
      if (!expression.type.startsWith('interval')) return constantOffset(expression.operand, context);
      return expression.operand.kind === 'literal' ? parseInterval(expression.operand.text, undefined) : undefined;
    }
    case 'unary': {
      const inner = constantOffset(expression.operand, context);
      return inner === undefined ? undefined : scaled(inner, expression.operator === '-' ? -1 : 1);
    }
    case 'binary': {
      if (expression.operator !== '*') return undefined;
      for (const [number, other] of [
        [expression.left, expression.right],
        [expression.right, expression.left],
      ] as const) {
        const factor = constantNumber(number, context);
        if (factor === undefined || constantNumber(other, context) !== undefined) continue;
        return times(constantOffset(other, context), factor);
      }
      return undefined;
    }
    case 'call':
      return expression.name === 'make_interval' ? makeInterval(expression.arguments, context) : undefined;
    default: {
      // A bare number added to a date counts days.
      const days = constantNumber(expression, context);
      return days === undefined || !Number.isInteger(days) ? undefined : { ...noOffset, days };
    }
  }
}

/** `INTERVAL (6) DAY`, `INTERVAL 2 * 3 HOUR`: a number that has to be worked out, and the unit behind it. */
function bracketed(
  { parts, start, end }: Extract<SqlExpression, { kind: 'interval' }>,
  context: SqlContext,
): CalendarOffset | undefined {
  const [only, ...others] = parts;
  const amount = only === undefined || others.length > 0 ? undefined : constantNumber(only, context);
  const unit = /([a-z]+)\s*$/i.exec(context.text.slice(Math.max(start, only?.end ?? start), end))?.[1];
  const known = unit === undefined ? undefined : calendarUnit(unit);
  return amount === undefined || known === undefined ? undefined : times(unitLength(known), amount);
}

const times = (amount: CalendarOffset | undefined, factor: number): CalendarOffset | undefined =>
  amount === undefined || !Number.isInteger(factor) ? undefined : scaled(amount, factor);

export const scaled = ({ months, days, ms }: CalendarOffset, by: number): CalendarOffset => ({
  months: months * by + 0,
  days: days * by + 0,
  ms: ms * by + 0,
});

/** A number that is written in the text or is a constant of the template. */
export function constantNumber(expression: SqlExpression, context: SqlContext): number | undefined {
  if (expression.kind === 'literal' && expression.type === 'number') return Number(expression.text);
  if (expression.kind === 'literal' && /^[+-]?\d+$/.test(expression.text)) return Number(expression.text);
  if (expression.kind === 'unary' && (expression.operator === '-' || expression.operator === '+')) {
    const inner = constantNumber(expression.operand, context);
    return inner === undefined ? undefined : expression.operator === '-' ? -inner : inner;
  }
  if (expression.kind === 'cast') return constantNumber(expression.operand, context);
  if (expression.kind === 'hole') {
    const value = context.holes[expression.hole]?.value;
    if (value?.kind === 'literal' && typeof value.value === 'number') return value.value;
  }
  return undefined;
}

const makeIntervalParts = ['years', 'months', 'weeks', 'days', 'hours', 'mins', 'secs'] as const;

function makeInterval(parts: readonly SqlExpression[], context: SqlContext): CalendarOffset | undefined {
  let total = noOffset;
  for (const [position, part] of parts.entries()) {
    const named = part.kind === 'binary' && (part.operator === '=>' || part.operator === ':=') ? part : undefined;
    const name = named?.left.kind === 'column' ? named.left.name : makeIntervalParts[position];
    const amount = constantNumber(named?.right ?? part, context);
    const unit = calendarUnit(name ?? '');
    if (amount === undefined || unit === undefined || !Number.isInteger(amount)) return undefined;
    const more = scaled(unitLength(unit), amount);
    total = { months: total.months + more.months, days: total.days + more.days, ms: total.ms + more.ms };
  }
  return total;
}

const spellings: Readonly<Record<string, CalendarUnit>> = {
  s: 'second',
  sec: 'second',
  mi: 'minute',
  min: 'minute',
  h: 'hour',
  hh: 'hour',
  d: 'day',
  dd: 'day',
  w: 'week',
  wk: 'week',
  isoweek: 'week',
  mon: 'month',
  mm: 'month',
  q: 'quarter',
  qtr: 'quarter',
  y: 'year',
  yy: 'year',
  yyyy: 'year',
  yr: 'year',
};

const unitNames: ReadonlySet<string> = new Set(['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']);

/** A unit of time as a SQL function names it: `day`, `DAYS`, `dd`. */
export function calendarUnit(word: string): CalendarUnit | undefined {
  const lower = word.trim().toLowerCase();
  const singular = lower.length > 3 && lower.endsWith('s') ? lower.slice(0, -1) : lower;
  if (unitNames.has(singular)) return singular as CalendarUnit;
  return Object.hasOwn(spellings, lower) ? spellings[lower] : undefined;
}

/** The unit that an argument names, as a string or as a bare word. */
export function unitArgument(expression: SqlExpression | undefined): CalendarUnit | undefined {
  if (expression?.kind === 'literal') return calendarUnit(expression.text);
  if (expression?.kind === 'column' && expression.qualifier === undefined) return calendarUnit(expression.name);
  // `date_trunc('week'::text, …)`, as PostgreSQL writes a view down.
  if (expression?.kind === 'cast') return unitArgument(expression.operand);
  return undefined;
}
