import { type Cursor, done, operator, skipOne, word } from './cursor.ts';

/** Words behind which another query or statement begins: what stands there is no part of this one. */
const others = new Set([
  'union',
  'intersect',
  'except',
  'select',
  'insert',
  'loop',
  'then',
  'do',
  'when',
  'begin',
  'end',
]);

/**
 * Steps over what is not understood, to the next place at the same depth that `at` knows; false, at the same place, when
 * none is left. So a word that no dialect list has heard of loses itself, not the tables behind it.
 */
export function skipTo(c: Cursor, at: (c: Cursor) => boolean): boolean {
  const start = c.index;
  while (!done(c)) {
    if (c.index > start && at(c)) return true;
    if (others.has(word(c)) || operator(c) === '|>') break;
    skipOne(c);
  }
  c.index = start;
  return false;
}
