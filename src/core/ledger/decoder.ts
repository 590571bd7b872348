/**
 * Strict readers of stored JSON. A decoder takes a parsed value and the path to it, and throws {@link DecodeError}
 * with that path for anything that is not exactly as expected: a run must never go on from half-understood data.
 */
export type Decoder<T> = (value: unknown, path: string) => T;

export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

const fail = (path: string, expected: string, value: unknown): never => {
  const shown = JSON.stringify(value);
  throw new DecodeError(
    `${path || 'document'}: expected ${expected}, found ${shown === undefined ? 'nothing' : shown.slice(0, 60)}`,
  );
};

export const text: Decoder<string> = (value, path) => (typeof value === 'string' ? value : fail(path, 'a text', value));

export const flag: Decoder<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : fail(path, 'true or false', value);

export const count: Decoder<number> = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : fail(path, 'a whole number', value);

export const finite: Decoder<number> = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) ? value : fail(path, 'a number', value);

export function oneOf<const T extends string>(...allowed: readonly T[]): Decoder<T> {
  return (value, path) => allowed.find((word) => word === value) ?? fail(path, `one of ${allowed.join(', ')}`, value);
}

/** JSON has no `undefined`: a missing member is one. */
export const optional =
  <T>(inner: Decoder<T>): Decoder<T | undefined> =>
  (value, path) =>
    value === undefined ? undefined : inner(value, path);

export const list =
  <T>(inner: Decoder<T>): Decoder<readonly T[]> =>
  (value, path) =>
    Array.isArray(value) ? value.map((item, index) => inner(item, `${path}[${index}]`)) : fail(path, 'a list', value);

/** Every member by its own decoder; members that nobody knows are refused, optional ones that are missing stay so. */
export function record<T extends object>(members: { readonly [K in keyof T]-?: Decoder<T[K]> }): Decoder<T> {
  const names = Object.keys(members) as (keyof T & string)[];
  return (value, path) => {
    const source = objectAt(value, path);
    for (const name of Object.keys(source)) {
      if (!Object.hasOwn(members, name)) fail(member(path, name), 'no such member', source[name]);
    }
    const result: Partial<T> = {};
    for (const name of names) {
      const decoded = members[name](source[name], member(path, name));
      if (decoded !== undefined) result[name] = decoded;
    }
    return result as T;
  };
}

/** An object used as a map. */
export const mapOf =
  <T>(inner: Decoder<T>): Decoder<Readonly<Record<string, T>>> =>
  (value, path) =>
    Object.fromEntries(
      Object.entries(objectAt(value, path)).map(([name, item]) => [name, inner(item, member(path, name))]),
    );

/** `[[key, value], …]`, as {@link Map}s are stored. */
export const entries =
  <T>(inner: Decoder<T>): Decoder<ReadonlyMap<string, T>> =>
  (value, path) =>
    new Map(
      list((item, at) =>
        Array.isArray(item) && item.length === 2
          ? ([text(item[0], `${at}[0]`), inner(item[1], `${at}[1]`)] as const)
          : fail(at, 'a pair', item),
      )(value, path),
    );

/** A union told apart by its `kind`. */
export function byKind<T extends { readonly kind: string }>(
  variants: {
    readonly [K in T['kind']]: Decoder<Extract<T, { kind: K }>>;
  },
): Decoder<T> {
  const kind = oneOf(...(Object.keys(variants) as T['kind'][]));
  return (value, path) => variants[kind(objectAt(value, path).kind, member(path, 'kind'))](value, path) as T;
}

const member = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function objectAt(value: unknown, path: string): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : fail(path, 'an object', value);
}
