import type { SelectItem, SqlExpression } from '../../model/expression.ts';
import { acceptOperator, type Cursor, done, operator, skipOne, spanFrom, startOffset, word } from '../cursor.ts';
import { readExpression } from '../expressions/read-expression.ts';
import { isGrammar } from '../is-grammar.ts';
import { nameOf, readAlias, readPrefixAlias } from '../names.ts';
import { opaque } from '../opaque.ts';
import { afterItem, clauseWords } from '../words.ts';

const afterRedshiftItem: ReadonlySet<string> = new Set([...afterItem, 'exclude']);

/** Items of SELECT or RETURNING up to the next clause. */
export function readSelectList(c: Cursor): SelectItem[] {
  const items: SelectItem[] = [];
  while (!done(c)) {
    const before = c.index;
    const item = readSelectItem(c);
    if (c.index > before) items.push(item);
    if (c.dialect === 'redshift' && word(c) === 'exclude') skipExclusion(c);
    if (!acceptOperator(c, ',')) break;
  }
  return items;
}

/** Redshift: `SELECT t.*, a EXCLUDE (b, c) FROM …`, about the whole list. */
function skipExclusion(c: Cursor): void {
  while (!done(c) && !isGrammar(c, clauseWords)) skipOne(c);
}

/** One item with its alias. */
export function readSelectItem(c: Cursor): SelectItem {
  const start = startOffset(c);
  const before = readPrefixAlias(c);
  const reserved = c.dialect === 'redshift' ? afterRedshiftItem : afterItem;
  let expression = readExpression(c);
  let alias = before ?? readAlias(c, reserved);
  while (!done(c) && operator(c) !== ',' && operator(c) !== '|>' && !isGrammar(c, reserved)) {
    // Something unknown between the expression and its alias: keep both.
    const before = c.index;
    const more = readExpression(c);
    if (c.index === before) c.index++;
    else expression = opaque(c, start, [expression, more]);
    alias = readAlias(c, reserved) ?? alias;
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
