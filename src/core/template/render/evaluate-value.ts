import { dayMs } from '../../time/zones/civil.ts';
import type { CallArguments, JinjaExpression } from '../language/expression.ts';
import { callDate, callDatetime, datetimeAttribute } from '../python/datetime-methods.ts';
import { bind, none } from '../python/python-arguments.ts';
import { compare, equal } from '../python/python-compare.ts';
import { binary, negate } from '../python/python-operators.ts';
import {
  daysAndRest,
  dictOf,
  hashKey,
  isObject,
  itemsOf,
  orElse,
  type PythonArguments,
  type PythonObject,
  type PythonValue,
  str,
  truthy,
  typeName,
} from '../python/python-value.ts';
import { refuse } from '../python/refusal.ts';
import { callText } from '../python/text-methods.ts';
import { applyFilter } from './filters.ts';
import { applyTest } from './jinja-tests.ts';

/** Where names are looked up. */
export interface Scope {
  readonly values: Map<string, PythonValue>;
  readonly parent: Scope | undefined;
  /** Names that no scope has: the template context. */
  readonly root: (name: string) => PythonValue;
}

export const innerScope = (parent: Scope): Scope => ({ values: new Map(), parent, root: parent.root });

function lookUp(name: string, scope: Scope): PythonValue {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const value = at.values.get(name);
    if (value !== undefined) return value;
  }
  return scope.root(name);
}

/** The value of an expression as Jinja2 computes it. Refuses whatever would be an error there or is not certain. */
export function evaluateValue(expression: JinjaExpression, scope: Scope): PythonValue {
  const value = (part: JinjaExpression): PythonValue => evaluateValue(part, scope);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'name':
      return lookUp(expression.name, scope);
    case 'list':
      return { kind: 'list', items: expression.items.map(value) };
    case 'tuple':
      return { kind: 'tuple', items: expression.items.map(value) };
    case 'dict':
      return dictOf(expression.entries.map(([key, item]) => [value(key), value(item)]));
    case 'attribute':
      return attribute(value(expression.object), expression.name);
    case 'subscript':
      return item(value(expression.object), value(expression.index));
    case 'slice':
      return slice(
        value(expression.object),
        [expression.from, expression.to, expression.step].map((part) => (part === undefined ? null : value(part))),
      );
    case 'call':
      return call(expression.callee, evaluatedArguments(expression.arguments, scope), scope);
    case 'filter':
      return applyFilter(expression.name, value(expression.operand), evaluatedArguments(expression.arguments, scope));
    case 'test': {
      const { positional, keyword } = evaluatedArguments(expression.arguments, scope);
      if (keyword.size > 0 || positional.length > 1)
        return refuse(`the test "${expression.name}" with these arguments`);
      return applyTest(expression.name, value(expression.operand), positional) !== expression.negated;
    }
    case 'unary':
      return expression.operator === 'not'
        ? !truthy(value(expression.operand))
        : negate(expression.operator, value(expression.operand));
    case 'binary': {
      const left = value(expression.left);
      if (expression.operator === 'and') return truthy(left) ? value(expression.right) : left;
      if (expression.operator === 'or') return truthy(left) ? left : value(expression.right);
      return binary(expression.operator, left, value(expression.right));
    }
    case 'concat':
      return expression.parts.map((part) => str(value(part))).join('');
    case 'compare': {
      let left = value(expression.first);
      for (const { operator, operand } of expression.rest) {
        const right = value(operand);
        if (!compare(operator, left, right)) return false;
        left = right;
      }
      return true;
    }
    case 'conditional':
      if (truthy(value(expression.condition))) return value(expression.consequent);
      return expression.alternative === undefined
        ? { kind: 'undefined', name: 'the missing else', lenient: true }
        : value(expression.alternative);
  }
}

function evaluatedArguments(written: CallArguments, scope: Scope): PythonArguments {
  const keyword = new Map<string, PythonValue>();
  for (const { name, value } of written.keyword) {
    if (keyword.has(name)) return refuse(`the argument "${name}" is given twice`);
    keyword.set(name, evaluateValue(value, scope));
  }
  return { positional: written.positional.map((part) => evaluateValue(part, scope)), keyword };
}

