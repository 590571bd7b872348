import type { Ordering } from '../../../sql/model/expression.ts';
import { compare } from '../../repeats/known-functions.ts';
import type { Value } from '../../repeats/term.ts';

/** For each part of ORDER BY whether it goes down: the directions are read off the text. */
export function goesDown({ by, end }: Ordering, text: string): readonly boolean[] {
  return by.map((one, index) => /^[^,]*\bdesc\b/i.test(text.slice(one.end, by[index + 1]?.start ?? end)));
}

/** The order of two rows by their values; NULL stands above all, as PostgreSQL has it. */
export function orderOf(a: readonly Value[], b: readonly Value[], down: readonly boolean[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? null;
    const order =
      value === null || other === null ? Number(value === null) - Number(other === null) : compare(value, other);
    if (order !== 0) return down[index] === true ? -order : order;
  }
  return 0;
}
