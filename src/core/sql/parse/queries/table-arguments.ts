import { commonTableNamed } from '../common-scope.ts';
import { type Cursor, done, isName, maxDepth, operator, token, within, word } from '../cursor.ts';
import { readExpression } from '../expressions/read-expression.ts';
import { readAlias, readTableName } from '../names.ts';
import { isQueryAhead } from '../query-ahead.ts';
import { readArguments } from '../read-arguments.ts';
import { afterTable } from '../words.ts';

/** Functions of FROM whose only argument is a table itself. */
const tableFunctions = new Set(['stream', 'semantic_view']);

/**
 * The arguments of a function in FROM, at its bracket. Tables among them count as read: `f(TABLE t)`,
 * `f(input => TABLE(t))`, `STREAM(t)`, `SEMANTIC_VIEW(v METRICS …)`.
 */
export function readTableArguments(c: Cursor): void {
  const name = c.tokens[c.index - 1]?.text ?? '';
  within(c, () => {
    if (tableFunctions.has(name) && isName(token(c))) countTable(c);
    while (!done(c)) {
      const before = c.index;
      if (isName(token(c)) && operator(c, 1) === '=>') c.index += 2;
      if (!readTableArgument(c) && !(name === 'table' && readFunctionCall(c))) readExpression(c);
      if (operator(c) === ',' || c.index === before) c.index++;
    }
  });
}

/** The table function inside of `TABLE(…)`, whose own arguments may be tables. */
function readFunctionCall(c: Cursor): boolean {
  const start = c.index;
  if (c.depth < maxDepth && readTableName(c) !== undefined && operator(c) === '(') {
    c.depth++;
    readTableArguments(c);
    c.depth--;
    return true;
  }
  c.index = start;
  return false;
}

/** `TABLE t`, `TABLE(t)`, with an alias and its own partitioning; false when something else stands here. */
function readTableArgument(c: Cursor): boolean {
  if (word(c) !== 'table') return false;
  if (isName(token(c, 1))) {
    c.index++;
    countTable(c);
  } else if (operator(c, 1) === '(' && isName(token(c, 2))) {
    c.index++;
    if (isQueryAhead(c)) return false;
    within(c, () => {
      const start = c.index;
      countTable(c);
      // A call inside is a table function of its own.
      if (operator(c) === '(') {
        c.index = start;
        readArguments(c);
      }
    });
  } else return false;
  readAlias(c, afterTable);
  while (!done(c) && operator(c) !== ',') {
    const before = c.index;
    readExpression(c);
    if (c.index === before) c.index++;
  }
  return true;
}

function countTable(c: Cursor): void {
  const table = readTableName(c);
  if (table !== undefined && operator(c) !== '(' && commonTableNamed(c, table) === undefined) c.reads.push(table);
}
