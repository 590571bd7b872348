import type { SelectItem } from '../../model/expression.ts';
import {
  type Cursor,
  commaList,
  done,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../cursor.ts';
import { nameOf } from '../names.ts';
import { opaque } from '../opaque.ts';

/** What a script's call can be followed by. */
const behind = new Set(['from', 'where', 'group', 'having', 'lateral', 'union', 'order', 'limit']);

/** Hive and Spark: behind `SELECT TRANSFORM (a, b)`, its row formats, script and columns. */
export const isTransformAhead = (c: Cursor): boolean =>
  c.dialect === 'spark' &&
  ((word(c) === 'using' && token(c, 1)?.kind === 'string') || (word(c) === 'row' && word(c, 1) === 'format'));

/** The columns of `USING 'script' AS (a, b int)`; the select list itself when the script names none. */
export function readTransform(c: Cursor, given: SelectItem[]): SelectItem[] {
  let columns = given;
  while (!done(c) && !behind.has(word(c))) {
    const named = word(c) === 'as';
    skipOne(c);
    if (named && operator(c) === '(')
      columns = within(c, () =>
        commaList(c, () => {
          const start = startOffset(c);
          const name = token(c);
          while (!done(c) && operator(c) !== ',') skipOne(c);
          if (name === undefined) return undefined;
          const expression = opaque(c, start, []);
          return {
            expression,
            name: nameOf(name, c.dialect),
            alias: { start: name.start, end: name.end },
            ...spanFrom(c, start),
          };
        }),
      );
  }
  return columns;
}
