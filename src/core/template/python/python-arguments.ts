import { type PythonArguments, type PythonValue, typeName } from './python-value.ts';
import { refuse } from './refusal.ts';

/** Arguments by the names of a signature; too many, unknown or doubled ones are refused. */
export function bind(
  called: string,
  values: PythonArguments,
  names: readonly string[],
): ReadonlyMap<string, PythonValue> {
  const bound = new Map<string, PythonValue>();
  if (values.positional.length > names.length)
    return refuse(`${called}() takes at most ${names.length} arguments here`);
  for (const [at, value] of values.positional.entries()) bound.set(names[at] ?? '', value);
  for (const [name, value] of values.keyword) {
    if (!names.includes(name) || bound.has(name)) return refuse(`${called}() has no argument "${name}" here`);
    bound.set(name, value);
  }
  return bound;
}

export const textArgument = (called: string, value: PythonValue | undefined): string =>
  typeof value === 'string'
    ? value
    : refuse(`${called}() needs a text, not a ${value === undefined ? 'missing value' : typeName(value)}`);

/** A whole number that JavaScript holds exactly. */
export function integerArgument(called: string, value: PythonValue | undefined): number {
  const number = typeof value === 'bigint' ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) return refuse(`${called}() needs a whole number`);
  return number;
}

/** No arguments at all. */
export const none = (called: string, values: PythonArguments): void => void bind(called, values, []);
