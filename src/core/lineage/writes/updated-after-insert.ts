import { rowDrawer } from '../repeats/draw-rows.ts';
import { evaluateTerm } from '../repeats/evaluate-term.ts';
import { sameValue } from '../repeats/known-functions.ts';
import type { Rewrite, RewrittenColumn } from '../repeats/rewrite.ts';
import { holding, samples } from '../repeats/second-run.ts';
import { apply, type Term, termsIn, type Value } from '../repeats/term.ts';

/**
 * Columns to which an upsert gives another value when it finds the row than when it inserts it, so that a second run changes
 * the rows that the first one has inserted.
 */
export function updatedAfterInsert(
  { columns, conditions }: Rewrite,
  inserted: readonly RewrittenColumn[],
): readonly RewrittenColumn[] {
  const given = new Map(inserted.map(({ column, term }) => [column, term]));
  return columns.filter(({ column, term }) => {
    const put = given.get(column);
    if (put === undefined || [put, term].some((one) => termsIn(one).some(({ kind }) => kind === 'open'))) return false;
    // What the clock gives is another matter.
    if (termsIn(term).some((one) => one.kind === 'fixed' && isClock.test(one.name))) return false;
    return differs(put, term, conditions, given);
  });
}

const isClock = /\b(now|random|uuid\w*|gen_random_uuid|nextval)\s*\(|current_|clock_|localtime|sysdate/i;

function differs(put: Term, updated: Term, conditions: readonly Term[], given: ReadonlyMap<string, Term>): boolean {
  // Both terms meet in one comparison, so that they are drawn of one type.
  const draw = rowDrawer([apply('=', put, updated), ...given.values(), ...conditions], [], conditions);
  let [known, changed] = [0, 0];
  for (let sample = 0; sample < samples; sample++) {
    const around = draw();
    const own = new Map<string, Value>();
    for (const [column, term] of given) {
      const value = evaluateTerm(term, around);
      if (typeof value !== 'string') own.set(column, value.value);
    }
    const found = { fixed: around.fixed, own: new Map([...around.own, ...own]) };
    if (holding(conditions, found, () => true) !== true) continue;
    const [before, after] = [evaluateTerm(put, around), evaluateTerm(updated, found)];
    if (typeof before === 'string' || typeof after === 'string' || before.value === null) continue;
    known++;
    if (!sameValue(before.value, after.value)) changed++;
  }
  return known > 20 && changed > known * 0.3;
}
