import type { SqlExpression } from '../expression.ts';
import type { SelectItem } from '../query-block.ts';
import { acceptOperator, type Cursor, done, operator, spanFrom, startOffset, word } from './cursor.ts';
import { nameOf, readAlias } from './names.ts';
import { opaque } from './opaque.ts';
import { readExpression } from './read-expression.ts';
import { afterItem } from './words.ts';

/** Items of SELECT or RETURNING up to the next clause. */
export function readSelectList(c: Cursor): readonly SelectItem[] {
  const items: SelectItem[] = [];
  while (!done(c)) {
    const before = c.index;
    const item = readSelectItem(c);
    if (c.index > before) items.push(item);
    if (!acceptOperator(c, ',')) break;
  }
  return items;
}

function readSelectItem(c: Cursor): SelectItem {
  const start = startOffset(c);
  let expression = readExpression(c);
  let alias = readAlias(c, afterItem);
  while (!done(c) && operator(c) !== ',' && !afterItem.has(word(c))) {
    // Something unknown between the expression and its alias: keep both.
    const before = c.index;
    const more = readExpression(c);
    if (c.index === before) c.index++;
    else expression = opaque(c, start, [expression, more]);
    alias = readAlias(c, afterItem) ?? alias;
  }
  return {
    expression,
    name: alias === undefined ? ownName(expression, c) : nameOf(alias, c.dialect),
    alias: alias === undefined ? undefined : { start: alias.start, end: alias.end },
    ...spanFrom(c, Math.min(start, expression.start)),
  };
}

/** The name that a column without alias gets; only where the dialect names it after one column. */
function ownName(expression: SqlExpression, c: Cursor): string | undefined {
  if (expression.kind === 'column') return expression.name === '' ? undefined : expression.name;
  if (expression.kind === 'cast' && (c.dialect === 'postgres' || c.dialect === 'redshift'))
    return ownName(expression.operand, c);
  return undefined;
}
