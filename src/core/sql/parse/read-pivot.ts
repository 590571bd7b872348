import type { FromItem } from '../query-block.ts';
import { type Cursor, done, operator, skipOne, within, word } from './cursor.ts';
import { readAlias } from './names.ts';
import { readArguments, readClauseExpression } from './read-expression.ts';
import { readFromEntry } from './read-from.ts';
import { afterTable } from './words.ts';

/** `t PIVOT (…) AS p`, or the clauses of DuckDB's statement form behind its table. */
export function readPivotClause(c: Cursor): void {
  c.index++;
  if (word(c) === 'include' || word(c) === 'exclude') c.index = Math.min(c.index + 2, c.end);
  // A query in the list of values reads its tables.
  if (operator(c) === '(') within(c, () => readArguments(c));
  const alias = readAlias(c, afterTable);
  if (alias !== undefined && operator(c) === '(') skipOne(c);
}

/** DuckDB: `PIVOT t ON a USING sum(b) GROUP BY c`. */
export function readPivotQuery(c: Cursor): readonly FromItem[] {
  c.index++;
  const items: FromItem[] = [];
  readFromEntry(c, 'first', items);
  const clauses = new Set(['on', 'using', 'group', 'into', 'name', 'value', 'by', 'in']);
  while (!done(c) && (clauses.has(word(c)) || operator(c) === ',')) {
    c.index++;
    if (!clauses.has(word(c)) && !done(c)) readClauseExpression(c);
  }
  return items;
}
