import type { FromItem } from '../../model/expression.ts';
import { type Cursor, done, operator, word } from '../cursor.ts';
import { readClauseExpression } from '../expressions/read-expression.ts';
import { readFromEntry } from './read-from.ts';

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
