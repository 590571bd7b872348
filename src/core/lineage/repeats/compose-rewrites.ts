import type { Rewrite, RewrittenColumn } from './rewrite.ts';
import { apply, type Term, termsIn } from './term.ts';

/** Beyond this a chain of statements is not followed: what one sets stands in the next as often as it is named. */
const maxSize = 400;

/** What statements make of a row one after the other, as one rewrite; `undefined` where that is too long to follow. */
export function composeRewrites(rewrites: readonly Rewrite[]): Rewrite | undefined {
  const state = new Map<string, RewrittenColumn>();
  const now = (term: Term): Term => {
    if (term.kind === 'own') return state.get(term.column)?.term ?? term;
    if (term.kind !== 'apply' && term.kind !== 'open') return term;
    return { ...term, arguments: term.arguments.map(now) };
  };
  for (const { columns, conditions } of rewrites) {
    const holds = conditions.map(now);
    const next = columns.map(({ column, term, at }): RewrittenColumn => {
      const old = state.get(column)?.term ?? { kind: 'own', column };
      const made = now(term);
      return { column, at, term: holds.length === 0 ? made : apply('case', apply('and', ...holds), made, old) };
    });
    for (const one of next) state.set(one.column, one);
    if ([...state.values()].some(({ term }) => termsIn(term).length > maxSize)) return undefined;
  }
  return {
    columns: [...state.values()],
    conditions: [],
    hints: rewrites.flatMap(({ conditions }) => conditions),
    isVague: rewrites.some(({ isVague }) => isVague),
    guarded: false,
  };
}
