import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { conjunctsOf } from '../../sql/parse/expressions/conjuncts.ts';
import type { TimeBound } from '../times/bound-value.ts';
import type { SqlContext } from '../times/sql-context.ts';
import { timeBound } from '../times/time-bound.ts';
import { type BoundOperator, boundRange } from './bound-range.ts';
import { both, type ColumnName, type ColumnRange, either, openRange, type TypeOf } from './column-range.ts';
import { holdsTimes } from './column-type.ts';
import { type ComparedColumn, comparedColumn } from './compared-column.ts';
import { datesInParts } from './date-parts.ts';
import { namedTime } from './named-time.ts';

export interface ColumnCondition extends ColumnName {
  readonly range: ColumnRange;
}

/** What is known of the values in the first column of a subquery. */
type OutputOf = (query: QueryBlock) => ColumnRange | undefined;

interface Reader {
  readonly context: SqlContext;
  readonly typeOf: TypeOf;
  readonly outputOf: OutputOf;
}

/** What conditions that all hold say about single columns; the rest is not about columns and bounds. */
export const columnConditions = (
  conjuncts: readonly SqlExpression[],
  context: SqlContext,
  typeOf: TypeOf,
  outputOf: OutputOf = () => undefined,
): readonly ColumnCondition[] => allOf(conjuncts, { context, typeOf, outputOf }, false);

/** `negated`: none of them holds. */
function allOf(conjuncts: readonly SqlExpression[], reader: Reader, negated: boolean): readonly ColumnCondition[] {
  const found = new Map<string, ColumnCondition>();
  for (const conjunct of conjuncts) {
    for (const condition of conditionsOf(conjunct, reader, negated)) {
      const key = keyOf(condition);
      const known = found.get(key);
      found.set(key, known === undefined ? condition : { ...known, range: both(known.range, condition.range) });
    }
  }
  for (const { column, others, range } of negated ? [] : datesInParts(conjuncts, reader.context)) {
    for (const other of others) found.delete(keyOf(other));
    found.set(keyOf(column), { qualifier: column.qualifier, name: column.name, range });
  }
  return [...found.values()];
}

const keyOf = ({ qualifier, name }: ColumnName): string => JSON.stringify([qualifier ?? '', name]);

/** `negated`: the expression is false, not merely unknown. */
function conditionsOf(expression: SqlExpression, reader: Reader, negated: boolean): readonly ColumnCondition[] {
  switch (expression.kind) {
    case 'binary': {
      const { operator } = expression;
      if (operator !== 'and' && operator !== 'or') return comparison(expression, reader, negated);
      if ((operator === 'and') === negated) return oneOf(expression, reader, negated);
      return allOf(negated ? disjunctsOf(expression) : conjunctsOf(expression), reader, negated);
    }
    case 'unary':
      return expression.operator === 'not' || expression.operator === '!'
        ? conditionsOf(expression.operand, reader, !negated)
        : [];
    case 'between': {
      if (expression.negated !== negated) return [];
      const side = comparedColumn(expression.operand, reader.context.dialect);
      if (side === undefined) return betweenColumns(expression, reader);
      const low = rangeOf(side, '>=', expression.low, expression, reader);
      const high = rangeOf(side, '<=', expression.high, expression, reader);
      return low === undefined && high === undefined
        ? []
        : [{ range: both(low ?? openRange, high ?? openRange), ...nameOf(side) }];
    }
    case 'in':
      return expression.negated === negated ? listed(expression, reader) : [];
    default:
      return [];
  }
}

const nameOf = ({ column }: ComparedColumn): ColumnName => ({ qualifier: column.qualifier, name: column.name });

/** Operands of an OR, without going down into them. */
function disjunctsOf(expression: SqlExpression): readonly SqlExpression[] {
  const found: SqlExpression[] = [];
  const open = [expression];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (here.kind === 'binary' && here.operator === 'or') open.push(here.right, here.left);
    else found.push(here);
  }
  return found;
}

/** One of two conditions holds: what both say of a column. */
function oneOf(
  expression: Extract<SqlExpression, { kind: 'binary' }>,
  reader: Reader,
  negated: boolean,
): readonly ColumnCondition[] {
  const [left, right] = [expression.left, expression.right].map((side) => conditionsOf(side, reader, negated));
  return (left ?? []).flatMap((one) => {
    const other = right?.find((candidate) => keyOf(candidate) === keyOf(one));
    return other === undefined ? [] : [{ ...one, range: either([one.range, other.range]) }];
  });
}

/** `'{{ ds }}' between valid_from and valid_to`. */
const betweenColumns = (
  { operand, low, high, start, end }: Extract<SqlExpression, { kind: 'between' }>,
  reader: Reader,
): readonly ColumnCondition[] =>
  (
    [
      [low, '<='],
      [high, '>='],
    ] as const
  ).flatMap(([column, operator]) => {
    const side = comparedColumn(column, reader.context.dialect);
    const range = side && rangeOf(side, operator, operand, { start, end }, reader);
    return side === undefined || range === undefined ? [] : [{ range, ...nameOf(side) }];
  });

