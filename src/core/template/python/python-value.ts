import type { ZoneName } from '../../time/zones/zone-name.ts';
import { refuse } from './refusal.ts';
import { type ClockReading, isoText, pad } from './strftime.ts';

/** The inside of a character class: Python's whitespace, which differs from JavaScript's in `\x1c-\x1f`, `\x85` and `\ufeff`. */
export const pythonWhitespace = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

/** A value as Python has it: `bigint` is `int`, `number` is `float`, `null` is `None`. */
export type PythonValue = string | bigint | number | boolean | null | PythonObject;

/** Arguments of a call, evaluated. */
export interface PythonArguments {
  readonly positional: readonly PythonValue[];
  readonly keyword: ReadonlyMap<string, PythonValue>;
}

export interface PythonDatetime {
  readonly kind: 'datetime';
  readonly reading: ClockReading;
  /** `undefined` for a naive datetime. */
  readonly zone: ZoneName | undefined;
  /** Pendulum's datetimes have methods that standard ones lack. */
  readonly pendulum: boolean;
}

export interface PythonDate {
  readonly kind: 'date';
  readonly dayNumber: number;
  readonly pendulum: boolean;
}

/** `relativedelta`: plural fields move, singular fields replace. */
export interface PythonRelativedelta {
  readonly kind: 'relativedelta';
  readonly months: number;
  readonly days: number;
  readonly ms: number;
  readonly fields: ReadonlyMap<string, number>;
}

export type PythonObject =
  | { readonly kind: 'list'; readonly items: PythonValue[] }
  | { readonly kind: 'tuple'; readonly items: readonly PythonValue[] }
  /** An iterable that does not print its items: `range(3)`, `d.items()`, `x | map(…)`. */
  | { readonly kind: 'view'; readonly items: readonly PythonValue[] }
  | { readonly kind: 'dict'; readonly entries: Map<string, readonly [PythonValue, PythonValue]> }
  | PythonDatetime
  | PythonDate
  | PythonRelativedelta
  | { readonly kind: 'timedelta'; readonly microseconds: bigint }
  /** The difference of two pendulum datetimes, start before end. */
  | { readonly kind: 'interval'; readonly ms: number }
  | { readonly kind: 'function'; readonly name: string; readonly call: (values: PythonArguments) => PythonValue }
  /** A name of the context with attributes of its own: `macros`, `var.value`, `dag`, `loop`. */
  | {
      readonly kind: 'module';
      readonly name: string;
      readonly member: (name: string) => PythonValue;
      readonly call?: (values: PythonArguments) => PythonValue;
    }
  | { readonly kind: 'namespace'; readonly members: Map<string, PythonValue> }
  /** Text that Jinja2 marks as safe HTML; whatever it is joined with would be escaped, so it can only be printed. */
  | { readonly kind: 'markup'; readonly text: string }
  /** `lenient`: the missing `else` of an inline `if`, which prints as nothing. Every other use is an error. */
  | { readonly kind: 'undefined'; readonly name: string; readonly lenient: boolean };

/** `value`, or the alternative where there is none: `null` is Python's None, so `??` would take it for missing. */
export const orElse = <T>(value: T | undefined, alternative: () => T): T =>
  value === undefined ? alternative() : value;

export const isObject = (value: PythonValue): value is PythonObject => typeof value === 'object' && value !== null;

/** The kind of a value, in Python's words. */
export function typeName(value: PythonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'object') return value.kind;
  return { string: 'str', bigint: 'int', number: 'float', boolean: 'bool' }[
    typeof value as 'string' | 'bigint' | 'number' | 'boolean'
  ];
}

/** A value that JSON or YAML can hold; whole numbers are integers. */
export function fromJson(value: unknown): PythonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint')
    return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return refuse('a number that is not finite');
    return Number.isSafeInteger(value)
      ? BigInt(value)
      : Number.isInteger(value)
        ? refuse('a whole number that is too large to be exact')
        : value;
  }
  if (Array.isArray(value)) return { kind: 'list', items: value.map(fromJson) };
  if (typeof value === 'object') return dictOf(Object.entries(value).map(([key, item]) => [key, fromJson(item)]));
  return refuse('a value that JSON does not know');
}

export const dictOf = (entries: readonly (readonly [PythonValue, PythonValue])[]): PythonObject => ({
  kind: 'dict',
  entries: new Map(entries.map(([key, value]) => [hashKey(key), [key, value]])),
});

/** Equal for keys that Python takes as one: 1, 1.0 and True. */
export function hashKey(key: PythonValue): string {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'bigint' || typeof key === 'number') return `n${key}`;
  if (typeof key === 'boolean') return key ? 'n1' : 'n0';
  return key === null ? 'none' : refuse(`a ${typeName(key)} as a key`);
}

