import type { SqlExpression } from '../sql/expression.ts';
import { conjunctsOf } from '../sql/parse/conjuncts.ts';
import type { Span } from '../text/span.ts';
import type { CalendarUnit } from '../time/calendar.ts';
import { dayMs } from '../time/civil.ts';
import type { ZoneName } from '../time/zone-name.ts';
import { type ColumnSide, columnSide } from './column-side.ts';
import type { SqlContext } from './sql-context.ts';
import { type TimeBound, timeBound } from './time-bound.ts';
import {
  appendStep,
  asLocalIn,
  endOfUnit,
  floorReadings,
  isAligned,
  noOffset,
  shiftReadings,
  shownOnClock,
  type TimeReadings,
} from './time-readings.ts';

/** A bound that could not be read. `varies`: it changes from run to run, so a rerun reads something else. */
export interface UnreadBound {
  readonly reason: string;
  readonly varies: boolean;
  /** It bounds one side (`<`, `between`) and is no plain equality. */
  readonly ranged: boolean;
  readonly span: Span;
}

/** `[lo, hi)` of one column; a missing side is open, or could not be read. Always as wide as the rows that pass. */
export interface ColumnRange {
  readonly lo: TimeReadings | undefined;
  readonly hi: TimeReadings | undefined;
  readonly unreadLo: UnreadBound | undefined;
  readonly unreadHi: UnreadBound | undefined;
}

export interface ColumnName {
  readonly qualifier: string | undefined;
  readonly name: string;
}

export interface ColumnCondition extends ColumnName {
  readonly range: ColumnRange;
}

/** `timestamp` is a wall time, `timestamptz` a moment. */
export type ColumnType = 'date' | 'timestamp' | 'timestamptz' | undefined;

/** Types of columns where the workspace says them. */
export type TypeOf = (column: ColumnName) => ColumnType;

const open: ColumnRange = { lo: undefined, hi: undefined, unreadLo: undefined, unreadHi: undefined };

/** What conditions that all hold say about single columns; the rest is not about columns and bounds. */
export function columnConditions(
  conjuncts: readonly SqlExpression[],
  context: SqlContext,
  typeOf: TypeOf,
): readonly ColumnCondition[] {
  const found = new Map<string, ColumnCondition>();
  for (const conjunct of conjuncts) {
    for (const condition of conditionsOf(conjunct, context, typeOf)) {
      const key = keyOf(condition);
      const known = found.get(key);
      found.set(key, known === undefined ? condition : { ...known, range: both(known.range, condition.range) });
    }
  }
  return [...found.values()];
}

export const keyOf = ({ qualifier, name }: ColumnName): string => JSON.stringify([qualifier ?? '', name]);

/** Both hold: of two bounds on a side either is right, the first is taken. */
export const both = (a: ColumnRange, b: ColumnRange): ColumnRange => ({
  lo: a.lo ?? b.lo,
  hi: a.hi ?? b.hi,
  unreadLo: a.unreadLo ?? b.unreadLo,
  unreadHi: a.unreadHi ?? b.unreadHi,
});

/** One of them holds: a side is bounded only where it is in all of them. */
export const either = (ranges: readonly ColumnRange[]): ColumnRange => ({
  lo: union(ranges.map((range) => range.lo)),
  hi: union(ranges.map((range) => range.hi)),
  unreadLo: ranges.find((range) => range.lo === undefined && range.unreadLo !== undefined)?.unreadLo,
  unreadHi: ranges.find((range) => range.hi === undefined && range.unreadHi !== undefined)?.unreadHi,
});

function union(sides: readonly (TimeReadings | undefined)[]): TimeReadings | undefined {
  const known = sides.flatMap((side) => side ?? []);
  const first = known[0];
  if (first === undefined || known.length < sides.length) return undefined;
  const unit = known.every((side) => side.unit === first.unit) ? first.unit : undefined;
  return { readings: known.flatMap((side) => side.readings), unit, naive: first.naive };
}

