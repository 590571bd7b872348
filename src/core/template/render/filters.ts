import { timeFilter } from '../python/datetime-methods.ts';
import { bind, integerArgument, none, textArgument } from '../python/python-arguments.ts';
import { order } from '../python/python-compare.ts';
import { join, percentFormat } from '../python/python-format.ts';
import {
  isObject,
  itemsOf,
  orElse,
  type PythonArguments,
  type PythonValue,
  str,
  truthy,
  typeName,
} from '../python/python-value.ts';
import { refuse } from '../python/refusal.ts';
import { capitalize, lower, replace, strip, upper } from '../python/text-methods.ts';
import { jsonText } from '../python/to-json.ts';

const timeFilters: ReadonlySet<string> = new Set(['ds', 'ds_nodash', 'ts', 'ts_nodash', 'ts_nodash_with_tz']);

/** `value | name(…)`: Airflow's filters and those of Jinja2 whose result is certain. */
export function applyFilter(name: string, value: PythonValue, values: PythonArguments): PythonValue {
  if (name === 'default' || name === 'd') return defaulted(value, name, values);
  if (isObject(value) && value.kind === 'undefined') return refuse(`"${value.name}" is not defined`);
  if (timeFilters.has(name)) {
    none(name, values);
    if (isObject(value) && (value.kind === 'datetime' || value.kind === 'date')) return timeFilter(name, value);
    return refuse(`the filter "${name}" takes a time, not a ${typeName(value)}`);
  }
  switch (name) {
    case 'replace': {
      const bound = bind(name, values, ['old', 'new', 'count']);
      const count = (bound.get('count') ?? null) === null ? -1 : integerArgument(name, bound.get('count'));
      return replace(str(value), textArgument(name, bound.get('old')), textArgument(name, bound.get('new')), count);
    }
    case 'join': {
      const separator = orElse(bind(name, values, ['d']).get('d'), () => '');
      return join(str(separator), value, false);
    }
    case 'trim':
      return strip(str(value), 'both', bind(name, values, ['chars']).get('chars'));
    case 'format':
      if (values.keyword.size > 0) return refuse('the filter "format" with names');
      return percentFormat(str(value), { kind: 'tuple', items: values.positional });
    case 'int': {
      const fallback = orElse(bind(name, values, ['default']).get('default'), () => 0n);
      return orElse<PythonValue>(integerOf(value), () => fallback);
    }
    case 'map': {
      const inner = textArgument(name, bind(name, values, ['filter']).get('filter'));
      const bare = { positional: [], keyword: new Map() };
      return { kind: 'view', items: itemsOf(value).map((item) => applyFilter(inner, item, bare)) };
    }
  }
  none(name, values);
  switch (name) {
    case 'upper':
    case 'lower':
    case 'capitalize':
      return { upper, lower, capitalize }[name](str(value));
    case 'string':
      return str(value);
    case 'length':
    case 'count':
      return isObject(value) && value.kind === 'view' ? refuse('the length of a view') : BigInt(itemsOf(value).length);
    case 'first':
    case 'last': {
      if (isObject(value) && (value.kind === 'dict' || value.kind === 'view'))
        return refuse(`the ${name} item of a ${value.kind}`);
      return orElse(itemsOf(value).at(name === 'first' ? 0 : -1), () => refuse(`the ${name} item of an empty list`));
    }
    case 'list':
      return { kind: 'list', items: [...itemsOf(value)] };
    case 'reverse':
      return typeof value === 'string'
        ? [...value].reverse().join('')
        : { kind: 'view', items: [...sequence(value, name)].reverse() };
    case 'sort':
      return { kind: 'list', items: sorted(sequence(value, name)) };
    case 'unique':
      return { kind: 'view', items: unique(sequence(value, name)) };
    case 'min':
    case 'max':
      return orElse(sorted(sequence(value, name)).at(name === 'min' ? 0 : -1), () =>
        refuse(`the ${name} of an empty list`),
      );
    case 'sum':
      return sequence(value, name).reduce(
        (total: bigint, item) => total + (typeof item === 'bigint' ? item : refuse(`the sum of a ${typeName(item)}`)),
        0n,
      );
    case 'dictsort': {
      if (!isObject(value) || value.kind !== 'dict') return refuse('dictsort takes a mapping');
      const keys = sorted(
        [...value.entries.values()].map(([key]) =>
          typeof key === 'string' ? key : refuse('dictsort by other keys than texts'),
        ),
      );
      return {
        kind: 'list',
        items: keys.map((key) => ({ kind: 'tuple', items: [...(value.entries.get(`s${String(key)}`) ?? [])] })),
      };
    }
    case 'abs':
      if (typeof value === 'bigint') return value < 0n ? -value : value;
      return typeof value === 'number' ? Math.abs(value) : refuse(`the absolute value of a ${typeName(value)}`);
    case 'float':
      if (typeof value === 'bigint')
        return Number.isSafeInteger(Number(value)) ? Number(value) : refuse('a number that is too large to be exact');
      if (typeof value === 'number') return value;
      return typeof value === 'string' && /^[+-]?\d+(?:\.\d+)?$/.test(value)
        ? Number(value)
        : refuse(`the filter "float" of a ${typeName(value)}`);
    case 'tojson':
      return { kind: 'markup', text: htmlSafe(jsonText(value, true)) };
    default:
      return refuse(`the filter "${name}" is not supported`);
  }
}

const htmlSafe = (text: string): string =>
  text.replace(/[<>&']/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

function defaulted(value: PythonValue, name: string, values: PythonArguments): PythonValue {
  const bound = bind(name, values, ['default_value', 'boolean']);
  const missing = isObject(value) && value.kind === 'undefined';
  const falsy = !missing && truthy(bound.get('boolean') ?? false) && !truthy(value);
  return missing || falsy ? orElse(bound.get('default_value'), () => '') : value;
}

/** `undefined` where Python cannot make a whole number of the value, so that the default stands. */
function integerOf(value: PythonValue): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return BigInt(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? BigInt(Math.trunc(value)) : refuse('an infinite number as a whole number');
  if (typeof value !== 'string') return value === null ? undefined : refuse(`a ${typeName(value)} as a whole number`);
  const text = strip(value, 'both', null);
  if (/^[+-]?\d+$/.test(text)) return BigInt(text.replace(/^\+/, ''));
  if (/^[+-]?\d+\.\d*$/.test(text)) return BigInt(Math.trunc(Number(text)));
  return /^[^\d_+-][^\d_]*$/.test(text) && !/inf|nan/i.test(text)
    ? undefined
    : refuse('a text that is hardly a whole number');
}

function sequence(value: PythonValue, name: string): readonly PythonValue[] {
  return isObject(value) && (value.kind === 'list' || value.kind === 'tuple' || value.kind === 'view')
    ? value.items
    : refuse(`the filter "${name}" of a ${typeName(value)}`);
}

/** Jinja2 sorts texts without regard to case. */
function sorted(items: readonly PythonValue[]): PythonValue[] {
  return items
    .map((item) => [typeof item === 'string' ? lower(item) : item, item] as const)
    .sort(([a], [b]) => order(a, b))
    .map(([, item]) => item);
}

function unique(items: readonly PythonValue[]): readonly PythonValue[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key =
      typeof item === 'string'
        ? lower(item)
        : typeof item === 'bigint'
          ? item.toString()
          : refuse(`the filter "unique" of a ${typeName(item)}`);
    return !seen.has(`${typeof item}${key}`) && seen.add(`${typeof item}${key}`);
  });
}