/** What `{{ value }}` prints. */
export const printed = (value: PythonValue): string =>
  isObject(value) && value.kind === 'markup' ? value.text : str(value);

/** `str(value)`. */
export function str(value: PythonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return floatText(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  switch (value.kind) {
    case 'list':
    case 'tuple':
    case 'dict':
      return repr(value);
    case 'datetime':
      return isoText(value.reading, ' ');
    case 'date':
      return isoText({ wallMs: value.dayNumber * 86_400_000, microseconds: 0, offsetMs: undefined }, ' ').slice(0, 10);
    case 'timedelta':
      return timedeltaText(value.microseconds);
    case 'undefined':
      return value.lenient ? '' : refuse(`"${value.name}" is not defined`);
    default:
      return refuse(
        `a ${value.kind === 'module' || value.kind === 'function' ? value.name : value.kind} cannot be printed`,
      );
  }
}

/** `repr(value)`, as it stands inside printed lists. */
export function repr(value: PythonValue): string {
  if (typeof value === 'string') return quotedText(value);
  if (!isObject(value)) return str(value);
  switch (value.kind) {
    case 'list':
      return `[${value.items.map(repr).join(', ')}]`;
    case 'tuple':
      return value.items.length === 1 ? `(${value.items.map(repr).join()},)` : `(${value.items.map(repr).join(', ')})`;
    case 'dict':
      return `{${[...value.entries.values()].map(([key, item]) => `${repr(key)}: ${repr(item)}`).join(', ')}}`;
    default:
      return refuse(`a ${value.kind} inside a printed list`);
  }
}

function quotedText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let result = quote;
  for (const character of text) {
    if (character === quote || character === '\\') result += `\\${character}`;
    else if (character === '\n') result += '\\n';
    else if (character === '\r') result += '\\r';
    else if (character === '\t') result += '\\t';
    else if (/[\x20-\x7e]|[\p{L}\p{N}]/u.test(character)) result += character;
    else refuse('a special character inside a printed list');
  }
  return result + quote;
}

/** Python's shortest float text: an exponent from 1e16 and below 1e-4. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0.0';
  if (value === 0) return '0.0';
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) return `${digits}e${exponent < 0 ? '-' : '+'}${pad(Math.abs(exponent), 2)}`;
  const sign = value < 0 ? '-' : '';
  const figures = digits.replace(/[-.]/g, '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${figures}`;
  const whole = figures.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${figures.slice(exponent + 1) || '0'}`;
}

const dayMicroseconds = 86_400_000_000n;

/** Whole days, rounded down, and the microseconds of the day, as a timedelta keeps them. */
export function daysAndRest(microseconds: bigint): readonly [bigint, bigint] {
  const rest = ((microseconds % dayMicroseconds) + dayMicroseconds) % dayMicroseconds;
  return [(microseconds - rest) / dayMicroseconds, rest];
}

function timedeltaText(microseconds: bigint): string {
  const [days, rest] = daysAndRest(microseconds);
  const seconds = Number(rest / 1_000_000n);
  const fraction = Number(rest % 1_000_000n);
  const clock = `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`;
  const head = days === 0n ? '' : `${days} day${days === 1n || days === -1n ? '' : 's'}, `;
  return `${head}${clock}${fraction === 0 ? '' : `.${pad(fraction, 6)}`}`;
}

export function truthy(value: PythonValue): boolean {
  if (!isObject(value)) return value !== null && value !== '' && value !== 0n && value !== 0 && value !== false;
  switch (value.kind) {
    case 'list':
    case 'tuple':
      return value.items.length > 0;
    case 'dict':
      return value.entries.size > 0;
    case 'timedelta':
      return value.microseconds !== 0n;
    case 'datetime':
    case 'date':
      return true;
    case 'module':
      // Whether others have a length is not known of each.
      return value.name === 'dag_run' || refuse(`whether ${value.name} is true`);
    case 'undefined':
      return value.lenient ? false : refuse(`"${value.name}" is not defined`);
    default:
      return refuse(`whether a ${value.kind} is true`);
  }
}

/** The items that a loop goes through; strings by character. */
export function itemsOf(value: PythonValue): readonly PythonValue[] {
  if (typeof value === 'string') return [...value];
  if (!isObject(value)) return refuse(`a ${typeName(value)} cannot be looped over`);
  if (value.kind === 'list' || value.kind === 'tuple' || value.kind === 'view') return value.items;
  if (value.kind === 'dict') return [...value.entries.values()].map(([key]) => key);
  return refuse(
    value.kind === 'undefined' ? `"${value.name}" is not defined` : `a ${value.kind} cannot be looped over`,
  );
}
