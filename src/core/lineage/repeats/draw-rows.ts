import { evaluateTerm, type Surroundings } from './evaluate-term.ts';
import { knownFunction, sameValue, type ValueType } from './known-functions.ts';
import { type Term, termsIn, type Value } from './term.ts';

const numbers: readonly Value[] = [0, 1, 2, 3, 5, 7, 10, 12, 100, -1, -4, 2.5, 0.25, 31];
const texts: readonly Value[] = [
  '',
  'a',
  'b',
  'Ab',
  'aaa',
  ' x y ',
  'zz top',
  '  lead',
  'end  ',
  'B-12',
  'a,b',
  'x y z a b',
];
const lists: readonly Value[] = [[], ['a'], ['b', 'a'], [1], [2, 1, 1]];

/** Draws rows that are made up: old values and fixed ones that fit where they are used, the ones often that a condition compares them with. */
export function rowDrawer(
  terms: readonly Term[],
  conditions: readonly Term[],
  optional: readonly Term[],
): () => Surroundings {
  const all = terms.flatMap(termsIn);
  const types = typesOf(all);
  const alikes = alikesOf(all);
  const literals = all.flatMap((one) => (one.kind === 'value' ? [one.value] : []));
  const pools: Readonly<Record<ValueType, readonly Value[]>> = {
    number: [...numbers, ...literals.flatMap((one) => (typeof one === 'number' ? [one, one + 1, one - 1] : []))],
    text: [
      ...texts,
      ...literals.flatMap((one) =>
        typeof one === 'string' ? [one, `${one}${one}`, `x${one}y`, one.toUpperCase(), one.replace(/[%_]/g, '')] : [],
      ),
    ],
    boolean: [true, false],
    list: lists,
    document: [1, 3, 'a', ['b']].map((rest) => ({ rest, members: new Map() })),
  };
  const random = generator();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  // Letters of what the terms speak of, put together anyhow: what one function leaves may be what the next one takes.
  const letters = [...new Set([...' aAbx-1', ...literals.flatMap((one) => (typeof one === 'string' ? [...one] : []))])];
  const anyText = (): string => Array.from({ length: Math.floor(random() * 8) }, () => pick(letters)).join('');
  // Nobody has said of which type they are: in one row those that are compared are of one.
  let tried = new Map<string, ValueType>();
  const typeFor = (key: string): ValueType => {
    const known = types.get(key);
    if (known !== undefined) return pick(known);
    const group = alikes.get(key) ?? key;
    const type = tried.get(group) ?? pick(everyType);
    tried.set(group, type);
    return type;
  };
  const value = (key: string): Value => {
    if (random() < 0.04) return null;
    const type = typeFor(key);
    if (type === 'text' && random() < 0.4) return anyText();
    return type === 'number' && random() < 0.4 ? Math.round(random() * 1200 - 600) / 4 : pick(pools[type]);
  };
  const own = [...new Set(all.flatMap((one) => (one.kind === 'own' ? [one.column] : [])))];
  const fixed = new Map(all.flatMap((one) => (one.kind === 'fixed' ? [[one.name, one] as const] : [])));
  const hints = conditions.flatMap(hintsIn);
  const others = optional.flatMap(hintsIn);
  return () => {
    tried = new Map();
    const given: Value[] = [];
    const drawnFixed = new Map<string, Value>();
    for (const [name, { isGiven }] of fixed) {
      let drawn = value(`fixed ${name}`);
      // Texts that a template fills differ where they are written differently.
      for (
        let tries = 0;
        isGiven && tries < 20 && (drawn === null || given.some((one) => sameValue(one, drawn)));
        tries++
      )
        drawn = value(`fixed ${name}`);
      // Days are whole.
      if (isGiven && typeof drawn === 'number') drawn = Math.floor(drawn) + given.length * 1000;
      if (isGiven) given.push(drawn);
      drawnFixed.set(name, drawn);
    }
    const drawnOwn = new Map<string, Value>(own.map((column) => [column, value(`own ${column}`)]));
    const asked = random() < 0.5 ? hints : [...hints, ...others];
    for (const { of, operator, other } of asked) {
      if (operator !== '=' && random() < 0.3) continue;
      const found = evaluateTerm(other, { fixed: drawnFixed, own: drawnOwn });
      if (typeof found === 'string') continue;
      const by = pick([0, 1, 1, 3, 20, 200]);
      const shift = operator.startsWith('<') ? -by : operator.startsWith('>') ? by : 0;
      const drawn = typeof found.value === 'number' ? found.value + shift : found.value;
      if (of.kind === 'own') drawnOwn.set(of.column, drawn);
      else drawnFixed.set(of.name, drawn);
    }
    return { own: drawnOwn, fixed: drawnFixed };
  };
}

interface Hint {
  readonly of: Extract<Term, { readonly kind: 'own' | 'fixed' }>;
  readonly operator: string;
  readonly other: Term;
}

