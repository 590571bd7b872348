import { isObject, itemsOf, type PythonDatetime, type PythonValue, typeName } from './python-value.ts';
import { refuse } from './refusal.ts';

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

type Order = '<' | '<=' | '>' | '>=';

/** One comparison of Python; what would be an error there, or depends on object identity, is refused. */
export function compare(operator: CompareOperator, left: PythonValue, right: PythonValue): boolean {
  if (operator === '==') return equal(left, right);
  if (operator === '!=') return !equal(left, right);
  if (operator === 'in') return contains(right, left);
  if (operator === 'not in') return !contains(right, left);
  return ordered(operator, order(left, right));
}

const ordered = (operator: Order, sign: number): boolean =>
  ({ '<': sign < 0, '<=': sign <= 0, '>': sign > 0, '>=': sign >= 0 })[operator];

const numberOf = (value: PythonValue): bigint | number | undefined =>
  typeof value === 'boolean'
    ? BigInt(value)
    : typeof value === 'bigint' || typeof value === 'number'
      ? value
      : undefined;

export function equal(left: PythonValue, right: PythonValue): boolean {
  const [a, b] = [numberOf(left), numberOf(right)];
  // JavaScript compares a bigint and a number by value, as Python does.
  // biome-ignore lint/suspicious/noDoubleEquals: see above
  if (a !== undefined && b !== undefined) return a == b;
  if (!isObject(left) || !isObject(right)) {
    for (const side of [left, right]) if (isObject(side)) comparable(side);
    return left === right;
  }
  const [x, y] = [comparable(left), comparable(right)];
  if (x.kind === 'datetime' && y.kind === 'datetime') {
    if ((x.zone === undefined) !== (y.zone === undefined)) return false;
    // Python never calls two times of different zones equal where a clock change makes one of them ambiguous.
    return x.zone === y.zone ? order(x, y) === 0 : refuse('whether two times of different zones are equal');
  }
  if (x.kind === 'date' && y.kind === 'date') return x.dayNumber === y.dayNumber;
  if (x.kind === 'timedelta' && y.kind === 'timedelta') return x.microseconds === y.microseconds;
  if ((x.kind === 'list' && y.kind === 'list') || (x.kind === 'tuple' && y.kind === 'tuple'))
    return x.items.length === y.items.length && x.items.every((item, at) => equal(item, y.items[at] ?? null));
  if (x.kind === 'dict' && y.kind === 'dict') {
    if (x.entries.size !== y.entries.size) return false;
    return [...x.entries].every(([key, [, value]]) => {
      const other = y.entries.get(key);
      return other !== undefined && equal(value, other[1]);
    });
  }
  return false;
}

function comparable(value: PythonValue & object) {
  if (['datetime', 'date', 'timedelta', 'list', 'tuple', 'dict'].includes(value.kind)) return value;
  return refuse(value.kind === 'undefined' ? `"${value.name}" is not defined` : `a comparison with a ${value.kind}`);
}

/** Negative, zero or positive, as the left one is smaller, equal or greater. */
export function order(left: PythonValue, right: PythonValue): number {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof left === 'string' && typeof right === 'string') return orderOfTexts(left, right);
  if (isObject(left) && isObject(right)) {
    if (
      left.kind === 'datetime' &&
      right.kind === 'datetime' &&
      (left.zone === undefined) === (right.zone === undefined)
    ) {
      const at = ({ reading }: PythonDatetime): number => reading.wallMs - (reading.offsetMs ?? 0);
      const byClock = left.reading.wallMs - right.reading.wallMs;
      const byInstant = at(left) - at(right);
      // Within one zone Python compares the clocks, which differs in a repeated hour.
      if (left.zone === right.zone && Math.sign(byClock) !== Math.sign(byInstant))
        return refuse('the order of times in a repeated hour');
      return byInstant || left.reading.microseconds - right.reading.microseconds;
    }
    if (left.kind === 'date' && right.kind === 'date') return left.dayNumber - right.dayNumber;
    if (left.kind === 'timedelta' && right.kind === 'timedelta') return Number(left.microseconds - right.microseconds);
  }
  return refuse(`a ${typeName(left)} and a ${typeName(right)} have no order`);
}

/** By code point, which differs from UTF-16 order above U+FFFF. */
function orderOfTexts(left: string, right: string): number {
  const [a, b] = [[...left], [...right]];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = (a[at]?.codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function contains(container: PythonValue, item: PythonValue): boolean {
  if (typeof container !== 'string') return itemsOf(container).some((member) => equal(member, item));
  return typeof item === 'string' ? container.includes(item) : refuse(`a ${typeName(item)} is looked for in a text`);
}