function listed(expression: Extract<SqlExpression, { kind: 'in' }>, reader: Reader): readonly ColumnCondition[] {
  const side = comparedColumn(expression.operand, reader.context.dialect);
  if (side === undefined) return [];
  if (expression.query !== undefined) {
    const unread = {
      reason: 'the result of a subquery',
      varies: true,
      ranged: false,
      ofTimes: false,
      span: expression,
    };
    const known = reader.outputOf(expression.query);
    const lo = known?.lo && boundRange(side, '>=', known.lo, reader.context, reader.typeOf(nameOf(side))).lo;
    const hi = known?.hi && boundRange(side, '<', known.hi, reader.context, reader.typeOf(nameOf(side))).hi;
    const range: ColumnRange = {
      lo,
      hi,
      unreadLo: lo === undefined ? unread : undefined,
      unreadHi: hi === undefined ? unread : undefined,
      at: expression,
    };
    return [{ range, ...nameOf(side) }];
  }
  const ranges = expression.list.map((item) => rangeOf(side, '=', item, expression, reader) ?? openRange);
  const range = either(ranges);
  return range.lo === undefined && range.unreadLo === undefined ? [] : [{ range, ...nameOf(side) }];
}

const flipped: Readonly<Record<string, BoundOperator>> = { '=': '=', '<': '>', '>': '<', '<=': '>=', '>=': '<=' };
const opposites: Readonly<Record<string, BoundOperator>> = { '<': '>=', '>': '<=', '<=': '>', '>=': '<', '<>': '=' };
const equalities: ReadonlySet<string> = new Set(['=', '==', '<=>', 'is not distinct from']);

/** The operator of a comparison that holds, or that is false. `undefined`: it bounds nothing. */
export function boundOperator(operator: string, negated = false): BoundOperator | undefined {
  const plain = equalities.has(operator) ? '=' : operator === '!=' || operator === '^=' ? '<>' : operator;
  if (negated) return opposites[plain];
  return flipped[flipped[plain] ?? ''];
}

function comparison(
  expression: Extract<SqlExpression, { kind: 'binary' }>,
  reader: Reader,
  negated: boolean,
): readonly ColumnCondition[] {
  const { left, right } = expression;
  if (expression.operator === 'like' || expression.operator === '<@') {
    return negated ? [] : contained(expression, reader);
  }
  if (expression.operator === 'overlaps') return negated ? [] : overlapping(expression, reader);
  // `tsrange(a, b) @> ts`
  if (expression.operator === '@>') {
    return negated ? [] : contained({ ...expression, operator: '<@', left: right, right: left }, reader);
  }
  const operator = boundOperator(expression.operator, negated);
  const turned = flipped[operator ?? ''];
  if (operator === undefined || turned === undefined) return [];
  const attempts = [
    [comparedColumn(left, reader.context.dialect), operator, right],
    [comparedColumn(right, reader.context.dialect), turned, left],
  ] as const;
  for (const [side, sign, value] of attempts) {
    const range = side && rangeOf(side, sign, value, expression, reader);
    if (side !== undefined && range !== undefined) return [{ range, ...nameOf(side) }];
  }
  return [];
}

/**
 * `(ts, ts) OVERLAPS (a, b)` and `… (a, interval '1 day')`: a moment in a range. Of two columns the first lies before the
 * end of the range and the second behind its start.
 */
function overlapping(
  { left, right, start, end }: Extract<SqlExpression, { kind: 'binary' }>,
  reader: Reader,
): readonly ColumnCondition[] {
  const [own, same] = left.kind === 'opaque' ? left.parts : [];
  const [from, until] = right.kind === 'opaque' ? right.parts : [];
  const side = own && comparedColumn(own, reader.context.dialect);
  const other = same && comparedColumn(same, reader.context.dialect);
  if (side === undefined || other === undefined || from === undefined || until === undefined) return [];
  const to: SqlExpression =
    until.kind === 'interval'
      ? { kind: 'binary', operator: '+', left: from, right: until, start: from.start, end: until.end }
      : until;
  const at = { start, end };
  const isMoment = own?.kind === 'column' && same?.kind === 'column' && own.name === same.name;
  const [lo, hi] = [rangeOf(other, isMoment ? '>=' : '>', from, at, reader), rangeOf(side, '<', to, at, reader)];
  if (isMoment) return [{ range: both(lo ?? openRange, hi ?? openRange), ...nameOf(side) }];
  return [
    { range: hi ?? openRange, ...nameOf(side) },
    { range: lo ?? openRange, ...nameOf(other) },
  ];
}

