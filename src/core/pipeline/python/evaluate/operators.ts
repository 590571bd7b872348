import type { SourceSpan } from '../../../text/span.ts';
import { wallTime } from '../../../time/zones/wall-time.ts';
import { sourceOf, spanIn } from '../calls/frame.ts';
import { formatPercent } from '../library/format-text.ts';
import { moveWall } from '../library/move-wall.ts';
import { joinWorkspacePath } from '../library/paths.ts';
import { childrenOf, type SyntaxNode } from '../syntax/syntax-tree.ts';
import { appendInterpolated, isPassage } from '../values/interpolate.ts';
import { clocksOf, float, listOf, scalar, unionOfClocks, unknown } from '../values/make-value.ts';
import { unprintedClocks } from '../values/printed-clocks.ts';
import { plainText, TextBuilder } from '../values/text-value.ts';
import { shiftSymbol } from '../values/time-symbol.ts';
import type { Frame, Interpreter, ScalarValue, TextValue, Value } from '../values/value.ts';

export interface Operation {
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
  readonly frame: Frame;
  readonly at: SourceSpan;
  readonly run: Interpreter;
}

export function binaryOperation(operator: string, left: Value, right: Value, operation: Operation): Value {
  const { run } = operation;
  if (operator === '>>' || operator === '<<') {
    const shifted = run.host.shift(operator, left, right, edgeSpan(operation));
    if (shifted !== undefined) return shifted;
  }
  for (const side of [left, right])
    if (side.kind === 'host') {
      const value = side.host.binary?.(operator, left, right, operation.at, run, [
        spanIn(operation.frame, operation.left),
        spanIn(operation.frame, operation.right),
      ]);
      if (value !== undefined) return value;
    }
  if (left.kind === 'text' && operator === '%') return formatPercent(left, right, operation.at);
  if (operator === '+' && (left.kind === 'text' || right.kind === 'text')) return concatenate(left, right, operation);
  if (operator === '*' && left.kind === 'text' && right.kind === 'scalar') return repeat(left, right.value);
  if (operator === '/' && (left.kind === 'path' || right.kind === 'path')) {
    const tail = right.kind === 'path' ? right.path : plainText(right);
    return left.kind === 'path' && tail !== undefined
      ? { kind: 'path', path: joinWorkspacePath(left.path, tail) }
      : unknown('a path that is not known', unionOfClocks([left, right]));
  }
  if (left.kind === 'list' && right.kind === 'list' && (operator === '+' || operator === '|'))
    return listOf([...left.items, ...right.items], left.tuple, left.open || right.open);
  // `KubernetesPodOperator.template_fields + ("skip",)`: what a class from outside has, and more.
  if (operator === '+' && (left.kind === 'external' || right.kind === 'external')) {
    const own = left.kind === 'list' ? left : right;
    if (own.kind === 'list') return listOf([...own.items], own.tuple, true);
  }
  if (left.kind === 'dict' && right.kind === 'dict' && operator === '|')
    return { kind: 'dict', entries: new Map([...left.entries, ...right.entries]), open: left.open || right.open };
  // `Asset("a") & Asset("b")`: an expression object over its operands.
  if ((operator === '&' || operator === '|') && (left.kind === 'instance' || right.kind === 'instance'))
    return listOf([left, right].flatMap((side) => (side.kind === 'list' ? side.items : [side])));
  const time = timeArithmetic(operator, left, right);
  if (time !== undefined) return time;
  if (left.kind === 'scalar' && right.kind === 'scalar') return arithmetic(operator, left, right);
  // The difference of two clock readings is a duration: a timer, which says nothing about the data.
  if (operator === '-' && clocksOf(left).length > 0 && clocksOf(right).length > 0) return unknown('elapsed time');
  const clocks = unionOfClocks([left, right]);
  const isCut = operator === '//';
  return unknown('computed from values that are not known', isCut ? unprintedClocks(clocks) : clocks);
}

/** `a >> b >> c` is two edges; the second one's place begins at `b`. */
function edgeSpan({ left, right, frame }: Operation): SourceSpan {
  let from = left;
  while (from.type === 'binary_operator') {
    const inner = from.children.find((child) => child.field === 'right');
    if (inner === undefined) break;
    from = inner;
  }
  return spanIn(frame, { start: from.start, end: right.end });
}

function concatenate(left: Value, right: Value, { left: leftNode, right: rightNode, frame }: Operation): Value {
  const builder = new TextBuilder();
  for (const [value, node] of [
    [left, leftNode],
    [right, rightNode],
  ] as const) {
    const literal = node.type === 'string' || node.type === 'concatenated_string' || node.type === 'binary_operator';
    if (value.kind === 'text') builder.append(value, literal || isPassage(value) ? undefined : spanIn(frame, node));
    else {
      const text = sourceOf(frame, node);
      const whole = { start: 0, end: text.length };
      appendInterpolated(builder, value, {
        text,
        at: spanIn(frame, node),
        source: text,
        expressionAt: whole,
        format: '',
        conversion: '',
      });
    }
  }
  return builder.build();
}

function repeat(text: TextValue, times: number | boolean | null): Value {
  if (typeof times !== 'number' || times * text.mapped.text.length > 100_000) return unknown('a repeated text');
  const builder = new TextBuilder();
  for (let round = 0; round < times; round++) builder.append(text);
  return builder.build();
}