const isUndefined = (value: PythonValue): value is PythonObject & { kind: 'undefined' } =>
  isObject(value) && value.kind === 'undefined';

const missing = (name: string): PythonValue => ({ kind: 'undefined', name, lenient: false });

/** Methods that a mapping has; `d.items` is the method even where there is a key of that name. */
const dictMethods: ReadonlySet<string> = new Set([
  'items',
  'keys',
  'values',
  'get',
  'pop',
  'update',
  'copy',
  'clear',
  'setdefault',
  'popitem',
  'fromkeys',
]);

/** `object.name`: Jinja2 asks for the attribute, then for the item. */
function attribute(object: PythonValue, name: string): PythonValue {
  if (isUndefined(object)) return refuse(`"${object.name}" is not defined`);
  if (!isObject(object)) return refuse(`a ${typeName(object)} has no attribute "${name}" that is supported`);
  switch (object.kind) {
    case 'dict':
      if (dictMethods.has(name)) return refuse(`the method "${name}" is not called`);
      return orElse(object.entries.get(hashKey(name))?.[1], () => missing(name));
    case 'module':
      return object.member(name);
    case 'namespace':
      return orElse(object.members.get(name), () => missing(name));
    case 'datetime':
    case 'date':
      return datetimeAttribute(object, name) ?? refuse(`the attribute "${name}" of a ${object.kind} is not supported`);
    case 'timedelta': {
      const [days, rest] = daysAndRest(object.microseconds);
      if (name === 'days') return days;
      return name === 'seconds' ? rest / 1_000_000n : refuse(`the attribute "${name}" of a timedelta is not supported`);
    }
    case 'interval':
      return name === 'days' && object.ms % dayMs === 0
        ? BigInt(object.ms / dayMs)
        : refuse(`the attribute "${name}" of a difference is not supported`);
    default:
      return refuse(`the attribute "${name}" of a ${object.kind} is not supported`);
  }
}

/** `object[index]`: Jinja2 asks for the item, then for the attribute. */
function item(object: PythonValue, index: PythonValue): PythonValue {
  if (isUndefined(object)) return refuse(`"${object.name}" is not defined`);
  if (isObject(object) && object.kind === 'dict')
    return orElse(object.entries.get(hashKey(index))?.[1], () => missing(str(index)));
  const sequence =
    typeof object === 'string' || (isObject(object) && (object.kind === 'list' || object.kind === 'tuple'))
      ? itemsOf(object)
      : undefined;
  if (sequence !== undefined && typeof index === 'bigint')
    return orElse(sequence.at(Number(index)), () => missing(`item ${index}`));
  if (isObject(object) && object.kind === 'module' && typeof index === 'string' && object.name.startsWith('var'))
    return object.member(index);
  return refuse(`an item of a ${typeName(object)} by a ${typeName(index)}`);
}

function slice(object: PythonValue, bounds: readonly PythonValue[]): PythonValue {
  const [from, to, step = null] = bounds.map((bound) =>
    bound === null || typeof bound === 'bigint' ? bound : refuse('a slice whose bounds are not whole numbers'),
  );
  if (typeof object !== 'string' && !(isObject(object) && (object.kind === 'list' || object.kind === 'tuple')))
    return refuse(`a slice of a ${typeName(object)}`);
  const all = itemsOf(object);
  const by = step === null ? 1 : Number(step);
  if (by === 0) return refuse('a slice in steps of zero');
  const forward = by > 0;
  const clamp = (bound: bigint | null | undefined, fallback: number): number => {
    if (bound === null || bound === undefined) return fallback;
    const at = Number(bound) < 0 ? Number(bound) + all.length : Number(bound);
    return forward ? Math.min(Math.max(at, 0), all.length) : Math.min(Math.max(at, -1), all.length - 1);
  };
  const start = clamp(from, forward ? 0 : all.length - 1);
  const end = clamp(to, forward ? all.length : -1);
  const picked: PythonValue[] = [];
  for (let at = start; forward ? at < end : at > end; at += by) picked.push(all[at] ?? null);
  if (typeof object === 'string') return picked.join('');
  return object.kind === 'tuple' ? { kind: 'tuple', items: picked } : { kind: 'list', items: picked };
}

