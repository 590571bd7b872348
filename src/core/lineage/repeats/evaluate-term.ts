import { knownFunction, typeOf } from './known-functions.ts';
import type { Term, Value } from './term.ts';

/** A row and what is around it: what the old values and all that is fixed are. */
export interface Surroundings {
  readonly own: ReadonlyMap<string, Value>;
  readonly fixed: ReadonlyMap<string, Value>;
}

/** `'unfit'`: a value of a type that is not taken there. `'open'`: what comes out is not known. */
export type Evaluated = { readonly value: Value } | 'unfit' | 'open';

/** What comes behind the first that is there decides nothing. */
const firstThatIs = /^(?:coalesce|ifnull|nvl)$/;

/** What a term is in these surroundings. */
export function evaluateTerm(term: Term, around: Surroundings): Evaluated {
  switch (term.kind) {
    case 'value':
      return { value: term.value };
    case 'own':
      return { value: around.own.get(term.column) ?? null };
    case 'fixed':
      return { value: around.fixed.get(term.name) ?? null };
    case 'open':
      return 'open';
    case 'apply': {
      const known = knownFunction(term.name);
      if (known === undefined) return 'open';
      const given: Value[] = [];
      const isFirst = firstThatIs.test(term.name);
      for (const [index, argument] of term.arguments.entries()) {
        const found = evaluateTerm(argument, around);
        if (isFirst && typeof found !== 'string' && found.value !== null) return found;
        if (typeof found === 'string') return found;
        const takes = known.takes[Math.min(index, known.takes.length - 1)] ?? 'any';
        if (takes !== 'any' && found.value !== null && typeOf(found.value) !== takes) return 'unfit';
        given.push(found.value);
      }
      if (known.strict && given.includes(null)) return { value: null };
      const value = known.of(...given);
      return value === undefined ? 'unfit' : { value };
    }
  }
}
