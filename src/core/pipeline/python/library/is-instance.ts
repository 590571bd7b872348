import type { ClassValue, Value } from '../values/value.ts';

/** Whether a value is one of a class, or of one of a tuple of classes; `undefined` where what is known does not say. */
export function isInstance(value: Value, kind: Value): boolean | undefined {
  if (kind.kind === 'list') return anyOf(kind.items, (one) => isInstance(value, one), kind.open);
  if (value.kind === 'unknown') {
    const [first, ...others] = value.options?.map((option) => isInstance(option, kind)) ?? [undefined];
    return others.every((other) => other === first) ? first : undefined;
  }
  if (kind.kind === 'class') {
    if (value.kind === 'object') return descends(value.class, kind, 0);
    return plain(value) === undefined ? undefined : false;
  }
  if (kind.kind !== 'external') return undefined;
  if (kind.name === 'builtins.object') return true;
  if (value.kind === 'object') return descends(value.class, kind, 0);
  const types = plain(value);
  if (types === undefined) return undefined;
  if (types.includes(kind.name)) return true;
  return exclusive.has(kind.name) ? false : undefined;
}

/** Types that a plain value is known to be of. Lists are left out: a set or what is iterated over is kept as one too. */
function plain(value: Value): readonly string[] | undefined {
  switch (value.kind) {
    case 'text':
      return ['builtins.str'];
    case 'dict':
      return ['builtins.dict'];
    case 'list':
      return value.tuple ? ['builtins.tuple'] : undefined;
    case 'scalar':
      if (value.value === null) return [];
      if (typeof value.value === 'boolean') return ['builtins.bool', 'builtins.int'];
      return [value.isFloat === true || !Number.isInteger(value.value) ? 'builtins.float' : 'builtins.int'];
    default:
      return undefined;
  }
}

/** Of these a plain value is none, unless it is listed as one. */
const exclusive: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'dict', 'list', 'tuple', 'set', 'frozenset', 'bytes'].map(
    (name) => `builtins.${name}`,
  ),
);

/** Bases from outside the workspace that add nothing to what an object is. */
const neutral = /^(?:builtins\.object|abc\.ABC|typing\.(?:Generic|Protocol)|typing_extensions\.Protocol)$/;

function descends(
  owner: ClassValue,
  kind: ClassValue | { readonly kind: 'external'; readonly name: string },
  depth: number,
): boolean | undefined {
  if (owner === kind) return true;
  if (depth > 10) return undefined;
  return anyOf(
    owner.bases,
    (base) => {
      if (base.kind === 'class') return descends(base, kind, depth + 1);
      if (base.kind !== 'external') return undefined;
      if (kind.kind === 'external') return base.name === kind.name ? true : neutral.test(base.name) ? false : undefined;
      // What stands outside the workspace builds on no class of it.
      return false;
    },
    false,
  );
}

function anyOf(all: readonly Value[], test: (one: Value) => boolean | undefined, isOpen: boolean): boolean | undefined {
  const answers = all.map(test);
  if (answers.includes(true)) return true;
  return isOpen || answers.includes(undefined) ? undefined : false;
}
