import { type Document, isDocument, isList, type Value } from './term.ts';

/** The types that a value can have here; a column of unknown type is tried with each. */
export type ValueType = 'number' | 'text' | 'boolean' | 'list' | 'document';

/** A function or operator whose result is known, up to what decides whether doing it twice is doing it once. */
export interface KnownFunction {
  /** Of every argument, the last one for all that follow; `any`: it takes several. */
  readonly takes: readonly (ValueType | 'any')[];
  readonly gives: ValueType | 'any';
  /** NULL in, NULL out, without a call. */
  readonly strict: boolean;
  /** `undefined`: the arguments are none that it takes. */
  readonly of: (...given: readonly Value[]) => Value | undefined;
}

type Given = readonly Value[];

export const typeOf = (value: Value): ValueType | undefined => {
  if (value === null) return undefined;
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return isList(value) ? 'list' : 'document';
};

export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  return typeof a === 'object' && typeof b === 'object' && keyOf(a) === keyOf(b);
}

const keyOf = (value: Value): string => JSON.stringify(value, (_, one) => (one instanceof Map ? [...one].sort() : one));

const known = new Map<string, KnownFunction>();

function define(
  names: string,
  takes: string,
  gives: KnownFunction['gives'],
  of: (...given: never[]) => Value | undefined,
  strict = true,
): void {
  const made: KnownFunction = {
    takes: takes.split(' ') as KnownFunction['takes'],
    gives,
    strict,
    of: of as KnownFunction['of'],
  };
  for (const name of names.split(' ')) known.set(name, made);
}

const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);
const whole = (...given: readonly number[]): boolean => given.every(Number.isInteger);
const scaled = (by: (value: number) => number) => (value: number, digits: number | undefined) => {
  const factor = 10 ** (digits ?? 0);
  return finite((by(Math.abs(value) * factor + 1e-9) / factor) * Math.sign(value));
};

define('+', 'number', 'number', (a: number, b: number) => finite(a + b));
define('-', 'any', 'any', (a: Value, b: Value) => {
  if (typeof a === 'number' && typeof b === 'number') return finite(a - b);
  if (isDocument(a) && typeof b === 'string') return { rest: a.rest, members: new Map([...a.members, [b, null]]) };
  return undefined;
});
define('*', 'number', 'number', (a: number, b: number) => finite(a * b));
define('/ div //', 'number', 'number', (a: number, b: number) => finite(a / b));
define('% mod', 'number', 'number', (a: number, b: number) => finite(a % b));
define('^ ** power pow', 'number', 'number', (a: number, b: number) => finite(a ** b));
define('<< shiftleft bitshiftleft', 'number', 'number', (a: number, b: number) =>
  whole(a, b) ? finite(a * 2 ** b) : undefined,
);
define('>> shiftright bitshiftright', 'number', 'number', (a: number, b: number) =>
  whole(a, b) ? Math.floor(a / 2 ** b) : undefined,
);
define('& bitand bit_and', 'number', 'number', (a: number, b: number) => (whole(a, b) ? a & b : undefined));
define('| bitor', 'number', 'number', (a: number, b: number) => (whole(a, b) ? a | b : undefined));
define('# bitxor xor', 'number', 'number', (a: number, b: number) => (whole(a, b) ? a ^ b : undefined));
define('unary- negate', 'number', 'number', (a: number) => -a);
define('unary~ bitnot', 'number', 'number', (a: number) => (whole(a) ? ~a : undefined));
define('unary@ abs', 'number', 'number', (a: number) => Math.abs(a));
define('round', 'number', 'number', scaled(Math.round));
define('trunc truncate', 'number', 'number', scaled(Math.floor));
define('floor', 'number', 'number', (a: number) => Math.floor(a));
define('ceil ceiling', 'number', 'number', (a: number) => Math.ceil(a));
define('sign', 'number', 'number', (a: number) => Math.sign(a));
define('sqrt', 'number', 'number', (a: number) => finite(Math.sqrt(a)));
define('exp', 'number', 'number', (a: number) => finite(Math.exp(a)));
define('ln log', 'number', 'number', (a: number) => finite(Math.log(a)));
define('count_of', 'any', 'number', (...given: Given) => given.length);
/** `1` for a column that adds months, days or seconds to a date. */
define('shift', 'number', 'number', (a: number, by: number) => finite(a + by));
define('add_months adddate date_add datetime_add timestamp_add', 'number', 'number', (a: number, b: number) =>
  finite(a + b),
);
define('subdate date_sub datetime_sub timestamp_sub', 'number', 'number', (a: number, b: number) => finite(a - b));
define('dateadd timestampadd timeadd', 'any number number', 'number', (_: Value, a: number, b: number) =>
  finite(a + b),
);

