import { oncePer } from '../../pipeline/workspace/memo.ts';

/** A value of SQL as far as it matters for what comes of it the second time. Days stand for dates and times. */
export type Value = null | boolean | number | string | readonly Value[] | Document;

/** A JSON document: the members that were set, by path, over those that it had, which are all of one value. */
export interface Document {
  readonly rest: Value;
  readonly members: ReadonlyMap<string, Value>;
}

/** What a column gets, as a function of the row that is written and of all else, which two runs find the same. */
export type Term =
  /** The old value of a column of the very row. */
  | { readonly kind: 'own'; readonly column: string }
  /** The same in both runs. Two that a template fills (`isGiven`) with different texts are different values. */
  | { readonly kind: 'fixed'; readonly name: string; readonly isGiven: boolean }
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'apply'; readonly name: string; readonly arguments: readonly Term[] }
  /** Made of its arguments in a way that is not known. With a `source`, its text, it rests on nothing else of the table. */
  | { readonly kind: 'open'; readonly what: string; readonly arguments: readonly Term[]; readonly source?: string };

export const apply = (name: string, ...given: readonly Term[]): Term => ({ kind: 'apply', name, arguments: given });

export const valueTerm = (value: Value): Term => ({ kind: 'value', value });

/** The term and everything below it. */
export function termsIn(term: Term): readonly Term[] {
  const found: Term[] = [];
  const add = (one: Term): void => {
    found.push(one);
    for (const given of argumentsOf(one)) add(given);
  };
  add(term);
  return found;
}

const argumentsOf = (term: Term): readonly Term[] =>
  term.kind === 'apply' || term.kind === 'open' ? term.arguments : [];

const none: ReadonlySet<string> = new Set();

/** The columns of the row whose old values decide a term. Asked of each part of a term as it is put together. */
export const ownColumns = oncePer((term: Term): ReadonlySet<string> => {
  if (term.kind === 'own') return new Set([term.column]);
  const [first = none, ...rest] = argumentsOf(term)
    .map(ownColumns)
    .filter(({ size }) => size > 0);
  return rest.length === 0 ? first : new Set([first, ...rest].flatMap((columns) => [...columns]));
});

export const isDocument = (value: Value): value is Document =>
  typeof value === 'object' && value !== null && 'members' in value;

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
