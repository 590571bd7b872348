import type { FromItem } from '../../model/expression.ts';
import { accept, type Cursor, isName, operator, spanFrom, startOffset, token, within, word } from '../cursor.ts';
import { isGrammar } from '../is-grammar.ts';
import { nameOf, readTableName } from '../names.ts';
import { readArguments } from '../read-arguments.ts';
import { afterTable } from '../words.ts';

/** `LATERAL VIEW [OUTER] explode(x) t AS a, b`. */
export function readLateralView(c: Cursor): FromItem {
  const start = startOffset(c);
  c.index += 2;
  accept(c, 'outer');
  const name = readTableName(c)?.name ?? '';
  if (operator(c) === '(') within(c, () => readArguments(c));
  const alias = isName(token(c)) && word(c) !== 'as' && !isGrammar(c, afterTable) ? token(c) : undefined;
  if (alias !== undefined) c.index++;
  if (accept(c, 'as')) {
    while (isName(token(c)) && !isGrammar(c, afterTable)) {
      c.index++;
      if (!(operator(c) === ',' && isName(token(c, 1)))) break;
      c.index++;
    }
  }
  return {
    kind: 'function',
    name,
    alias: alias === undefined ? undefined : nameOf(alias, c.dialect),
    join: 'lateral',
    on: [],
    using: [],
    ...spanFrom(c, start),
  };
}
