import type { ColumnReference, SqlExpression } from '../../sql/model/expression.ts';
import type { Hole } from '../../template/mask/masked-text.ts';
import type { SymbolicValue } from '../../template/names/symbolic-value.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { SqlContext } from '../times/sql-context.ts';
import { readingsOfText } from '../times/template-time.ts';
import { timeBound } from '../times/time-bound.ts';
import { floorReadings, type TimeReadings } from '../times/time-readings.ts';
import { boundRange } from './bound-range.ts';
import { type ColumnRange, openRange } from './column-range.ts';

/** A time that is said in parts: `year = 2024 and month = 3`, `extract(year from ts) = 2024 and …`. */
export interface DateInParts {
  /** What the range is of: the column of the year, or the one whose parts are taken. */
  readonly column: ColumnReference;
  /** Columns that hold the other parts. */
  readonly others: readonly ColumnReference[];
  readonly range: ColumnRange;
}

type Field = 'year' | 'month' | 'day' | 'hour';
/** From the coarsest on; a part counts only with all that are coarser. */
const fields: readonly Field[] = ['year', 'month', 'day', 'hour'];
const patterns: Readonly<Record<Field, string>> = { year: '%Y', month: '%Y%m', day: '%Y%m%d', hour: '%Y%m%d%H' };

interface Part {
  readonly field: Field;
  readonly column: ColumnReference;
  /** `extract(month from ts)` rather than a column `month`. */
  readonly isTaken: boolean;
  /** The time that the part is of, cut to the part's unit. */
  readonly time: TimeReadings;
  readonly at: { readonly start: number; readonly end: number };
}