function timeArithmetic(operator: string, left: Value, right: Value): Value | undefined {
  if (operator !== '+' && operator !== '-') {
    if (operator === '*' && left.kind === 'duration' && right.kind === 'scalar') return scaled(left, right.value);
    return operator === '*' && right.kind === 'duration' && left.kind === 'scalar'
      ? scaled(right, left.value)
      : undefined;
  }
  const sign = operator === '-' ? -1 : 1;
  if (right.kind === 'duration') {
    const by = { months: sign * right.offset.months, days: sign * right.offset.days, ms: sign * right.offset.ms };
    if (left.kind === 'datetime') return { ...left, wall: moveWall(left.wall, by) };
    if (left.kind === 'symbol') return { kind: 'symbol', symbol: shiftSymbol(left.symbol, by) };
    if (left.kind === 'duration')
      return {
        kind: 'duration',
        offset: {
          months: left.offset.months + by.months,
          days: left.offset.days + by.days,
          ms: left.offset.ms + by.ms,
        },
      };
  }
  if (left.kind === 'duration' && operator === '+' && (right.kind === 'datetime' || right.kind === 'symbol'))
    return timeArithmetic('+', right, left);
  if (left.kind === 'datetime' && right.kind === 'datetime' && operator === '-')
    return { kind: 'duration', offset: { months: 0, days: 0, ms: wallTime(left.wall - right.wall) } };
  return undefined;
}

function scaled(duration: Value & { kind: 'duration' }, factor: number | boolean | null): Value | undefined {
  if (typeof factor !== 'number') return undefined;
  const { months, days, ms } = duration.offset;
  return { kind: 'duration', offset: { months: months * factor, days: days * factor, ms: ms * factor } };
}

function arithmetic(operator: string, left: ScalarValue, right: ScalarValue): Value {
  if (left.value === null || right.value === null) return unknown('arithmetic on None');
  const a = Number(left.value);
  const b = Number(right.value);
  const isFloat =
    operator === '/' ||
    (operator === '**' && b < 0) ||
    [left, right].some(({ value, isFloat: whole }) => whole === true || !Number.isInteger(Number(value)));
  const results: Readonly<Record<string, number>> = {
    '+': a + b,
    '-': a - b,
    '*': a * b,
    '/': a / b,
    '//': Math.floor(a / b),
    '%': a - b * Math.floor(a / b),
    '**': a ** b,
  };
  const result = results[operator];
  if (result === undefined || !Number.isFinite(result)) return unknown(`arithmetic with ${operator}`);
  return isFloat ? float(result) : scalar(result);
}

/** `==`, `in`, `is`, `<` … where both sides are constants. */
export function comparison(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  const operators = childrenOf(node, 'operators').map((child) => sourceOf(frame, child));
  const nodes = node.children.filter((child) => child.field !== 'operators');
  const [left, right] = nodes.map((child) => run.evaluate(child, frame));
  const [operator] = operators;
  const [first, second] = nodes;
  if (operators.length !== 1 || left === undefined || right === undefined || operator === undefined)
    return unknown('not known before it runs');
  if (first !== undefined && second !== undefined)
    for (const side of [left, right]) {
      const sides = [spanIn(frame, first), spanIn(frame, second)] as const;
      const made =
        side.kind === 'host' ? side.host.binary?.(operator, left, right, spanIn(frame, node), run, sides) : undefined;
      if (made !== undefined) return made;
    }
  const result = compare(operator, left, right);
  return result === undefined ? unknown('not known before it runs') : scalar(result);
}

function compare(operator: string, left: Value, right: Value): boolean | undefined {
  const a = constant(left);
  if (operator === 'in' || operator === 'not in') {
    const found = contains(a, right);
    return found === undefined ? undefined : found === (operator === 'in');
  }
  const b = constant(right);
  if (a === undefined || b === undefined) {
    const oneIsNone = a === null || b === null;
    const other = a === null ? right : left;
    const surelyNotNone =
      other.kind !== 'unknown' &&
      other.kind !== 'symbol' &&
      other.kind !== 'instance' &&
      other.kind !== 'bound-method' &&
      other.kind !== 'external';
    if (oneIsNone && surelyNotNone) return operator === '!=' || operator === 'is not';
    return undefined;
  }
  switch (operator) {
    case '==':
    case 'is':
      return a === b;
    case '!=':
    case 'is not':
      return a !== b;
    default:
  }
  if (typeof a !== typeof b || a === null || b === null) return undefined;
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      return undefined;
  }
}

const constant = (value: Value): string | number | boolean | null | undefined =>
  value.kind === 'scalar' ? value.value : plainText(value);

function contains(item: string | number | boolean | null | undefined, holder: Value): boolean | undefined {
  if (item === undefined) return undefined;
  const text = plainText(holder);
  if (text !== undefined) return typeof item === 'string' ? text.includes(item) : undefined;
  if (holder.kind === 'dict')
    return holder.entries.has(typeof item === 'string' ? item : `\u0000${item}`) || (holder.open ? undefined : false);
  if (holder.kind !== 'list') return undefined;
  const items = holder.items.map(constant);
  if (items.includes(item)) return true;
  return holder.open || items.includes(undefined) ? undefined : false;
}