function conditionsOf(expression: SqlExpression, context: SqlContext, typeOf: TypeOf): readonly ColumnCondition[] {
  switch (expression.kind) {
    case 'binary':
      if (expression.operator === 'and') return columnConditions(conjunctsOf(expression), context, typeOf);
      if (expression.operator === 'or') return disjunction(expression, context, typeOf);
      return comparison(expression, context, typeOf);
    case 'between': {
      const side = columnSide(expression.operand);
      if (side === undefined || expression.negated) return [];
      const low = rangeOf(side, '>=', timeBound(expression.low, context), context, typeOf);
      const high = rangeOf(side, '<=', timeBound(expression.high, context), context, typeOf);
      return low === undefined && high === undefined
        ? []
        : [{ range: both(low ?? open, high ?? open), ...nameOf(side) }];
    }
    case 'in':
      return listed(expression, context, typeOf);
    default:
      return [];
  }
}

const nameOf = ({ column }: ColumnSide): ColumnName => ({ qualifier: column.qualifier, name: column.name });

function disjunction(
  expression: Extract<SqlExpression, { kind: 'binary' }>,
  context: SqlContext,
  typeOf: TypeOf,
): readonly ColumnCondition[] {
  const [left, right] = [expression.left, expression.right].map((side) =>
    columnConditions(conjunctsOf(side), context, typeOf),
  );
  return (left ?? []).flatMap((one) => {
    const other = right?.find((candidate) => keyOf(candidate) === keyOf(one));
    return other === undefined ? [] : [{ ...one, range: either([one.range, other.range]) }];
  });
}

function listed(
  expression: Extract<SqlExpression, { kind: 'in' }>,
  context: SqlContext,
  typeOf: TypeOf,
): readonly ColumnCondition[] {
  const side = columnSide(expression.operand);
  if (side === undefined || expression.negated) return [];
  if (expression.query !== undefined) {
    const unread = { reason: 'the result of a subquery', varies: true, ranged: false, span: expression };
    return [{ range: { ...open, unreadLo: unread, unreadHi: unread }, ...nameOf(side) }];
  }
  const ranges = expression.list.map((item) => rangeOf(side, '=', timeBound(item, context), context, typeOf) ?? open);
  const range = either(ranges);
  return range.lo === undefined && range.unreadLo === undefined ? [] : [{ range, ...nameOf(side) }];
}

const flipped: Readonly<Record<string, string>> = { '=': '=', '==': '=', '<': '>', '>': '<', '<=': '>=', '>=': '<=' };

function comparison(
  expression: Extract<SqlExpression, { kind: 'binary' }>,
  context: SqlContext,
  typeOf: TypeOf,
): readonly ColumnCondition[] {
  const turned = flipped[expression.operator];
  if (turned === undefined) return [];
  const operator = flipped[turned] ?? '=';
  const attempts = [
    [columnSide(expression.left), operator, expression.right],
    [columnSide(expression.right), turned, expression.left],
  ] as const;
  for (const [side, sign, value] of attempts) {
    if (side === undefined) continue;
    const range = rangeOf(side, sign, timeBound(value, context), context, typeOf);
    if (range !== undefined) return [{ range, ...nameOf(side) }];
  }
  return [];
}

function rangeOf(
  side: ColumnSide,
  operator: string,
  bound: TimeBound,
  context: SqlContext,
  typeOf: TypeOf,
): ColumnRange | undefined {
  const below = operator === '<' || operator === '<=' || operator === '=';
  const above = operator === '>' || operator === '>=' || operator === '=';
  if (bound.kind === 'unknown') {
    const { reason, varies, span } = bound;
    const unread = { reason, varies, ranged: operator !== '=', span };
    return { ...open, unreadLo: above ? unread : undefined, unreadHi: below ? unread : undefined };
  }
  if (bound.kind !== 'time') return undefined;
  const typed = typeOf(nameOf(side));
  const value = valueForColumn(bound, side, typed, context);
  const zones = side.zone === undefined ? context.zones : [side.zone];
  const type = side.unit === undefined ? typed : undefined;
  return {
    ...open,
    lo: above ? lowerEnd(value, operator, side.unit, type, zones) : undefined,
    hi: below ? upperEnd(value, operator, side.unit, type, zones) : undefined,
  };
}

