import { isAggregate } from '../../../sql/calls/is-aggregate.ts';
import type { QueryBlock, SqlExpression } from '../../../sql/model/expression.ts';
import { compare, knownFunction, sameValue, typeOf } from '../../repeats/known-functions.ts';
import type { Value } from '../../repeats/term.ts';
import { aggregateOf } from './aggregates.ts';
import { NotRun } from './not-run.ts';
import type { Relation, RowInSight, Scene, Sight } from './relation.ts';
import { windowValue } from './window-value.ts';

/** What an expression asks of the queries inside it. */
export type RunQuery = (query: QueryBlock, sight: Sight) => Relation;

/** The value of an expression for one row. Throws {@link NotRun}. */
export function runExpression(one: SqlExpression, sight: Sight, scene: Scene, query: RunQuery): Value {
  const run = (next: SqlExpression, at = sight): Value => runExpression(next, at, scene, query);
  const apply = (name: string, ...given: readonly Value[]): Value => applied(name, given);
  if (one.kind === 'call' && scene.isAnew(one.start, one.end) && /random|uuid|nextval|newid/.test(one.name))
    return scene.anew();
  switch (one.kind) {
    case 'column':
      return columnValue(one, sight, scene.clock);
    case 'literal':
      return literalValue(one, scene);
    case 'hole':
      return scene.given(scene.masked.holes[one.hole]?.source ?? '');
    case 'template-string':
      return scene.given(one.holes.map((hole) => scene.masked.holes[hole]?.source ?? '').join(' '));
    case 'interval':
      if (one.amount === undefined) throw new NotRun('an interval');
      return one.amount.months * 30 + one.amount.days + one.amount.ms / 86_400_000;
    case 'cast':
      return castValue(run(one.operand), one.type);
    case 'unary':
      if (one.operator === '+') return run(one.operand);
      return apply(/^is /.test(one.operator) ? one.operator : `unary${one.operator}`, run(one.operand));
    case 'binary':
      return binaryValue(one.operator, run(one.left), () => run(one.right));
    case 'between': {
      const value = run(one.operand);
      const inside = apply('and', apply('>=', value, run(one.low)), apply('<=', value, run(one.high)));
      return one.negated ? apply('unarynot', inside) : inside;
    }
    case 'in': {
      const wanted = tuple(one.operand, run);
      const among =
        one.query === undefined
          ? one.list.map((entry) => tuple(entry, run))
          : query(one.query, sight).rows.map((row) => [...row]);
      const found = apply('or', false, ...among.map((row) => sameRow(wanted, row)));
      return one.negated ? apply('unarynot', found) : found;
    }
    case 'exists': {
      const found = query(one.query, sight).rows.length > 0;
      return found !== one.negated;
    }
    case 'subquery': {
      const { rows } = query(one.query, sight);
      if (rows.length > 1) throw new NotRun('several rows where one is meant');
      return rows[0]?.[0] ?? null;
    }
    case 'case':
      return caseValue(one, run);
    case 'call':
      return callValue(one, sight, scene, run);
    case 'opaque': {
      const text = scene.masked.text.slice(one.start, one.end);
      const parameter = /^\s*(\$\d+)\s*$/.exec(text)?.[1];
      const variable = parameter === undefined ? undefined : sight.variables.get(parameter);
      if (variable !== undefined && !(variable instanceof Map)) return variable as Value;
      const [only] = one.parts;
      if (one.parts.length === 1 && only !== undefined && /^\s*\(/.test(text)) return run(only);
      throw new NotRun(text.slice(0, 30));
    }
    default:
      throw new NotRun(one.kind);
  }
}

/** Looked up from the innermost query outwards; a bare name is rather a variable where one is declared. */
function columnValue(
  one: { readonly qualifier: string | undefined; readonly name: string },
  sight: Sight,
  now: Value,
): Value {
  const { qualifier, name } = one;
  const variable = sight.variables.get(qualifier ?? name);
  if (variable instanceof Map) {
    if (qualifier !== undefined) return (variable as ReadonlyMap<string, Value>).get(name) ?? null;
  } else if (qualifier === undefined && variable !== undefined) return variable as Value;
  for (const level of sight.levels) {
    const item = level.find((row) => (qualifier === undefined ? row.columns.includes(name) : isCalled(row, qualifier)));
    if (item === undefined) continue;
    const at = item.columns.indexOf(name);
    if (at === -1) break;
    return item.values?.[at] ?? null;
  }
  if (qualifier === undefined && clock.test(name)) return now;
  throw new NotRun(`column ${name}`);
}

export const isCalled = ({ alias }: RowInSight, qualifier: string): boolean =>
  alias === qualifier || alias.endsWith(`.${qualifier}`);

/** The day that the interval of `{{ ds }}` starts on, as a number. */
export const today = 100;
const clock =
  /^(now|current_(date|time|timestamp|user|setting|schema)|localtime(stamp)?|session_user|sysdate|(clock|statement|transaction)_timestamp|getdate|timeofday)$/;

function literalValue(one: SqlExpression & { readonly kind: 'literal' }, scene: Scene): Value {
  switch (one.type) {
    case 'number':
      return Number(one.text);
    case 'boolean':
      return one.text.toLowerCase() === 'true';
    case 'null':
      return null;
    case 'string': {
      const template = /^\s*\{\{(.*)\}\}\s*$/s.exec(one.text)?.[1];
      return template === undefined ? dayIn(one.text) : scene.given(template.trim());
    }
  }
}

/** A text that is a day or a moment, as a number of days. */
function dayIn(text: string): Value {
  if (!/^\d{4}-\d\d-\d\d(?!\d)/.test(text)) return text;
  const at = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(at) ? text : at / 86_400_000;
}

function castValue(value: Value, type: string): Value {
  if (value === null) return null;
  if (/^date\b(?!time)/i.test(type) && typeof value === 'number') return Math.floor(value + 1e-9);
  if (/^(int|bigint|smallint|numeric|decimal|float|double|real|number)/i.test(type) && typeof value === 'string') {
    const number = Number(value);
    if (Number.isNaN(number)) throw new NotRun('a text as a number');
    return number;
  }
  return value;
}

function binaryValue(operator: string, left: Value, later: () => Value): Value {
  if (operator === 'and' && left === false) return false;
  if (operator === 'or' && left === true) return true;
  return applied(operator, [left, later()]);
}

/** A known function of values. */
export function applied(name: string, given: readonly Value[]): Value {
  const negated = /^not (i?like)$/.exec(name)?.[1];
  if (negated !== undefined) return applied('unarynot', [applied(negated, given)]);
  const known = knownFunction(name);
  if (known === undefined) throw new NotRun(`${name}(…)`);
  for (const [index, value] of given.entries()) {
    const takes = known.takes[Math.min(index, known.takes.length - 1)] ?? 'any';
    if (takes !== 'any' && value !== null && typeOf(value) !== takes) throw new NotRun(`what ${name} takes`);
  }
  if (known.strict && given.includes(null)) return null;
  const value = known.of(...given);
  if (value === undefined) throw new NotRun(`what ${name} takes`);
  return value;
}

const tuple = (one: SqlExpression, run: (next: SqlExpression) => Value): readonly Value[] =>
  one.kind === 'opaque' && one.parts.length > 1 ? one.parts.map((part) => run(part)) : [run(one)];

/** Equal in all parts; NULL in one is not known. */
function sameRow(a: readonly Value[], b: readonly Value[]): Value {
  const parts = a.map((value, index) => {
    const other = b[index] ?? null;
    return value === null || other === null ? null : sameValue(value, other);
  });
  return parts.includes(false) ? false : parts.includes(null) ? null : true;
}

function caseValue(
  { parts, roles }: SqlExpression & { readonly kind: 'case' },
  run: (next: SqlExpression) => Value,
): Value {
  const operand = parts[roles.indexOf('operand')];
  const asked = operand === undefined ? undefined : run(operand);
  let takes = false;
  for (const [index, part] of parts.entries()) {
    const role = roles[index];
    if (role === 'when') takes = (asked === undefined ? run(part) : applied('=', [asked, run(part)])) === true;
    else if ((role === 'then' && takes) || role === 'else') return run(part);
  }
  return null;
}

function callValue(
  one: SqlExpression & { readonly kind: 'call' },
  sight: Sight,
  scene: Scene,
  run: (next: SqlExpression, at?: Sight) => Value,
): Value {
  const name = one.name.slice(one.name.lastIndexOf('.') + 1).toLowerCase();
  if (one.window !== undefined) return windowValue(one, name, sight, scene, run);
  if (isAggregate(name)) {
    if (sight.group === undefined || one.filtered) throw new NotRun(name);
    return aggregateOf(one, name, sight.group, run);
  }
  if (clock.test(name)) return scene.clock;
  const words = /^(extract|date_part)$/.test(name)
    ? 0
    : /_trunc$/.test(name) && one.arguments[0]?.kind !== 'literal'
      ? 1
      : -1;
  const given = one.arguments.map((argument, index) =>
    index === words && argument.kind === 'column' ? argument.name : run(argument),
  );
  if (transparent.has(name)) return given[0] ?? null;
  if (knownFunction(name) !== undefined && !name.startsWith('regexp')) return applied(name, given);
  // Of the same arguments the same, and nothing else.
  if (scene.isAnew(one.start, one.end)) throw new NotRun(name);
  return opaqueFunctions.has(name) ? `${name} ${JSON.stringify(given)}` : notKnown(name);
}

const notKnown = (name: string): never => {
  throw new NotRun(`${name}(…)`);
};

const transparent = new Set(['to_date', 'to_timestamp', 'timestamp', 'text', 'quote_literal', 'quote_ident', 'row']);
/** They give another value for each other argument, so far as it matters here. */
const opaqueFunctions = new Set(['to_char', 'row_to_json', 'to_jsonb', 'md5', 'hashtext', 'format']);

/** In order; NULL comes last. */
export const inOrder = (a: Value, b: Value): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compare(a, b);
