import type { SqlExpression } from '../../model/expression.ts';
import type { Assignment } from '../../model/statement.ts';
import {
  acceptOperator,
  type Cursor,
  commaList,
  isName,
  operator,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../../parse/cursor.ts';
import { readClauseExpression } from '../../parse/expressions/read-expression.ts';
import { isGrammar } from '../../parse/is-grammar.ts';
import { nameOf, readColumnList, readColumnName } from '../../parse/names.ts';
import { opaque } from '../../parse/opaque.ts';
import { isQueryAhead } from '../../parse/query-ahead.ts';
import { readArguments } from '../../parse/read-arguments.ts';
import { clauseWords } from '../../parse/words.ts';

/** `a = x, t.b = y, (c, d) = (1, 2)` behind SET. */
export const readAssignments = (c: Cursor): readonly Assignment[] => commaList(c, () => readAssignment(c)).flat();

function readAssignment(c: Cursor): readonly Assignment[] | undefined {
  const start = startOffset(c);
  if (operator(c) === '(') {
    const columns = readColumnList(c);
    acceptOperator(c, '=');
    const values = readTuple(c, columns.length);
    const span = spanFrom(c, start);
    return columns.map((column, index) => ({ column, value: values[index] ?? opaque(c, span.end, []), ...span }));
  }
  if (!isName(token(c)) || isGrammar(c, clauseWords)) return undefined;
  const from = c.index;
  const column = readColumnName(c);
  if (column === undefined) return undefined;
  const qualifier = c.tokens
    .slice(from, Math.max(from, c.index - 2))
    .map((here) => (here.kind === 'operator' ? here.text : nameOf(here, c.dialect)))
    .join('');
  while (operator(c) === '[') within(c, () => readArguments(c));
  if (!acceptOperator(c, '=')) acceptOperator(c, ':=');
  const value = readClauseExpression(c);
  return [{ column, ...(qualifier === '' ? {} : { qualifier }), value, ...spanFrom(c, start) }];
}

/** The values of a multi-column assignment; one query stands for all. */
function readTuple(c: Cursor, arity: number): readonly SqlExpression[] {
  if (word(c) === 'row' && operator(c, 1) === '(') c.index++;
  if (operator(c) === '(' && !isQueryAhead(c)) return within(c, () => readArguments(c));
  const value = readClauseExpression(c);
  return Array.from({ length: arity }, () => value);
}