const days: Readonly<Record<string, number>> = {
  microseconds: 1e-9,
  milliseconds: 1e-8,
  second: 1 / 86_400,
  minute: 1 / 1440,
  hour: 1 / 24,
  day: 1,
  week: 7,
  month: 30,
  quarter: 90,
  year: 360,
};
const floored = (value: number, size: number): number => Math.floor(value / size + 1e-9) * size;
define('date_trunc datetime_trunc timestamp_trunc', 'any', 'number', (a: Value, b: Value) => {
  const [unit, value] = typeof a === 'string' ? [a, b] : [b, a];
  const size = typeof unit === 'string' ? days[unit.toLowerCase().replace(/s$/, '')] : undefined;
  return size !== undefined && typeof value === 'number' ? floored(value, size) : undefined;
});
define('to-day date', 'number', 'number', (a: number) => Math.floor(a + 1e-9));
define('last_day', 'number', 'number', (a: number) => floored(a, 30) + 29);
const within: Readonly<Record<string, readonly [size: number, of: number]>> = {
  dow: [1, 7],
  isodow: [1, 7],
  dayofweek: [1, 7],
  day: [1, 30],
  month: [30, 12],
  hour: [1 / 24, 24],
  minute: [1 / 1440, 60],
  doy: [1, 360],
};
define('date_part extract', 'any number', 'number', (unit: Value, value: number) => {
  const part = typeof unit === 'string' ? within[unit.toLowerCase()] : undefined;
  return part === undefined ? undefined : Math.floor(value / part[0] + 1e-9) % part[1];
});

define('upper ucase', 'text', 'text', (a: string) => a.toUpperCase());
define('lower lcase', 'text', 'text', (a: string) => a.toLowerCase());
define('initcap', 'text', 'text', (a: string) =>
  a.toLowerCase().replace(/(^|[^a-z0-9])([a-z])/g, (_, b: string, c: string) => b + c.toUpperCase()),
);
define('reverse', 'text', 'text', (a: string) => [...a].reverse().join(''));
define('length char_length character_length len', 'text', 'number', (a: string) => a.length);
define('normalize nfc unaccent to_text', 'text', 'text', (a: string) => a);
const strip = (start: boolean, end: boolean) => (a: string, b: string | undefined) => {
  const set = b ?? ' ';
  let [from, to] = [0, a.length];
  while (start && from < to && set.includes(a.charAt(from))) from++;
  while (end && to > from && set.includes(a.charAt(to - 1))) to--;
  return a.slice(from, to);
};
define('trim btrim', 'text', 'text', strip(true, true));
define('ltrim', 'text', 'text', strip(true, false));
define('rtrim', 'text', 'text', strip(false, true));
define('left', 'text number', 'text', (a: string, n: number) => a.slice(0, n < 0 ? Math.max(0, a.length + n) : n));
define('right', 'text number', 'text', (a: string, n: number) => (n < 0 ? a.slice(-n) : n === 0 ? '' : a.slice(-n)));
define('substr substring mid', 'text number', 'text', (a: string, from: number, length: number | undefined) => {
  const end = length === undefined ? a.length : from - 1 + length;
  return a.slice(Math.max(0, from - 1), Math.max(0, end));
});
define('replace', 'text', 'text', (a: string, b: string, c: string) => (b === '' ? a : a.split(b).join(c)));
define('translate', 'text', 'text', (a: string, b: string, c: string) =>
  [...a].map((one) => (b.includes(one) ? c.charAt(b.indexOf(one)) : one)).join(''),
);
const padded = (start: boolean) => (a: string, n: number, b: string | undefined) => {
  if (a.length >= n) return a.slice(0, Math.max(0, n));
  const fill = (b ?? ' ').repeat(Math.min(200, n)).slice(0, n - a.length);
  return start ? fill + a : a + fill;
};
define('lpad', 'text number text', 'text', padded(true));
define('rpad', 'text number text', 'text', padded(false));
define('repeat', 'text number', 'text', (a: string, n: number) => (n > 50 ? undefined : a.repeat(Math.max(0, n))));
define('split_part', 'text text number', 'text', (a: string, b: string, n: number) =>
  b === '' || n < 1 ? undefined : (a.split(b)[n - 1] ?? ''),
);
define('strpos', 'text', 'number', (a: string, b: string) => a.indexOf(b) + 1);
define('starts_with startswith', 'text', 'boolean', (a: string, b: string) => a.startsWith(b));
define('quote_literal', 'text', 'text', (a: string) => `'${a.replaceAll("'", "''")}'`);
/** As unlike the text as a hash of it: 32 digits. */
function scrambled(text: string): string {
  let state = 2_166_136_261;
  for (const letter of text) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  let digits = '';
  while (digits.length < 32) {
    state = Math.imul(state ^ (state >>> 13), 1_540_483_477);
    digits += (state >>> 0).toString(16).padStart(8, '0');
  }
  return digits;
}
/** A hash and an encoding of a text is never that text again. */
const mixed =
  'md5 sha sha1 sha2 sha224 sha256 sha384 sha512 hashtext hashtextextended crc32 farm_fingerprint xxhash64 murmur_hash hash hex to_hex encode base64 to_base64 crypt digest hmac soundex_of ascii url_encode uuid_generate_v5';