/**
 * Moves the value to where the bare column would have to stand: `ts + interval '1 hour' < x` is `ts < x - 1 hour`. A
 * wall time compared with a column of moments is one of the session's zone, which may be any of the context's.
 */
function valueForColumn(value: TimeReadings, side: ColumnSide, type: ColumnType, context: SqlContext): TimeReadings {
  const { zone } = side;
  const local =
    zone === undefined
      ? inSession(value, side, type, context)
      : { ...value, readings: [...asLocalIn(value, zone).readings, ...shownIn(value, zone)] };
  const { months, days, ms } = side.offset;
  if (months === 0 && days === 0 && ms === 0) return local;
  return shiftReadings(local, { months: -months + 0, days: -days + 0, ms: -ms + 0 }, context.zones);
}

function inSession(value: TimeReadings, side: ColumnSide, type: ColumnType, { zones }: SqlContext): TimeReadings {
  const others = zones.filter((zone) => zone !== 'UTC');
  const local =
    type === 'timestamptz'
      ? value.naive || side.unit !== undefined
        ? others.flatMap((zone) => asLocalIn(value, zone).readings)
        : []
      : type !== undefined && value.moment === true
        ? others.flatMap((zone) => shownOnClock(value, zone))
        : [];
  return local.length === 0 ? value : { ...value, readings: [...value.readings, ...local] };
}

/** An instant compared with a column on a clock of its own: only what was not yet put on a calendar is the same instant. */
const shownIn = (value: TimeReadings, zone: ZoneName): TimeReadings['readings'] =>
  value.readings.filter((reading) => reading.zone === undefined).map(({ time }) => ({ time, zone }));

const isMoment = (type: ColumnType): boolean => type === 'timestamp' || type === 'timestamptz';

function lowerEnd(
  value: TimeReadings,
  operator: string,
  unit: CalendarUnit | undefined,
  type: ColumnType,
  zones: readonly ZoneName[],
): TimeReadings {
  if (operator === '=' && unit !== undefined) return floorReadings(value, unit, zones);
  if (operator !== '>') return value;
  const label = unit ?? (type === 'date' ? 'day' : undefined);
  return label !== undefined && isAligned(value.unit, label) ? endOfUnit(value, label, zones) : value;
}

function upperEnd(
  value: TimeReadings,
  operator: string,
  unit: CalendarUnit | undefined,
  type: ColumnType,
  zones: readonly ZoneName[],
): TimeReadings {
  const label = unit ?? (type === 'date' ? 'day' : undefined);
  if (operator === '<') {
    if (label === undefined || isAligned(value.unit, label)) return value;
    return endOfUnit(floorReadings(value, label, zones), label, zones);
  }
  if (unit !== undefined) return endOfUnit(floorReadings(value, unit, zones), unit, zones);
  if (value.unit !== undefined && (operator === '=' || !isMoment(type))) {
    return endOfUnit(value, value.unit, zones);
  }
  if (type === 'date') return endOfUnit(floorReadings(value, 'day', zones), 'day', zones);
  return {
    ...value,
    unit: undefined,
    readings: value.readings.map(({ time, zone }) => ({ time: justAfter(time), zone })),
  };
}

/** The first millisecond behind a moment; `23:59:59` and its kin mean the end of the minute, and of the day. */
function justAfter(time: TimeReadings['readings'][number]['time']): typeof time {
  const last = time.steps.at(-1);
  const into = last?.kind === 'shift' ? ((last.offset.ms % 60_000) + 60_000) % 60_000 : 0;
  const ms = into >= 59_000 ? 60_000 - into : 1;
  const zone = last?.kind === 'shift' ? last.zone : 'UTC';
  const after = appendStep(time, { kind: 'shift', offset: { ...noOffset, ms }, zone });
  const moved = after.steps.at(-1);
  const wholeDay = moved?.kind === 'shift' && moved.zone === 'UTC' && moved.offset.ms === dayMs;
  if (!wholeDay) return after;
  return appendStep(
    { ...after, steps: after.steps.slice(0, -1) },
    { kind: 'shift', offset: { ...noOffset, days: 1 }, zone },
  );
}
