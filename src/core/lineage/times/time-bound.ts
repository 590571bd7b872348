import { isClockLiteral } from '../../sql/model/clock-literal.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
import type { SymbolicValue } from '../../template/names/symbolic-value.ts';
import { clockNames } from '../../template/names/time-names.ts';
import type { Span } from '../../text/span.ts';
import { castBound, type TimeBound, unknownBound } from './bound-value.ts';
import { dateCall } from './date-call.ts';
import { constantNumber, constantOffset } from './interval-value.ts';
import type { SqlContext } from './sql-context.ts';
import { readingsOfText, withTimeOfDay } from './template-time.ts';
import { zoneArgument } from './time-function.ts';
import { inZone, isAligned, shiftReadings, type TimeReadings } from './time-readings.ts';

const constant: TimeBound = { kind: 'constant' };

export const timeOf = (readings: TimeReadings | undefined, otherwise: TimeBound): TimeBound =>
  readings === undefined ? otherwise : { kind: 'time', ...readings };

/** Reads the value side of a predicate. Never guesses: what is not understood is unknown with its place. */
export function timeBound(expression: SqlExpression, context: SqlContext): TimeBound {
  const notRead = unknownBound(context, expression, false);
  switch (expression.kind) {
    case 'literal':
    case 'interval':
      return constant;
    case 'hole': {
      const hole = context.holes[expression.hole];
      return hole === undefined ? notRead : boundOfValue(hole.value, notRead, expression);
    }
    case 'template-string':
      return templateString(expression, context);
    case 'column':
      return { kind: 'column' };
    case 'cast':
      if (isClockText(expression, context))
        return variesBound(context.text.slice(expression.operand.start, expression.operand.end), expression);
      return castBound(timeBound(expression.operand, context), expression.type, context);
    case 'at-time-zone':
      return zoneBound(expression, context);
    case 'binary':
      return arithmetic(expression, context);
    case 'unary':
      return timeBound(expression.operand, context).kind === 'constant' ? constant : notRead;
    case 'call':
      return dateCall(expression, context, (part) => timeBound(part, context)) ?? otherCall(expression, context);
    case 'subquery':
    case 'exists':
      return unknownBound(context, expression, true);
    default:
      return notRead;
  }
}

const variesBound = (name: string, span: Span): TimeBound => ({
  kind: 'unknown',
  reason: `${name} changes from run to run`,
  varies: true,
  span: { start: span.start, end: span.end },
});

type Cast = Extract<SqlExpression, { kind: 'cast' }>;

/** `'yesterday'::date`. */
const isClockText = ({ operand, type }: Cast, { dialect }: SqlContext): boolean =>
  operand.kind === 'literal' && operand.type === 'string' && isClockLiteral(operand.text, type, dialect);

function boundOfValue(value: SymbolicValue, notRead: TimeBound, span: Span): TimeBound {
  const unknown = (reason: string, varies: boolean): TimeBound => ({ kind: 'unknown', reason, varies, span });
  switch (value.kind) {
    case 'time':
      return timeOf(readingsOfText(value), notRead);
    case 'literal':
      return constant;
    case 'clock':
      return unknown(
        clockNames.has(value.name)
          ? `${value.name} is when the run began, which another run of the interval sets anew`
          : `${value.name} is the clock of the machine`,
        true,
      );
    case 'state':
      return unknown(`${value.name} depends on other runs`, true);
    case 'parameter':
      return unknown(
        value.source === 'argument'
          ? `${value.name} is an argument of the job that no task of the workspace gives it`
          : `${value.source}.${value.name} is not a function of the interval`,
        false,
      );
    case 'unknown':
      return unknown(value.reason, false);
  }
}

/** `'{{ ds }} 00:00:00'`: one time and a constant rest. */
function templateString(
  expression: Extract<SqlExpression, { kind: 'template-string' }>,
  context: SqlContext,
): TimeBound {
  const notRead = unknownBound(context, expression, false);
  const holes = expression.holes.flatMap((index) => context.holes[index] ?? []);
  const only = holes[0];
  if (only === undefined || holes.length > 1) return notRead;
  const before = context.shown.slice(expression.content.start, only.start);
  const after = context.shown.slice(only.end, expression.content.end);
  const value = boundOfValue(only.value, notRead, expression);
  if (value.kind !== 'time') return value;
  return before.trim() === '' ? timeOf(withTimeOfDay(value, after), notRead) : notRead;
}

