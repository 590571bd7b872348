import type { JinjaExpression } from '../../../../template/language/expression.ts';
import {
  isFunction,
  type TemplateFunction,
  type TemplateName,
} from '../../../../template/names/template-environment.ts';
import { keyValue } from '../../../python/values/iterate.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { DictValue, Value } from '../../../python/values/value.ts';
import { literal, templateFunction } from './python-to-jinja.ts';

const at = { start: 0, end: 0 } as const;

/** Python's names for what Airflow gives to templates as `macros`. */
const modules: Readonly<Record<string, readonly string[]>> = {
  'airflow.macros': ['macros'],
  'airflow.sdk.execution_time.macros': ['macros'],
  'datetime.datetime': ['macros', 'datetime'],
  'datetime.timedelta': ['macros', 'timedelta'],
  'dateutil.relativedelta': ['macros', 'dateutil', 'relativedelta'],
  json: ['macros', 'json'],
  random: ['macros', 'random'],
  time: ['macros', 'time'],
  uuid: ['macros', 'uuid'],
};

/** Functions that call one another this deep are not read. */
const deepest = 8;

/** A value of the file as templates see it: a constant, a function that is one expression, or a name of `macros`. */
export function templateName(value: Value, depth = 0): TemplateName | undefined {
  if (depth > deepest) return undefined;
  switch (value.kind) {
    case 'scalar':
      if (typeof value.value !== 'number' || value.isFloat === true || !Number.isInteger(value.value))
        return literal(value.value);
      return Number.isSafeInteger(value.value) ? literal(BigInt(value.value)) : undefined;
    case 'text': {
      const text = plainText(value);
      return text === undefined ? undefined : literal(text);
    }
    case 'list': {
      const items = value.open ? [undefined] : value.items.map((item) => constant(item, depth + 1));
      return items.every((item) => item !== undefined)
        ? { kind: value.tuple ? 'tuple' : 'list', items, ...at }
        : undefined;
    }
    case 'dict':
      return dictionary(value, depth);
    case 'function':
      return templateFunction(value, (inner) => templateName(inner, depth + 1));
    case 'external':
      return ofMacros(value.name);
    default:
      return undefined;
  }
}

function constant(value: Value, depth: number): JinjaExpression | undefined {
  const known = templateName(value, depth);
  return known === undefined || isFunction(known) ? undefined : known;
}

function dictionary(value: DictValue, depth: number): JinjaExpression | undefined {
  if (value.open) return undefined;
  const entries: [JinjaExpression, JinjaExpression][] = [];
  for (const [key, entry] of value.entries) {
    const [name, item] = [constant(keyValue(key), depth + 1), constant(entry.value, depth + 1)];
    if (name === undefined || item === undefined) return undefined;
    entries.push([name, item]);
  }
  return { kind: 'dict', entries, ...at };
}

function ofMacros(name: string): JinjaExpression | undefined {
  if (name === 'datetime') {
    const members = ['datetime', 'timedelta'].map((member) => [literal(member), dotted(['macros', member])] as const);
    return { kind: 'dict', entries: members, ...at };
  }
  const module = Object.keys(modules).find((known) => name === known || name.startsWith(`${known}.`));
  if (module === undefined) return undefined;
  const rest = name.slice(module.length + 1);
  return dotted([...(modules[module] ?? []), ...(rest === '' ? [] : rest.split('.'))]);
}

const dotted = ([root = '', ...members]: readonly string[]): JinjaExpression =>
  members.reduce<JinjaExpression>((object, name) => ({ kind: 'attribute', object, name, ...at }), {
    kind: 'name',
    name: root,
    ...at,
  });

/** Functions only: a filter is called with what stands before it. */
export function templateFilter(value: Value): TemplateFunction | undefined {
  const known = templateName(value);
  return known !== undefined && isFunction(known) ? known : undefined;
}
