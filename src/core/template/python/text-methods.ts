import { bind, integerArgument, none, textArgument } from './python-arguments.ts';
import { braceFormat, join } from './python-format.ts';
import { isObject, orElse, type PythonArguments, type PythonValue, pythonWhitespace } from './python-value.ts';
import { refuse } from './refusal.ts';

/** Case rules of other letters than ASCII differ between versions of Unicode. */
const ascii = (text: string): string =>
  /^\p{ASCII}*$/u.test(text) ? text : refuse('upper and lower case beyond ASCII');
export const upper = (text: string): string => ascii(text).toUpperCase();
export const lower = (text: string): string => ascii(text).toLowerCase();
export const capitalize = (text: string): string => upper(text.slice(0, 1)) + lower(text.slice(1));

const whitespace = `[${pythonWhitespace}]`;
const leading = new RegExp(`^${whitespace}+`);
const trailing = new RegExp(`${whitespace}+$`);
export const trimStart = (text: string): string => text.replace(leading, '');
export const trimEnd = (text: string): string => text.replace(trailing, '');

/** `strip`, `lstrip` and `rstrip`, with the characters to take away or whitespace. */
export function strip(text: string, sides: 'both' | 'left' | 'right', characters: PythonValue | undefined): string {
  if (characters === undefined || characters === null) {
    const left = sides === 'right' ? text : trimStart(text);
    return sides === 'left' ? left : trimEnd(left);
  }
  const set = new Set(textArgument('strip', characters));
  const list = [...text];
  let from = 0;
  let to = list.length;
  if (sides !== 'right') while (from < to && set.has(list[from] ?? '')) from++;
  if (sides !== 'left') while (to > from && set.has(list[to - 1] ?? '')) to--;
  return list.slice(from, to).join('');
}

/** Replaces the first `count` occurrences, or all; an empty text to replace is refused. */
export function replace(text: string, old: string, replacement: string, count: number): string {
  if (old === '') return refuse('replace() of an empty text');
  const parts = text.split(old);
  if (count < 0 || count >= parts.length - 1) return parts.join(replacement);
  return (
    parts.slice(0, count + 1).join(replacement) +
    (count < parts.length - 1 ? old : '') +
    parts.slice(count + 1).join(old)
  );
}

function split(text: string, name: 'split' | 'rsplit', values: PythonArguments): PythonValue {
  const bound = bind(name, values, ['sep', 'maxsplit']);
  const separator = bound.get('sep') ?? null;
  const most = bound.has('maxsplit') ? integerArgument(name, bound.get('maxsplit')) : -1;
  if (separator === null) {
    if (most >= 0) return refuse(`${name}() at whitespace with a limit`);
    const trimmed = strip(text, 'both', null);
    return { kind: 'list', items: trimmed === '' ? [] : trimmed.split(new RegExp(`${whitespace}+`)) };
  }
  const mark = textArgument(name, separator);
  if (mark === '') return refuse(`${name}() at an empty text`);
  const parts = text.split(mark);
  if (most < 0 || most >= parts.length - 1) return { kind: 'list', items: parts };
  const items =
    name === 'split'
      ? [...parts.slice(0, most), parts.slice(most).join(mark)]
      : [parts.slice(0, parts.length - most).join(mark), ...parts.slice(parts.length - most)];
  return { kind: 'list', items };
}

function affixes(name: string, values: PythonArguments): readonly string[] {
  const value = bind(name, values, ['prefix']).get('prefix');
  if (value !== undefined && isObject(value) && value.kind === 'tuple')
    return value.items.map((item) => textArgument(name, item));
  return [textArgument(name, value)];
}

function padded(text: string, name: 'ljust' | 'rjust' | 'zfill', values: PythonArguments): string {
  const bound = bind(name, values, name === 'zfill' ? ['width'] : ['width', 'fillchar']);
  const missing = Math.max(0, integerArgument(name, bound.get('width')) - [...text].length);
  if (missing > 10_000) return refuse(`${name}() to more than 10,000 characters`);
  if (name === 'zfill') {
    const sign = /^[+-]/.exec(text)?.[0] ?? '';
    return sign + '0'.repeat(missing) + text.slice(sign.length);
  }
  const filling = orElse(bound.get('fillchar'), () => ' ');
  if (typeof filling !== 'string' || [...filling].length !== 1)
    return refuse(`${name}() with a filling that is not one character`);
  return name === 'ljust' ? text + filling.repeat(missing) : filling.repeat(missing) + text;
}

/** A call of a method of a text. */
export function callText(text: string, name: string, values: PythonArguments): PythonValue {
  const only = (): string => textArgument(name, bind(name, values, ['value']).get('value'));
  switch (name) {
    case 'replace': {
      const bound = bind(name, values, ['old', 'new', 'count']);
      const count = bound.has('count') ? integerArgument(name, bound.get('count')) : -1;
      return replace(text, textArgument(name, bound.get('old')), textArgument(name, bound.get('new')), count);
    }
    case 'upper':
    case 'lower':
    case 'capitalize':
      none(name, values);
      return { upper, lower, capitalize }[name](text);
    case 'strip':
    case 'lstrip':
    case 'rstrip':
      return strip(
        text,
        name === 'strip' ? 'both' : name === 'lstrip' ? 'left' : 'right',
        bind(name, values, ['chars']).get('chars'),
      );
    case 'split':
    case 'rsplit':
      return split(text, name, values);
    case 'join':
      return join(text, bind(name, values, ['iterable']).get('iterable') ?? refuse('join() of nothing'), true);
    case 'format':
      return braceFormat(text, values);
    case 'startswith':
      return affixes(name, values).some((prefix) => text.startsWith(prefix));
    case 'endswith':
      return affixes(name, values).some((suffix) => text.endsWith(suffix));
    case 'removeprefix': {
      const prefix = only();
      return text.startsWith(prefix) ? text.slice(prefix.length) : text;
    }
    case 'removesuffix': {
      const suffix = only();
      return suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
    }
    case 'find': {
      const at = text.indexOf(only());
      return BigInt(at < 0 ? -1 : [...text.slice(0, at)].length);
    }
    case 'count': {
      const part = only();
      return part === '' ? refuse('count() of an empty text') : BigInt(text.split(part).length - 1);
    }
    case 'zfill':
    case 'ljust':
    case 'rjust':
      return padded(text, name, values);
    default:
      return refuse(`the method "${name}" of a text is not supported`);
  }
}