function call(callee: JinjaExpression, values: PythonArguments, scope: Scope): PythonValue {
  if (callee.kind !== 'attribute') return callFunction(evaluateValue(callee, scope), values);
  const object = evaluateValue(callee.object, scope);
  const { name } = callee;
  if (isUndefined(object)) return refuse(`"${object.name}" is not defined`);
  if (typeof object === 'string') return callText(object, name, values);
  if (!isObject(object)) return refuse(`a ${typeName(object)} has no method "${name}" that is supported`);
  switch (object.kind) {
    case 'datetime':
      return callDatetime(object, name, values);
    case 'date':
      return callDate(object, name, values);
    case 'dict':
      return callDict(object, name, values);
    case 'list':
      return callList(object, name, values);
    case 'timedelta':
      none(name, values);
      return name === 'total_seconds'
        ? Number(object.microseconds) / 1_000_000
        : refuse(`the method "${name}" of a timedelta is not supported`);
    case 'interval':
      none(name, values);
      return callInterval(object.ms, name);
    default:
      return callFunction(attribute(object, name), values);
  }
}

function callFunction(callee: PythonValue, values: PythonArguments): PythonValue {
  if (isObject(callee) && callee.kind === 'function') return callee.call(values);
  if (isObject(callee) && callee.kind === 'module' && callee.call !== undefined) return callee.call(values);
  return refuse(isUndefined(callee) ? `"${callee.name}" is not defined` : `a ${typeName(callee)} cannot be called`);
}

function callInterval(ms: number, name: string): PythonValue {
  const unit = {
    in_seconds: 1000,
    in_minutes: 60_000,
    in_hours: 3_600_000,
    in_days: 86_400_000,
    in_weeks: 604_800_000,
  }[name];
  if (unit !== undefined) {
    // Pendulum counts days on the calendar, not by elapsed time.
    if (unit >= dayMs && ms % dayMs !== 0) return refuse(`${name}() of a difference that is not whole days`);
    return BigInt(Math.floor(ms / unit));
  }
  return name === 'total_seconds' ? ms / 1000 : refuse(`the method "${name}" of a difference is not supported`);
}

function callDict(dict: PythonObject & { kind: 'dict' }, name: string, values: PythonArguments): PythonValue {
  if (name === 'get') {
    const bound = bind(name, values, ['key', 'default']);
    const key = bound.get('key') ?? refuse('get() without a key');
    return orElse(dict.entries.get(hashKey(key))?.[1], () => bound.get('default') ?? null);
  }
  none(name, values);
  const entries = [...dict.entries.values()];
  switch (name) {
    case 'items':
      return { kind: 'view', items: entries.map((entry) => ({ kind: 'tuple', items: entry })) };
    case 'keys':
      return { kind: 'view', items: entries.map(([key]) => key) };
    case 'values':
      return { kind: 'view', items: entries.map(([, value]) => value) };
    default:
      return refuse(`the method "${name}" of a mapping is not supported`);
  }
}

function callList(list: PythonObject & { kind: 'list' }, name: string, values: PythonArguments): PythonValue {
  const only = orElse(bind(name, values, ['item']).get('item'), () => refuse(`${name}() without an item`));
  switch (name) {
    case 'append':
      list.items.push(only);
      return null;
    case 'extend':
      list.items.push(...itemsOf(only));
      return null;
    case 'index': {
      const at = list.items.findIndex((member) => equal(member, only));
      return at < 0 ? refuse('index() of an item that is not in the list') : BigInt(at);
    }
    case 'count':
      return BigInt(list.items.filter((member) => equal(member, only)).length);
    default:
      return refuse(`the method "${name}" of a list is not supported`);
  }
}