/** Dates in parts among conditions that all hold; fewer than two parts are none. */
export function datesInParts(conjuncts: readonly SqlExpression[], context: SqlContext): readonly DateInParts[] {
  const groups = new Map<string, Part[]>();
  for (const conjunct of conjuncts) {
    const part = partOf(conjunct, context);
    if (part === undefined) continue;
    const key = JSON.stringify([part.column.qualifier ?? '', part.isTaken ? part.column.name : '']);
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  const found = [...groups.values()].flatMap((parts) => joined(parts, context) ?? []);
  return [...found, ...conjuncts.flatMap((conjunct) => madeDate(conjunct, context) ?? [])];
}

/** `make_date(year, month, day) = '{{ ds }}'`. */
function madeDate(conjunct: SqlExpression, context: SqlContext): DateInParts | undefined {
  if (conjunct.kind !== 'binary' || conjunct.operator !== '=') return undefined;
  for (const [side, value] of [
    [conjunct.left, conjunct.right],
    [conjunct.right, conjunct.left],
  ] as const) {
    if (side.kind !== 'call' || !/^(?:make_date|datefromparts|date_from_parts)$/.test(side.name)) continue;
    const [column, ...others] = side.arguments.flatMap((part) => (part.kind === 'column' ? [part] : []));
    const time = timeBound(value, context);
    if (column === undefined || others.length !== 2 || time.kind !== 'time') continue;
    const day = floorReadings(time, 'day', ['UTC']);
    const bounds = boundRange({ column, unit: undefined, zone: undefined, steps: [] }, '=', day, context, undefined);
    const at = { start: conjunct.start, end: conjunct.end };
    return { column, others, range: { ...openRange, ...bounds, at, inParts: true } };
  }
  return undefined;
}

/** The time that several parts in one text are of; `undefined` where they are none of one time, or not all used. */
export function timeOfParts(holes: readonly Hole[], context: SqlContext): TimeReadings | undefined {
  const parts = holes.flatMap(({ value }) => partOfText(value) ?? []);
  const chain = chainOf(parts, context);
  return chain.length === holes.length ? chain.at(-1)?.time : undefined;
}

/** From the year on, each part that follows without a gap; none where they are not of one time, or only one. */
function chainOf<T extends Pick<Part, 'field' | 'time'>>(parts: readonly T[], context: SqlContext): readonly T[] {
  const chain: T[] = [];
  for (const field of fields) {
    const part = parts.find((one) => one.field === field);
    if (part === undefined) break;
    chain.push(part);
  }
  const last = chain.at(-1);
  return chain.length > 1 && last !== undefined && chain.every((part) => isPartOf(part, last, context)) ? chain : [];
}

function joined(parts: readonly Part[], context: SqlContext): DateInParts | undefined {
  const chain = chainOf(parts, context);
  const first = chain[0];
  const last = chain.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const side = { column: first.column, unit: undefined, zone: undefined, steps: [] };
  const at = {
    start: Math.min(...chain.map((part) => part.at.start)),
    end: Math.max(...chain.map((part) => part.at.end)),
  };
  const bounds = boundRange(side, '=', last.time, context, undefined);
  return {
    column: first.column,
    others: first.isTaken ? [] : chain.slice(1).map(({ column }) => column),
    range: { ...openRange, ...bounds, at, ...(first.isTaken ? {} : { inParts: true }) },
  };
}

/** Whether a coarser part is that of the same time: `year` of this interval with the `month` of the one before is none. */
function isPartOf(part: Pick<Part, 'field' | 'time'>, whole: Pick<Part, 'time'>, context: SqlContext): boolean {
  const [own, other] = [part.time.readings[0], floorReadings(whole.time, part.field, ['UTC']).readings[0]];
  if (own === undefined || other === undefined) return false;
  if (part.time.readings.length !== 1 || whole.time.readings.length !== 1 || own.zone !== other.zone) return false;
  return context.intervals().every((interval) => exactTime(own.time, interval) === exactTime(other.time, interval));
}

function partOf(conjunct: SqlExpression, context: SqlContext): Part | undefined {
  if (conjunct.kind !== 'binary' || conjunct.operator !== '=') return undefined;
  for (const [side, value] of [
    [conjunct.left, conjunct.right],
    [conjunct.right, conjunct.left],
  ] as const) {
    const taken = fieldCall(side);
    const column = taken?.of ?? side;
    const found = column.kind === 'column' ? valuePart(value, context) : undefined;
    if (column.kind !== 'column' || found === undefined) continue;
    if (taken !== undefined && taken.field !== found.field) continue;
    return { ...found, column, isTaken: taken !== undefined, at: conjunct };
  }
  return undefined;
}

/** `extract(month from x)`, `date_part('month', x)`, `month(x)`. */
function fieldCall(expression: SqlExpression): { readonly field: Field; readonly of: SqlExpression } | undefined {
  if (expression.kind === 'cast') return fieldCall(expression.operand);
  if (expression.kind !== 'call') return undefined;
  const [first, second] = expression.arguments;
  const isNamed = expression.name === 'extract' || expression.name === 'date_part';
  const name = !isNamed
    ? expression.name
    : first?.kind === 'column'
      ? first.name
      : first?.kind === 'literal'
        ? first.text
        : '';
  const field = fields.find((one) => one === name.replace(/'/g, '').toLowerCase());
  const of = isNamed ? second : first;
  return field === undefined || of === undefined ? undefined : { field, of };
}

function valuePart(expression: SqlExpression, context: SqlContext): Pick<Part, 'field' | 'time'> | undefined {
  const taken = fieldCall(expression);
  if (taken !== undefined) {
    const whole = timeBound(taken.of, context);
    const { field } = taken;
    return whole.kind === 'time' ? { field, time: floorReadings(whole, field, ['UTC']) } : undefined;
  }
  switch (expression.kind) {
    case 'cast':
      return valuePart(expression.operand, context);
    case 'hole':
      return partOfText(context.holes[expression.hole]?.value);
    case 'template-string': {
      const [index, second] = expression.holes;
      const hole = index === undefined || second !== undefined ? undefined : context.holes[index];
      if (hole === undefined) return undefined;
      const { start, end } = expression.content;
      const rest = context.shown.slice(start, hole.start) + context.shown.slice(hole.end, end);
      return rest.trim() === '' ? partOfText(hole.value) : undefined;
    }
    default:
      return undefined;
  }
}

const letters: Readonly<Record<string, Field>> = { Y: 'year', m: 'month', d: 'day', H: 'hour' };

/** A template that writes one part of a time: `{{ logical_date.month }}`, `{{ ds[5:7] }}`. */
function partOfText(value: SymbolicValue | undefined): Pick<Part, 'field' | 'time'> | undefined {
  if (value?.kind !== 'time' || typeof value.form !== 'object') return undefined;
  const letter = /^%[-#]?([YmdH])$/.exec(value.form.strftime)?.[1];
  const field: Field | undefined = letter === undefined ? undefined : letters[letter];
  const time = field && readingsOfText({ ...value, form: { strftime: patterns[field] } });
  return field === undefined || time === undefined ? undefined : { field, time };
}
