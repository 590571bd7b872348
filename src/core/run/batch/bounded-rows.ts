import { isOperator, openPositions, wordAt, type Zone } from './sql-zones.ts';
import { type Apart, isApart, type VaryingText } from './varying-text.ts';

/** Which unit a row belongs to, by one expression that the condition bounds. */
export interface UnitOfRow {
  /** Number of the unit from 1, as SQL; right only for rows that the condition of all units lets through. */
  readonly number: string;
  /** Comparisons of constants, as SQL, that have to be true for it. */
  readonly checks: readonly string[];
}

/** A condition for all units at once. */
export interface BoundedRows {
  /** By the expressions that are bound; at least one. */
  readonly units: readonly (UnitOfRow & { readonly expression: string })[];
  /** What takes the place of parts of the condition. */
  readonly edits: readonly (Zone & { readonly text: string })[];
}

/** One comparison of an expression with what only the interval decides. */
interface Bound {
  readonly zone: Zone;
  readonly expression: string;
  readonly operator: '>=' | '<' | '=';
  readonly value: Zone;
}

/**
 * Puts the conditions of several units together, oldest first: their rows are exactly those of one of the units each, as its
 * own condition takes them. Bounds are `x >= … AND x < …`, the end of each unit being the start of the next, or `x = …`;
 * of several expressions that are bound, each row has all of one unit.
 */
export function boundedRows(text: VaryingText, parts: readonly Zone[]): BoundedRows | Apart {
  const bounds: Bound[] = [];
  for (const zone of parts) {
    if (!hasVarying(text, zone)) continue;
    const bound = boundOf(text, zone);
    if (isApart(bound)) return bound;
    bounds.push(bound);
  }
  const byExpression = new Map<string, Bound[]>();
  for (const bound of bounds) {
    const known = byExpression.get(bound.expression) ?? [];
    byExpression.set(bound.expression, [...known, bound]);
  }
  const units: (UnitOfRow & { expression: string })[] = [];
  const edits: (Zone & { text: string })[] = [];
  for (const [expression, found] of byExpression) {
    const made = expressionUnits(text, expression, found);
    if (isApart(made)) return made;
    units.push({ expression, ...made.unit });
    edits.push(...made.edits);
  }
  if (units.length === 0) return { apart: 'no condition of it has the interval' };
  return { units, edits };
}

export const hasVarying = ({ varying }: VaryingText, { from, to }: Zone): boolean => {
  for (const position of varying) if (position >= from && position < to) return true;
  return false;
};

const flipped: Readonly<Record<string, Bound['operator']>> = { '<=': '>=', '>': '<', '=': '=' };
const straight: Readonly<Record<string, Bound['operator']>> = { '>=': '>=', '<': '<', '=': '=' };

function boundOf(text: VaryingText, zone: Zone): Bound | Apart {
  const { tokens } = text;
  const written = text.textOf(zone.from, zone.to, 0);
  const open = openPositions(tokens, zone);
  const between = open.find((position) => wordAt(tokens, position) === 'between');
  if (between !== undefined) {
    const and = open.find((position) => position > between && wordAt(tokens, position) === 'and');
    const [low, high] = [
      { from: between + 1, to: and ?? between },
      { from: (and ?? zone.to) + 1, to: zone.to },
    ];
    const isOne = [...Array(text.units).keys()].every(
      (unit) => text.textOf(low.from, low.to, unit) === text.textOf(high.from, high.to, unit),
    );
    const expression = { from: zone.from, to: between };
    if (!isOne || wordAt(tokens, between - 1) === 'not' || !isExpression(text, expression) || !isConstant(text, low))
      return { apart: `its bounds are not start included and end excluded (${written})` };
    return { zone, expression: text.textOf(expression.from, expression.to, 0), operator: '=', value: low };
  }
  const compared = open.filter((position) =>
    ['=', '<', '>', '<=', '>=', '<>', '!='].some((operator) => isOperator(tokens[position], operator)),
  );
  const [at, ...more] = compared;
  const operator = at === undefined ? undefined : tokens[at]?.text;
  if (at === undefined || operator === undefined || more.length > 0) return unbounded(written);
  const [left, right] = [
    { from: zone.from, to: at },
    { from: at + 1, to: zone.to },
  ];
  const sides = hasVarying(text, left) ? [right, left] : [left, right];
  const [expression, value] = sides as [Zone, Zone];
  const meant = (expression === left ? straight : flipped)[operator];
  if (meant === undefined || !isExpression(text, expression) || !isConstant(text, value)) return unbounded(written);
  return { zone, expression: text.textOf(expression.from, expression.to, 0), operator: meant, value };
}

const unbounded = (written: string): Apart => ({
  apart: `its bounds are not start included and end excluded, or one value (${written})`,
});

/** Made of columns, not of a query, and the same in all units. */
function isExpression(text: VaryingText, zone: Zone): boolean {
  if (zone.from >= zone.to || hasVarying(text, zone)) return false;
  const words = text.tokens.slice(zone.from, zone.to).filter(({ kind }) => kind === 'word' || kind === 'quoted');
  return words.length > 0 && !words.some((token) => ['select', 'not', 'over'].includes(token.text));
}

