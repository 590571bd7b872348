import { accessPath, type CallArguments, type JinjaExpression } from '../language/expression.ts';
import { mapExpression } from '../language/map-expression.ts';
import { isFunction, type TemplateEnvironment, type TemplateFunction } from './template-environment.ts';

type Names = Pick<TemplateEnvironment, 'names' | 'filters'>;

/** Functions of functions may grow without bound; where they do, nothing is put in, and their names are refused. */
const heaviest = 5000;
const mostCalls = 100;

/**
 * The expression with constants and functions of the environment put in, so that only names of Airflow are left. A
 * call that does not fit its function stays as it is.
 */
export function expandNames(expression: JinjaExpression, { names, filters }: Names): JinjaExpression {
  if (names.size === 0 && filters.size === 0) return expression;
  let calls = 0;
  const called = (target: TemplateFunction | undefined, given: CallArguments): JinjaExpression | undefined =>
    target === undefined || ++calls > mostCalls ? undefined : applied(target, given);
  const expand = (part: JinjaExpression): JinjaExpression => {
    const path = accessPath(part.kind === 'call' ? part.callee : part)?.join('.');
    const known = path === undefined ? undefined : names.get(path);
    if (known !== undefined && !isFunction(known) && part.kind !== 'call') return known;
    const inner = mapExpression(part, expand);
    if (inner.kind === 'call' && known !== undefined && isFunction(known))
      return called(known, inner.arguments) ?? inner;
    if (inner.kind === 'filter') {
      const { operand, name, arguments: given } = inner;
      return called(filters.get(name), { ...given, positional: [operand, ...given.positional] }) ?? inner;
    }
    return itemOf(inner) ?? inner;
  };
  const expanded = expand(expression);
  return weightOf(expanded, new Map()) > heaviest ? expression : expanded;
}

/** The first of these names that the expression asks for. */
export function askedFor(expression: JinjaExpression, names: ReadonlySet<string>): string | undefined {
  if (expression.kind === 'name') return names.has(expression.name) ? expression.name : undefined;
  let found: string | undefined;
  mapExpression(expression, (part) => {
    found ??= askedFor(part, names);
    return part;
  });
  return found;
}

/** How much there is to evaluate; parts that are shared are looked at once and count each time. */
function weightOf(expression: JinjaExpression, known: Map<JinjaExpression, number>): number {
  const seen = known.get(expression);
  if (seen !== undefined) return seen;
  let weight = 1;
  mapExpression(expression, (part) => {
    weight += weightOf(part, known);
    return part;
  });
  known.set(expression, weight);
  return weight;
}

/** The function's result for these arguments; `undefined` when they do not fit its parameters. */
export function applied(
  { parameters, body }: TemplateFunction,
  { positional, keyword }: CallArguments,
): JinjaExpression | undefined {
  const bound = new Map<string, JinjaExpression>();
  if (positional.length > parameters.length) return undefined;
  for (const [index, value] of positional.entries()) bound.set(parameters[index]?.name ?? '', value);
  for (const { name, value } of keyword) {
    if (bound.has(name) || !parameters.some((parameter) => parameter.name === name)) return undefined;
    bound.set(name, value);
  }
  for (const { name, fallback } of parameters) {
    if (bound.has(name)) continue;
    if (fallback === undefined) return undefined;
    bound.set(name, fallback);
  }
  return withNames(body, bound);
}

/** The expression with some names replaced. */
export const withNames = (
  expression: JinjaExpression,
  values: ReadonlyMap<string, JinjaExpression>,
): JinjaExpression => {
  const put = (part: JinjaExpression): JinjaExpression => {
    const inner = mapExpression(part, put);
    return (inner.kind === 'name' ? values.get(inner.name) : undefined) ?? itemOf(inner) ?? inner;
  };
  return put(expression);
};

/** `{'a': x}.a` and `{'a': x}['a']` are `x`. */
function itemOf(expression: JinjaExpression): JinjaExpression | undefined {
  if (expression.kind !== 'attribute' && expression.kind !== 'subscript') return undefined;
  const { object } = expression;
  if (object.kind !== 'dict') return undefined;
  const wanted =
    expression.kind === 'attribute'
      ? expression.name
      : expression.index.kind === 'literal'
        ? expression.index.value
        : undefined;
  if (typeof wanted !== 'string') return undefined;
  return object.entries.findLast(([key]) => key.kind === 'literal' && key.value === wanted)?.[1];
}
