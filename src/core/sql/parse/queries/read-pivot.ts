import { type Cursor, operator, skipOne, within, word } from '../cursor.ts';
import { readAlias } from '../names.ts';
import { readArguments } from '../read-arguments.ts';
import { afterTable } from '../words.ts';

/** `t PIVOT (…) AS p`, or the clauses of DuckDB's statement form behind its table. */
export function readPivotClause(c: Cursor): void {
  c.index++;
  if (word(c) === 'include' || word(c) === 'exclude') c.index = Math.min(c.index + 2, c.end);
  // A query in the list of values reads its tables.
  if (operator(c) === '(') within(c, () => readArguments(c));
  const alias = readAlias(c, afterTable);
  if (alias !== undefined && operator(c) === '(') skipOne(c);
}