function zoneBound(expression: Extract<SqlExpression, { kind: 'at-time-zone' }>, context: SqlContext): TimeBound {
  const value = timeBound(expression.operand, context);
  if (value.kind !== 'time') return value;
  const zone = zoneArgument(expression.zone);
  if (zone === undefined) return unknownBound(context, expression, false);
  return { kind: 'time', ...inZone(value, zone) };
}

function arithmetic(expression: Extract<SqlExpression, { kind: 'binary' }>, context: SqlContext): TimeBound {
  const left = timeBound(expression.left, context);
  if (expression.operator === '||') return appendedText(left, expression.right, expression, context);
  if (expression.operator !== '+' && expression.operator !== '-') {
    const right = timeBound(expression.right, context);
    return left.kind === 'constant' && right.kind === 'constant'
      ? constant
      : unknownOf(left, right, expression, context);
  }
  const sign = expression.operator === '-' ? -1 : 1;
  if (left.kind === 'time') {
    const offset = distance(expression.right, left, context);
    if (offset === undefined) return unknownOf(timeBound(expression.right, context), left, expression, context);
    const { months, days, ms } = offset;
    const signed = { months: sign * months, days: sign * days, ms: sign * ms };
    return { kind: 'time', ...shiftReadings(left, signed, context.zones) };
  }
  const right = timeBound(expression.right, context);
  if (right.kind === 'time' && sign === 1) {
    const offset = distance(expression.left, right, context);
    if (offset !== undefined) return { kind: 'time', ...shiftReadings(right, offset, context.zones) };
  }
  return left.kind === 'constant' && right.kind === 'constant' ? constant : unknownOf(left, right, expression, context);
}

/** What is added to a time; a bare number counts days, and is added to dates only. */
const distance = (
  expression: SqlExpression,
  to: TimeReadings,
  context: SqlContext,
): ReturnType<typeof constantOffset> =>
  constantNumber(expression, context) === undefined || isAligned(to.unit, 'day')
    ? constantOffset(expression, context)
    : undefined;

/** `'{{ ds }}' || ' 00:00:00'`. */
function appendedText(left: TimeBound, rest: SqlExpression, whole: SqlExpression, context: SqlContext): TimeBound {
  const right = timeBound(rest, context);
  if (left.kind === 'constant' && right.kind === 'constant') return constant;
  if (left.kind !== 'time' || rest.kind !== 'literal') return unknownOf(left, right, whole, context);
  return timeOf(withTimeOfDay({ ...left, naive: true }, rest.text), unknownBound(context, whole, false));
}

/** Of two operands the one that says why. */
function unknownOf(left: TimeBound, right: TimeBound, whole: SqlExpression, context: SqlContext): TimeBound {
  for (const side of [left, right]) if (side.kind === 'unknown') return side;
  if (left.kind === 'column' || right.kind === 'column') return { kind: 'column' };
  return unknownBound(context, whole, false);
}

const clocks =
  /(^|\.)(now|today|current_date|current_time(stamp)?|current_datetime|localtime(stamp)?|getdate|getutcdate|sysdate|systimestamp|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|unix_timestamp|curdate|utc_timestamp|random|rand|uuid|gen_random_uuid|nextval)$/;

/** A call that is not about dates: constant when its arguments are, else unknown. */
function otherCall(expression: Extract<SqlExpression, { kind: 'call' }>, context: SqlContext): TimeBound {
  if (clocks.test(expression.name)) {
    return variesBound(expression.name, expression);
  }
  const parts = expression.arguments.map((part) => timeBound(part, context));
  const unknown = parts.find((part) => part.kind === 'unknown');
  if (unknown !== undefined) return unknown;
  if (parts.some((part) => part.kind === 'column')) return { kind: 'column' };
  return parts.every((part) => part.kind === 'constant') ? constant : unknownBound(context, expression, false);
}
