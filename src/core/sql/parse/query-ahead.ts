import type { Token } from '../lex/token.ts';
import { type Cursor, isName, operator } from './cursor.ts';
import { afterTable, queryStarts } from './words.ts';

/** Words that may follow a bracketed query inside its outer bracket and still make one query of both. */
const queryTails = new Set(['union', 'intersect', 'except', 'minus', 'order', 'limit', 'offset', 'fetch', 'for']);

/** DuckDB's statements that may stand as a query. */
const tableQueries = new Set(['pivot', 'unpivot', 'summarize', 'describe', 'show', 'desc']);

/** True at `(` when the bracket holds a query and nothing else, however many brackets are around it. */
export function isQueryAhead(c: Cursor): boolean {
  if (operator(c) !== '(') return false;
  let index = c.index;
  for (;;) {
    const here = c.tokens[index + 1];
    if (here === undefined || index + 1 >= c.end) return false;
    if (here.kind === 'word') return isQueryStart(here.text, c.tokens[index + 2], c);
    if (here.kind !== 'operator' || here.text !== '(') return false;
    const behind = (c.match[index + 1] ?? c.end) + 1;
    const next = behind < c.end ? c.tokens[behind] : undefined;
    const closes = next === undefined || behind === c.match[index];
    if (!closes && !(next.kind === 'word' && queryTails.has(next.text))) return false;
    index++;
  }
}

function isQueryStart(text: string, behind: Token | undefined, c: Cursor): boolean {
  const next = behind?.text;
  if (text === 'values') return next === '(' || (behind !== undefined && behind.kind !== 'operator');
  if (text === 'table') return next !== undefined && next !== '(' && next !== ')';
  if (tableQueries.has(text))
    return (
      c.dialect === 'duckdb' &&
      (next === '(' ||
        (isName(behind) && !(behind?.kind === 'word' && afterTable.has(behind.text) && !queryStarts.has(behind.text))))
    );
  return queryStarts.has(text);
}