/** `ts::text LIKE '{{ ds }}%'`, `ts <@ tstzrange(a, b)`. */
function contained(
  { operator, left, right, start, end }: Extract<SqlExpression, { kind: 'binary' }>,
  reader: Reader,
): readonly ColumnCondition[] {
  const side = comparedColumn(left, reader.context.dialect);
  if (side === undefined) return [];
  const ranges: (ColumnRange | undefined)[] = [];
  if (operator === '<@') {
    const range = timeRange(right, reader.context);
    if (range === undefined) return [];
    ranges.push(rangeOf(side, range.open ? '>' : '>=', range.low, { start, end }, reader));
    ranges.push(rangeOf(side, range.closed ? '<=' : '<', range.high, { start, end }, reader));
  } else if (right.kind === 'template-string' && reader.context.text.slice(0, right.content.end).endsWith('%')) {
    const content = { start: right.content.start, end: right.content.end - 1 };
    const value = timeBound({ ...right, content }, reader.context);
    if (value.kind !== 'time' || value.unit === undefined) return [];
    const cut: ComparedColumn = { ...side, steps: [{ kind: 'cut', unit: value.unit }, ...side.steps] };
    ranges.push(rangeOfBound(cut, '=', value, { start, end }, reader));
  }
  const range = ranges.flatMap((one) => one ?? []).reduce(both, openRange);
  return ranges.length === 0 ? [] : [{ range, ...nameOf(side) }];
}

interface TimeRange {
  readonly low: SqlExpression;
  readonly high: SqlExpression;
  /** The lower bound is no part of it; the upper one is. */
  readonly open: boolean;
  readonly closed: boolean;
}

/** `tstzrange(a, b, '[]')`, `'[a, b)'::daterange`. */
function timeRange(expression: SqlExpression, { text, holes }: SqlContext): TimeRange | undefined {
  const [low, high, bounds] = expression.kind === 'call' && /range$/.test(expression.name) ? expression.arguments : [];
  if (low !== undefined && high !== undefined) {
    const closed = bounds !== undefined && !(bounds.kind === 'literal' && bounds.text.endsWith(')'));
    return { low, high, open: false, closed };
  }
  const written =
    low ?? (expression.kind === 'cast' && /range$/.test(expression.type) ? expression.operand : undefined);
  if (written?.kind !== 'template-string') return undefined;
  const { start } = written.content;
  let plain = text.slice(start, written.content.end);
  // A template has commas and brackets of its own.
  const own = written.holes.map((index) => ({
    index,
    at: (holes[index]?.start ?? start) - start,
    end: (holes[index]?.end ?? start) - start,
  }));
  for (const { at, end } of own) plain = plain.slice(0, at) + '_'.repeat(end - at) + plain.slice(end);
  const [whole, before = '', lower = '', between = '', upper = '', behind = ''] =
    /^([[(]\s*)([^,[\]()]+)(,\s*)([^,[\]()]*[^,[\]()\s])(\s*[\])])$/.exec(plain) ?? [];
  if (whole === undefined) return undefined;
  const part = (at: number, length: number): SqlExpression => ({
    ...written,
    holes: own.flatMap((hole) => (hole.at >= at && hole.end <= at + length ? [hole.index] : [])),
    content: { start: start + at, end: start + at + length },
  });
  const second = before.length + lower.length + between.length;
  return {
    low: part(before.length, lower.length),
    high: part(second, upper.length),
    open: before.startsWith('('),
    closed: behind.endsWith(']'),
  };
}

function rangeOf(
  side: ComparedColumn,
  operator: BoundOperator,
  value: SqlExpression,
  at: { readonly start: number; readonly end: number },
  reader: Reader,
): ColumnRange | undefined {
  const bound = timeBound(value, reader.context);
  const named =
    operator === '=' && bound.kind === 'unknown' && !bound.varies ? namedTime(value, reader.context) : undefined;
  return rangeOfBound(side, operator, named === undefined ? bound : { kind: 'time', ...named }, at, reader);
}

function rangeOfBound(
  side: ComparedColumn,
  operator: BoundOperator,
  bound: TimeBound,
  { start, end }: { readonly start: number; readonly end: number },
  { context, typeOf }: Reader,
): ColumnRange | undefined {
  const at = { start, end };
  if (bound.kind === 'unknown') {
    const { reason, varies, span } = bound;
    const name = nameOf(side);
    const unread = { reason, varies, ranged: operator !== '=', ofTimes: holdsTimes(name.name, typeOf(name)), span };
    const above = operator === '>' || operator === '>=' || operator === '=';
    const below = operator === '<' || operator === '<=' || operator === '=';
    return { ...openRange, unreadLo: above ? unread : undefined, unreadHi: below ? unread : undefined, at };
  }
  if (bound.kind !== 'time') return undefined;
  return { ...openRange, ...boundRange(side, operator, bound, context, typeOf(nameOf(side))), at };
}