/** What an old value, or a fixed one that no template gives, is compared with. */
function hintsIn(condition: Term): readonly Hint[] {
  if (condition.kind !== 'apply') return [];
  if (condition.name === 'and') return condition.arguments.flatMap(hintsIn);
  const [left, right] = condition.arguments;
  if (left === undefined || right === undefined || !/^[<>=!]+$/.test(condition.name)) return [];
  const mirrored = condition.name.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'));
  if (left.kind === 'own') return [{ of: left, operator: condition.name, other: right }];
  if (right.kind === 'own') return [{ of: right, operator: mirrored, other: left }];
  if (left.kind === 'fixed' && !left.isGiven) return [{ of: left, operator: condition.name, other: right }];
  return right.kind === 'fixed' && !right.isGiven ? [{ of: right, operator: mirrored, other: left }] : [];
}

const everyType: readonly ValueType[] = ['number', 'text', 'boolean', 'list', 'document'];

const key = (term: Term): string | undefined =>
  term.kind === 'own' ? `own ${term.column}` : term.kind === 'fixed' ? `fixed ${term.name}` : undefined;

/** Old and fixed values that are compared with each other or stand for each other, each under one name for all of them. */
function alikesOf(all: readonly Term[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const term of all) {
    if (term.kind !== 'apply' || !(alike.test(term.name) || comparing.test(term.name))) continue;
    const names = branches(term).flatMap((one) => key(one) ?? []);
    const groups = new Set(names.map((name) => found.get(name) ?? name));
    const [first] = groups;
    if (first === undefined || groups.size < 2) continue;
    for (const [name, group] of found) if (groups.has(group)) found.set(name, first);
    for (const name of [...names, ...groups]) found.set(name, first);
  }
  return found;
}

/** Which types each old or fixed value may have, by where it is used. */
function typesOf(all: readonly Term[]): ReadonlyMap<string, readonly ValueType[]> {
  const found = new Map<string, ValueType>();
  const given = (term: Term): ValueType | undefined => {
    const name = key(term);
    if (name !== undefined) return found.get(name);
    if (term.kind === 'value') return typeOfValue(term.value);
    const gives = term.kind === 'apply' ? knownFunction(term.name)?.gives : undefined;
    if (gives !== 'any') return gives;
    return term.kind === 'apply' && alike.test(term.name) ? firstOf(branches(term).map(given)) : undefined;
  };
  const expect = (term: Term, type: ValueType): void => {
    const name = key(term);
    if (name !== undefined && !found.has(name)) found.set(name, type);
    if (term.kind === 'apply' && alike.test(term.name)) for (const one of branches(term)) expect(one, type);
  };
  for (let round = 0; round < 3; round++) {
    for (const term of all) {
      if (term.kind !== 'apply') continue;
      const known = knownFunction(term.name);
      for (const [index, argument] of term.arguments.entries()) {
        const takes = known?.takes[Math.min(index, known.takes.length - 1)] ?? 'any';
        if (takes !== 'any') expect(argument, takes);
        if (term.name === 'case' && index % 2 === 0 && index < term.arguments.length - 1) expect(argument, 'boolean');
      }
      if (alike.test(term.name) || comparing.test(term.name)) {
        const parts = branches(term);
        const type = firstOf(parts.map(given));
        if (type !== undefined) for (const one of parts) expect(one, type);
      }
      if (term.name === '||') {
        const type = firstOf(term.arguments.map(given));
        if (type === 'text' || type === 'number') for (const one of term.arguments) expect(one, 'text');
      }
      if (term.name === '-') {
        const type = firstOf(term.arguments.map(given));
        if (type === 'number') for (const one of term.arguments) expect(one, type);
      }
    }
  }
  return new Map([...found].map(([name, type]) => [name, [type]]));
}

/** Of one type with all of their arguments. */
const alike = /^(\|\||coalesce|ifnull|nvl|greatest|least|nullif|case|if|iff)$/;
const comparing = /^([<>=!]+|is (not )?distinct from)$/;

const branches = (term: Term & { readonly kind: 'apply' }): readonly Term[] => {
  if (term.name === 'if' || term.name === 'iff') return term.arguments.slice(1);
  if (term.name !== 'case') return term.arguments;
  return term.arguments.filter((_, index) => index % 2 === 1 || index === term.arguments.length - 1);
};

const firstOf = <T>(values: readonly (T | undefined)[]): T | undefined => values.find((one) => one !== undefined);

const typeOfValue = (value: Value): ValueType | undefined =>
  value === null
    ? undefined
    : typeof value === 'number'
      ? 'number'
      : typeof value === 'string'
        ? 'text'
        : typeof value === 'boolean'
          ? 'boolean'
          : undefined;

/** Numbers from 0 to below 1, the same on every call (mulberry32). */
export function generator(): () => number {
  let state = 20_240_310;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
