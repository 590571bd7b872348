import { difference } from './datetime-methods.ts';
import { addedToDate, elapsed, plusRelativedelta } from './python-datetime.ts';
import { percentFormat } from './python-format.ts';
import {
  daysAndRest,
  isObject,
  type PythonObject,
  type PythonRelativedelta,
  type PythonValue,
  typeName,
} from './python-value.ts';
import { refuse } from './refusal.ts';

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

/** Longest text or list that `*` may make. */
const longest = 1_000_000;

/** `left operator right` by Python's rules; booleans in arithmetic and what is not certain are refused. */
export function binary(operator: ArithmeticOperator, left: PythonValue, right: PythonValue): PythonValue {
  if (typeof left === 'bigint' && typeof right === 'bigint') return integers(operator, left, right);
  if (isNumber(left) && isNumber(right)) return floats(operator, Number(left), Number(right));
  if (operator === '%' && typeof left === 'string') return percentFormat(left, right);
  if (operator === '+' && typeof left === 'string' && typeof right === 'string') return left + right;
  if (operator === '*' && typeof right === 'bigint') {
    const count = Number(right);
    if (typeof left === 'string')
      return left.length * count > longest ? refuse('a text that is too long') : left.repeat(Math.max(0, count));
    if (isObject(left) && left.kind === 'timedelta')
      return { kind: 'timedelta', microseconds: left.microseconds * right };
  }
  if (operator === '*' && typeof left === 'bigint' && typeof right !== 'bigint' && !isNumber(right))
    return binary('*', right, left);
  if (isObject(left) && isObject(right)) return objects(operator, left, right);
  return refuse(`"${operator}" of a ${typeName(left)} and a ${typeName(right)}`);
}

const isNumber = (value: PythonValue): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number';

function integers(operator: ArithmeticOperator, left: bigint, right: bigint): PythonValue {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return floats('/', exact(left), exact(right));
    case '//':
      return right === 0n ? refuse('a division by zero') : (left - modulo(left, right)) / right;
    case '%':
      return right === 0n ? refuse('a division by zero') : modulo(left, right);
    case '**':
      return right >= 0n && right <= 64n && left < 1_000_000n && left > -1_000_000n
        ? left ** right
        : refuse('a power this large, or negative');
  }
}

const modulo = (left: bigint, right: bigint): bigint => ((left % right) + right) % right;
const exact = (value: bigint): number =>
  Number.isSafeInteger(Number(value)) ? Number(value) : refuse('a number that is too large to be exact');

function floats(operator: ArithmeticOperator, left: number, right: number): PythonValue {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? refuse('a division by zero') : left / right;
    case '//':
    case '%':
      if (!Number.isSafeInteger(left) || !Number.isSafeInteger(right)) return refuse(`"${operator}" of fractions`);
      return Number(integers(operator, BigInt(left), BigInt(right)));
    case '**':
      return refuse('a power of fractions');
  }
}

function objects(operator: ArithmeticOperator, left: PythonObject, right: PythonObject): PythonValue {
  if (operator === '+' && left.kind === 'list' && right.kind === 'list')
    return { kind: 'list', items: [...left.items, ...right.items] };
  if (
    operator === '+' &&
    (left.kind === 'timedelta' || left.kind === 'relativedelta') &&
    (right.kind === 'datetime' || right.kind === 'date')
  )
    return objects('+', right, left);
  if (operator !== '+' && operator !== '-') return refuse(`"${operator}" of a ${left.kind} and a ${right.kind}`);
  if (right.kind === 'timedelta') {
    const microseconds = operator === '+' ? right.microseconds : -right.microseconds;
    if (left.kind === 'timedelta') return { kind: 'timedelta', microseconds: left.microseconds + microseconds };
    if (left.kind === 'date')
      return addedToDate(left, 0, (operator === '+' ? 1 : -1) * Number(daysAndRest(right.microseconds)[0]));
    if (left.kind === 'datetime')
      return left.pendulum || left.zone === undefined || left.zone === 'UTC'
        ? elapsed(left, microseconds)
        : refuse('a timedelta with a datetime of another zone');
  }
  if (right.kind === 'relativedelta' && left.kind === 'datetime')
    return plusRelativedelta(left, operator === '+' ? right : reversed(right));
  if (operator === '-' && left.kind === 'datetime' && right.kind === 'datetime' && left.pendulum && right.pendulum)
    return difference(left, right);
  return refuse(`"${operator}" of a ${left.kind} and a ${right.kind}`);
}

const reversed = (delta: PythonRelativedelta): PythonRelativedelta => ({
  ...delta,
  months: -delta.months,
  days: -delta.days,
  ms: -delta.ms,
});

/** `-value` and `+value`. */
export function negate(operator: '-' | '+', value: PythonValue): PythonValue {
  const sign = operator === '-';
  if (typeof value === 'bigint') return sign ? -value : value;
  if (typeof value === 'number') return sign ? -value : value;
  if (isObject(value) && value.kind === 'timedelta')
    return { kind: 'timedelta', microseconds: sign ? -value.microseconds : value.microseconds };
  return refuse(`"${operator}" of a ${typeName(value)}`);
}