for (const name of mixed.split(' '))
  define(name, 'any', 'any', (...given: Given) => scrambled(`${name} ${keyOf(given)}`));
define('concat', 'any', 'text', (...given: Given) => given.map(asText).join(''), false);
define(
  'concat_ws',
  'any',
  'text',
  (by: Value, ...given: Given) =>
    given
      .filter((one) => one !== null)
      .map(asText)
      .join(asText(by)),
  false,
);
define('like', 'text', 'boolean', (a: string, b: string) => isLike(a, b));
define('ilike', 'text', 'boolean', (a: string, b: string) => isLike(a.toLowerCase(), b.toLowerCase()));
define('regexp_replace', 'text', 'text', (a: string, pattern: string, by: string, flags: string | undefined) => {
  const plain = oneClass(pattern);
  if (plain === undefined || /[\\$]/.test(by)) return undefined;
  const all = flags === undefined ? '' : flags.replace(/[^gi]/g, '');
  return a.replace(new RegExp(plain, all), () => by);
});
define('~ regexp rlike regexp_like', 'text', 'boolean', (a: string, pattern: string) => {
  const plain = oneClass(pattern);
  return plain === undefined ? undefined : new RegExp(plain).test(a);
});

/** A pattern of one class of characters, once or many times: what else there is only the database knows. */
export const oneClass = (pattern: string): string | undefined =>
  /^\^?(?:\[\^?(?:[\w\s.,;:/#@!'"-]|\\[swdSWD])+\]|\\[swdSWD]|[ \w])[+*]?\$?$/.test(pattern) ? pattern : undefined;

const asText = (value: Value): string =>
  value === null ? '' : typeof value === 'object' ? keyOf(value) : String(value);

/** `%` and `_`; places in the pattern after each letter, so that no pattern takes long. */
function isLike(text: string, pattern: string): boolean {
  let at = new Set(closed(pattern, [0]));
  for (const letter of text) {
    const next = [...at].flatMap((place) => {
      const sign = pattern.charAt(place);
      if (sign === '%') return [place];
      return sign === '_' || (sign === letter && sign !== '') ? [place + 1] : [];
    });
    at = new Set(closed(pattern, next));
  }
  return at.has(pattern.length);
}

const closed = (pattern: string, places: readonly number[]): readonly number[] =>
  places.flatMap((place) => (pattern.charAt(place) === '%' ? [place, ...closed(pattern, [place + 1])] : [place]));

define('coalesce ifnull nvl', 'any', 'any', (...given: Given) => given.find((one) => one !== null) ?? null, false);
define('isnull', 'any', 'any', (a: Value, b: Value | undefined) => (b === undefined ? a === null : (a ?? b)), false);
define('zeroifnull', 'number', 'number', (a: Value) => a ?? 0, false);
define('nullif', 'any', 'any', (a: Value, b: Value) => (b !== null && a !== null && sameValue(a, b) ? null : a), false);
const extreme =
  (sign: number) =>
  (...given: Given) => {
    const there = given.filter((one) => one !== null);
    const [first] = there;
    if (first === undefined) return null;
    if (there.some((one) => typeOf(one) !== typeOf(first))) return undefined;
    return there.reduce((best, one) => (compare(one, best) * sign > 0 ? one : best));
  };
define('greatest max_of', 'any', 'any', extreme(1), false);
define('least min_of', 'any', 'any', extreme(-1), false);

/** Order of two values of one type. */
export function compare(a: Value, b: Value): number {
  if (sameValue(a, b)) return 0;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : 1;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
const compared = (names: string, holds: (order: number) => boolean): void =>
  define(names, 'any', 'boolean', (a: Value, b: Value) => (typeOf(a) === typeOf(b) ? holds(compare(a, b)) : undefined));
compared('= ==', (order) => order === 0);
compared('<> !=', (order) => order !== 0);
compared('<', (order) => order < 0);
compared('<=', (order) => order <= 0);
compared('>', (order) => order > 0);
compared('>=', (order) => order >= 0);
define(
  'is-distinct-from',
  'any',
  'boolean',
  (a: Value, b: Value) => !(a === null || b === null ? a === b : sameValue(a, b)),
  false,
);
define(
  'is-not-distinct-from <=>',
  'any',
  'boolean',
  (a: Value, b: Value) => (a === null || b === null ? a === b : sameValue(a, b)),
  false,
);
define(
  'and',
  'boolean',
  'boolean',
  (...given: Given) => (given.includes(false) ? false : given.includes(null) ? null : true),
  false,
);
define(
  'or',
  'boolean',
  'boolean',
  (...given: Given) => (given.includes(true) ? true : given.includes(null) ? null : false),
  false,
);
define('unarynot', 'boolean', 'boolean', (a: boolean) => !a);
define('is-null', 'any', 'boolean', (a: Value) => a === null, false);
define('is-not-null', 'any', 'boolean', (a: Value) => a !== null, false);
define('is-true', 'boolean', 'boolean', (a: Value) => a === true, false);
define('is-not-true', 'boolean', 'boolean', (a: Value) => a !== true, false);
define('is-false', 'boolean', 'boolean', (a: Value) => a === false, false);
define('is-not-false', 'boolean', 'boolean', (a: Value) => a !== false, false);
/** WHEN, THEN, WHEN, THEN, ELSE. */
define(
  'case',
  'any',
  'any',
  (...given: Given) => {
    for (let at = 0; at + 1 < given.length; at += 2) if (given[at] === true) return given[at + 1];
    return given.length % 2 === 1 ? given[given.length - 1] : null;
  },
  false,
);
define('if iff', 'boolean any any', 'any', (a: Value, b: Value, c: Value) => (a === true ? b : c), false);

define('list', 'any', 'list', (...given: Given) => given, false);
const items = (value: Value): readonly Value[] => (isList(value) ? value : [value]);
define(
  'array_append array_push arraypushback list_append',
  'list any',
  'list',
  (a: readonly Value[] | null, b: Value) => [...(a ?? []), b],
  false,
);
define(
  'array_prepend list_prepend',
  'any list',
  'list',
  (a: Value, b: readonly Value[] | null) => [a, ...(b ?? [])],
  false,
);
define('array_cat array_concat list_concat list_cat arrayconcat', 'list', 'list', (...given: (readonly Value[])[]) =>
  given.flat(),
);
define('array_remove list_remove', 'list any', 'list', (a: readonly Value[], b: Value) =>
  a.filter((one) => !sameValue(one, b)),
);
define('array_distinct list_distinct array_uniq array_unique', 'list', 'list', (a: readonly Value[]) => unique(a));
define('array_union set_union', 'list', 'list', (a: readonly Value[], b: readonly Value[]) => unique([...a, ...b]));
define('array_sort list_sort sort', 'list', 'list', (a: readonly Value[]) => [...a].sort(compare));
define('cardinality array_length array_size', 'list', 'number', (a: readonly Value[]) => a.length);
const unique = (values: readonly Value[]): readonly Value[] => [
  ...new Map(values.map((one) => [keyOf(one), one])).values(),
];

define('||', 'any', 'any', (a: Value, b: Value) => {
  if (isDocument(a) || isDocument(b)) return isDocument(a) && isDocument(b) ? merged(a, b) : undefined;
  if (isList(a) || isList(b)) return [...items(a), ...items(b)];
  return typeof a === 'string' || typeof b === 'string' ? asText(a) + asText(b) : undefined;
});
const merged = (a: Document, b: Document): Document => ({
  rest: a.rest,
  members: new Map([...a.members, ...b.members]),
});
/** A document, then paths and values by turns. */
define('set-members-of', 'document', 'document', merged);
define(
  'set-members',
  'any',
  'document',
  (a: Value, ...pairs: Given) => {
    const made = new Map(isDocument(a) ? a.members : []);
    for (let at = 0; at + 1 < pairs.length; at += 2) made.set(String(pairs[at]), pairs[at + 1] ?? null);
    return a === null || isDocument(a) ? { rest: isDocument(a) ? a.rest : null, members: made } : undefined;
  },
  false,
);
define('member', 'document any', 'any', (a: Document, path: Value) =>
  a.members.has(String(path)) ? a.members.get(String(path)) : a.rest,
);

export const knownFunction = (name: string): KnownFunction | undefined => known.get(name.replaceAll(' ', '-'));
