import type { SqlExpression } from '../../../sql/model/expression.ts';
import { compare, sameValue } from '../../repeats/known-functions.ts';
import type { Value } from '../../repeats/term.ts';
import { NotRun } from './not-run.ts';
import type { Sight } from './relation.ts';

type Call = SqlExpression & { readonly kind: 'call' };
type Run = (one: SqlExpression, at?: Sight) => Value;

/** `count(*)`, `sum(n)` and the like of the rows of a group. */
export function aggregateOf(one: Call, name: string, group: readonly Sight[], run: Run): Value {
  const [first, second] = one.arguments;
  if (name === 'count' && (first === undefined || first.kind === 'star')) return group.length;
  if (first === undefined) throw new NotRun(name);
  if (name.startsWith('percentile')) {
    const [at] = group;
    if (second === undefined || at === undefined) return null;
    return quantile(
      group.map((sight) => run(second, sight)),
      Number(run(first, at)),
    );
  }
  return ofValues(
    name,
    group.map((sight) => run(first, sight)),
    one.distinct,
  );
}

/** An aggregate of values, NULLs left out. */
export function ofValues(name: string, all: readonly Value[], distinct: boolean): Value {
  const there = all.filter((value) => value !== null);
  const values = distinct ? there.filter((value, at) => there.findIndex((one) => sameValue(one, value)) === at) : there;
  const numbers = (): readonly number[] =>
    values.map((value) => {
      if (typeof value !== 'number') throw new NotRun(`${name} of no number`);
      return value;
    });
  const sum = (): number => numbers().reduce((total, value) => total + value, 0);
  const [first = null] = values;
  switch (name) {
    case 'count':
      return values.length;
    case 'sum':
      return values.length === 0 ? null : sum();
    case 'avg':
      return values.length === 0 ? null : sum() / values.length;
    case 'min':
      return values.reduce<Value>((best, value) => (best === null || compare(value, best) < 0 ? value : best), null);
    case 'max':
      return values.reduce<Value>((best, value) => (best === null || compare(value, best) > 0 ? value : best), null);
    case 'any_value':
      return first;
    case 'bool_and':
    case 'every':
      return values.length === 0 ? null : !values.includes(false);
    case 'bool_or':
      return values.length === 0 ? null : values.includes(true);
    case 'median':
      return quantile(values, 0.5);
    case 'string_agg':
    case 'array_agg':
      return [...values].sort(compare);
    default:
      throw new NotRun(name);
  }
}

function quantile(all: readonly Value[], share: number): Value {
  const values = all.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  if (values.length === 0) return null;
  const place = share * (values.length - 1);
  const below = values[Math.floor(place)] ?? 0;
  return below + ((values[Math.ceil(place)] ?? 0) - below) * (place - Math.floor(place));
}