/** Words of types and of what makes one constant of another, as PostgreSQL has them built in. */
const constantWords = new Set(
  `date timestamp timestamptz time interval cast as text varchar char int integer bigint smallint numeric with without zone
   day days hour hours to_date to_timestamp date_trunc make_date`.split(/\s+/),
);

function isConstant(text: VaryingText, { from, to }: Zone): boolean {
  if (from >= to) return false;
  return text.tokens.slice(from, to).every((token) => {
    if (token.kind === 'word') return constantWords.has(token.text);
    return token.kind === 'string' || token.kind === 'number' || token.kind === 'operator';
  });
}

function expressionUnits(
  text: VaryingText,
  expression: string,
  found: readonly Bound[],
): { unit: UnitOfRow; edits: readonly (Zone & { text: string })[] } | Apart {
  const [one, other, ...more] = found;
  const written = found.map(({ zone }) => text.textOf(zone.from, zone.to, 0)).join(' and ');
  const values = (bound: Bound): readonly string[] =>
    [...Array(text.units).keys()].map((unit) => text.textOf(bound.value.from, bound.value.to, unit));
  if (one === undefined || more.length > 0) return unbounded(written);
  if (other === undefined) {
    if (one.operator !== '=') return { apart: `it reads more than its interval (${written})` };
    const ordered = ascending(text, one.value);
    if (isApart(ordered)) return ordered;
    const list = values(one);
    return {
      unit: { number: numberOf(expression, list), checks: ordered },
      edits: [{ ...one.zone, text: `(${expression}) in (${list.join(', ')})` }],
    };
  }
  const low = found.find(({ operator }) => operator === '>=');
  const high = found.find(({ operator }) => operator === '<');
  if (low === undefined || high === undefined) return unbounded(written);
  const [starts, ends] = [values(low), values(high)];
  const ordered = ascending(text, low.value);
  if (isApart(ordered)) return ordered;
  const seams = starts.slice(1).flatMap((start, index) => {
    const end = ends[index] ?? '';
    return end === start ? [] : [{ start, end }];
  });
  const isPlain = isLiteral(text, low.value) && isLiteral(text, high.value);
  if (seams.length > 0 && isPlain) return { apart: `the ranges of its intervals overlap or leave gaps (${written})` };
  const checks = seams.map(({ start, end }) => `(${end}) = (${start})`);
  const edits = [
    { ...low.zone, text: `(${expression}) >= ${starts[0]}` },
    { ...high.zone, text: `(${expression}) < ${ends.at(-1)}` },
  ];
  return { unit: { number: numberOf(expression, starts), checks: [...ordered, ...checks] }, edits };
}

/** Nothing around the literal but its type. */
function isLiteral(text: VaryingText, zone: Zone): boolean {
  const literals = text.tokens.slice(zone.from, zone.to).filter(({ kind }) => kind === 'string' || kind === 'number');
  const others = text.tokens.slice(zone.from, zone.to).filter(({ kind }) => kind === 'operator');
  return literals.length === 1 && others.every(({ text: operator }) => ['::', '(', ')'].includes(operator));
}

/** Days and moments as ISO writes them, months, and days as numbers: their order is that of their text. */
const sortable =
  /^(?:\d{4}-\d{2}(?:-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?)?|\d{6}|\d{8}|\d{10})(?<offset>Z|[+-]\d{2}(?::?\d{2})?)?$/;

/** That the values of the units ascend: known, or as comparisons that have to be true. */
function ascending(text: VaryingText, zone: Zone): readonly string[] | Apart {
  const written = text.textOf(zone.from, zone.to, 0);
  const units = [...Array(text.units).keys()];
  if (isLiteral(text, zone)) {
    const at = [...text.varying].find((position) => position >= zone.from && position < zone.to) ?? zone.from;
    const moments = units.map((unit) => {
      const written = text.tokenOf(at, unit)?.text ?? '';
      const offset = sortable.exec(written)?.groups?.offset ?? '';
      return sortable.test(written) ? written.slice(0, written.length - offset.length) : undefined;
    });
    const isSorted = moments.every((moment, index) => {
      const before = moments[index - 1];
      if (moment === undefined) return false;
      return index === 0 || (before !== undefined && before.length === moment.length && before < moment);
    });
    return isSorted ? [] : { apart: `its values do not ascend with the interval (${written})` };
  }
  const values = units.map((unit) => text.textOf(zone.from, zone.to, unit));
  return values.slice(1).map((value, index) => `(${values[index]}) < (${value})`);
}

/** By halves, with the operators and literals of the task itself, so that its types decide as they do in its condition. */
function numberOf(expression: string, starts: readonly string[]): string {
  const within = (first: number, last: number): string => {
    if (first === last) return String(first + 1);
    const middle = Math.ceil((first + last) / 2);
    return `case when (${expression}) < ${starts[middle]} then ${within(first, middle - 1)} else ${within(middle, last)} end`;
  };
  return within(0, starts.length - 1);
}
