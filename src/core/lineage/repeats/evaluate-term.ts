import { knownFunction, typeOf } from './known-functions.ts';
import { ownColumns, type Term, termsIn, type Value } from './term.ts';

/** A row and what is around it: what the old values and all that is fixed are. */
export interface Surroundings {
  readonly own: ReadonlyMap<string, Value>;
  readonly fixed: ReadonlyMap<string, Value>;
}

/** `'unfit'`: a value of a type that is not taken there. `'open'`: what comes out is not known. */
export type Evaluated = { readonly value: Value } | 'unfit' | 'open';

/** What comes behind the first that is there decides nothing. */
const firstThatIs = /^(?:coalesce|ifnull|nvl)$/;

/** What a condition is: where it asks something unknown of known values, the same of the same values. */
export function evaluateCondition(term: Term, around: Surroundings): Evaluated {
  if (term.kind === 'apply' && isLogic.test(term.name)) {
    const known = knownFunction(term.name);
    const given = term.arguments.map((one) => evaluateCondition(one, around));
    if (known === undefined || given.includes('unfit')) return known === undefined ? 'open' : 'unfit';
    if (given.includes('open')) return 'open';
    const values = given.flatMap((one) => (typeof one === 'string' ? [] : [one.value]));
    if (values.some((value) => value !== null && typeof value !== 'boolean')) return 'unfit';
    if (known.strict && values.includes(null)) return { value: null };
    return { value: known.of(...values) ?? null };
  }
  const found = evaluateTerm(term, around);
  if (found !== 'open' || !termsIn(term).every(isAnswered)) return found;
  const asked = [...ownColumns(term)].map((column) => around.own.get(column) ?? null);
  if (asked.length === 0) return found;
  // Of what is not there nothing is so.
  return asked.includes(null) ? { value: null } : { value: answer(JSON.stringify([term, asked, ...around.fixed])) };
}

const isLogic = /^(?:and|or|unarynot)$/;

/** Whoever answers it looks at nothing but what it is given. */
const isAnswered = (term: Term): boolean => term.kind !== 'open' || term.source !== undefined;

/** True or false by chance, and the same for the same question. */
function answer(question: string): boolean {
  let state = 2_166_136_261;
  for (const letter of question) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  return ((state ^ (state >>> 15)) & 8) === 0;
}

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
        const isAsked = term.name === 'case' && index % 2 === 0 && index < term.arguments.length - 1;
        const found = isAsked ? evaluateCondition(argument, around) : evaluateTerm(argument, around);
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
