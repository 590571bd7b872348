import type { Token } from '../lex/token.ts';
import type { QueryBlock } from '../model/expression.ts';
import { type Cursor, done, operator, token, within, word } from '../parse/cursor.ts';
import { readTableName } from '../parse/names.ts';
import { emptyQuery } from '../parse/queries/query-tail.ts';
import { readQuery } from '../parse/queries/read-query.ts';
import { queryStarts } from '../parse/words.ts';
import type { Reading } from './rows/reading.ts';

/** Words of scripts and bodies whose queries read tables, though they write none. */
export const scriptWords = new Set(
  'set declare let if elseif elsif else while for when until return perform open raise case foreach assert exit continue'.split(
    ' ',
  ),
);

/** Words that end a head, and no query in it. */
const headEnds = new Set(['loop', 'then']);

/**
 * `SET x = (SELECT …)`, `FOR r IN SELECT … LOOP`, `RETURN QUERY SELECT …`, `PERFORM f(a) FROM t`, `x := count(*) FROM t`: an
 * expression of a body is what a SELECT makes of it, and may have all that follows one.
 */
export function readScriptWord(c: Cursor): Reading {
  const isExpression = expressionWords.has(word(c)) || isAssignment(c);
  const { end } = c;
  const last = c.tokens[end - 1];
  if (last?.kind === 'word' && headEnds.has(last.text) && c.index < end - 1) c.end = end - 1;
  const queries: QueryBlock[] = [];
  let brackets = 0;
  while (!done(c)) {
    const sign = operator(c);
    if (sign === '(' && queryStarts.has(word(c, 1))) queries.push(within(c, () => readQuery(c)));
    else if (word(c) === 'select') queries.push(readQuery(c));
    // Not the FROM of `extract(day from d)`, nor of `is distinct from`.
    else if (isExpression && word(c) === 'from' && brackets === 0 && word(c, -1) !== 'distinct')
      queries.push(readQuery(c));
    else {
      brackets += sign === '(' ? 1 : sign === ')' ? -1 : 0;
      c.index++;
    }
  }
  c.end = end;
  c.index = end;
  return { kind: 'other', query: asOne(queries) };
}

/** Words behind which an expression stands. */
const expressionWords = new Set('perform return if elseif elsif while until when case assert exit continue'.split(' '));

/** `x := …`, `r.n = …`, `a[1] := …`, and declarations with a value: `n int := …`, `n int DEFAULT …`. */
export function isAssignment(c: Cursor): boolean {
  let isTarget = true;
  for (let index = c.index, depth = 0; index < c.end; index++) {
    const { kind, text } = c.tokens[index] as Token;
    if (kind === 'operator') depth += text === '(' || text === '[' ? 1 : text === ')' || text === ']' ? -1 : 0;
    if (depth > 0) continue;
    if (text === ':=' || (isTarget && text === '=') || (kind === 'word' && text === 'default')) return index > c.index;
    // What is given a value is one name, of which parts may be told.
    const before = c.tokens[index - 1];
    if (index > c.index && kind !== 'operator' && before?.kind !== 'operator') isTarget = false;
  }
  return false;
}

/** Several queries beside each other, as one that reads what they read. */
function asOne(queries: readonly QueryBlock[]): QueryBlock | undefined {
  const [first, ...more] = queries;
  if (first === undefined || more.length === 0) return first;
  const select = queries.map((query) => {
    const { start, end } = query;
    return {
      expression: { kind: 'subquery', query, start, end } as const,
      name: undefined,
      alias: undefined,
      start,
      end,
    };
  });
  return emptyQuery({ start: first.start, end: more.at(-1)?.end ?? first.end }, select);
}

/** `CALL schema.procedure(…)`. */
export function readCallStatement(c: Cursor): Reading {
  c.index++;
  const routine = readTableName(c);
  readScriptWord(c);
  return { kind: 'other', routine };
}

/**
 * `EXEC dbo.load @day = '…'` of SQL Server calls a procedure, `EXECUTE plan(…)` runs a statement that was prepared:
 * either does what is written elsewhere.
 */
export function readExecuteStatement(c: Cursor): Reading {
  c.index++;
  if (word(c) === 'immediate' || token(c)?.kind === 'parameter' || operator(c) !== '') return { kind: 'other' };
  const routine = readTableName(c);
  return { kind: 'other', routine };
}
