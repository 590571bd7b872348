import type { CommonTable } from '../../model/expression.ts';
import { declareCommonTable } from '../common-scope.ts';
import {
  accept,
  acceptOperator,
  type Cursor,
  done,
  isName,
  lastOffset,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../cursor.ts';
import { readColumnList, tablePart } from '../names.ts';
import { isQueryAhead } from '../query-ahead.ts';
import { queryStarts } from '../words.ts';
import { emptyQuery } from './query-tail.ts';
import { readSelectItem, readSelectList } from './read-select-list.ts';

const modifyingWords = new Set(['insert', 'update', 'delete', 'merge']);

/** `WITH …`: the names stay in force until the caller drops them from the scope. */
export function readWith(c: Cursor): readonly CommonTable[] {
  c.index++;
  if (skipInlineFunctions(c) && !accept(c, 'with')) return [];
  const recursive = word(c, 1) !== 'as' && operator(c, 1) !== '(' && accept(c, 'recursive');
  // A recursive list sees all of its names, the others only those before.
  if (recursive) for (const name of namesAhead(c)) declareCommonTable(c, name);
  const tables: CommonTable[] = [];
  while (!done(c)) {
    const table = isValueAhead(c) ? readCommonValue(c) : readCommonTable(c);
    if (table === undefined) break;
    tables.push(table);
    declareCommonTable(c, table.name);
    if (!acceptOperator(c, ',')) break;
  }
  return tables;
}

/** ClickHouse: `WITH toDate('2024-01-01') AS since, (SELECT max(d) FROM t) AS newest SELECT …`, a value with its name behind it. */
function isValueAhead(c: Cursor): boolean {
  if (isName(token(c)) && (word(c, 1) === 'as' || isQueryAhead(c))) return false;
  const start = c.index;
  while (!done(c) && operator(c) !== ',' && !queryStarts.has(word(c)) && !modifyingWords.has(word(c))) skipOne(c);
  const isValue = c.index - start >= 3 && word(c, -2) === 'as' && isName(token(c, -1));
  c.index = start;
  return isValue;
}

/** It is no table, but what it reads is read by the statement. */
function readCommonValue(c: Cursor): CommonTable {
  const start = startOffset(c);
  const item = readSelectItem(c);
  const span = spanFrom(c, start);
  return { name: '', columns: [], nameSpan: span, query: emptyQuery(span, [item]), ...span };
}

function readCommonTable(c: Cursor): CommonTable | undefined {
  const name = token(c);
  if (name === undefined || !isName(name)) return undefined;
  const start = name.start;
  c.index++;
  const columns = isQueryAhead(c) ? [] : readColumnList(c);
  if (word(c) === 'using' && word(c, 1) === 'key') {
    c.index += 2;
    readColumnList(c);
  }
  const nameSpan = { start: name.start, end: name.end };
  const common = { name: tablePart(name, c.dialect), columns, nameSpan };
  // AS may be left out in Spark.
  if (!accept(c, 'as') && !isQueryAhead(c)) return { ...common, query: emptyQuery(nameSpan), ...spanFrom(c, start) };
  if (!accept(c, 'materialized')) accept(c, 'not', 'materialized');
  const from = lastOffset(c);
  if (operator(c) !== '(') return { ...common, query: emptyQuery({ start: from, end: from }), ...spanFrom(c, start) };
  // Where RECURSIVE is no word (SQL Server, Oracle), a table that joins itself behind UNION ALL is recursive all the same.
  if (c.dialect === 'ansi' && joinsItself(c, common.name)) declareCommonTable(c, common.name);
  const query = within(c, () => (modifyingWords.has(word(c)) ? readModifying(c) : c.grammar.query(c)));
  while (word(c) === 'search' || word(c) === 'cycle') skipSearch(c);
  return { ...common, query, ...spanFrom(c, start) };
}

/** Whether the parentheses that open here name the table behind a UNION ALL that has a JOIN. */
function joinsItself(c: Cursor, name: string): boolean {
  let depth = 0;
  let isBehind = false;
  let isNamed = false;
  let isJoined = false;
  for (let ahead = 0; token(c, ahead) !== undefined; ahead++) {
    if (operator(c, ahead) === '(') depth++;
    else if (operator(c, ahead) === ')') {
      depth--;
      if (depth === 0) return isNamed && isJoined;
    } else if (word(c, ahead) === 'union' && word(c, ahead + 1) === 'all') isBehind = true;
    else if (isBehind && word(c, ahead) === 'join') isJoined = true;
    else if (isBehind && (word(c, ahead - 1) === 'from' || word(c, ahead - 1) === 'join')) {
      const here = token(c, ahead);
      const isBare = here !== undefined && isName(here) && operator(c, ahead + 1) !== '.';
      if (isBare && tablePart(here, c.dialect) === name) isNamed = true;
    }
  }
  return false;
}

function readModifying(c: Cursor) {
  const statement = c.grammar.statement(c);
  c.modifying.push(statement);
  const select = accept(c, 'returning') ? readSelectList(c) : [];
  return emptyQuery(spanFrom(c, statement.start), select);
}

/** `SEARCH DEPTH FIRST BY … SET …`, `CYCLE … SET … USING …`. */
function skipSearch(c: Cursor): void {
  c.index++;
  while (!done(c) && word(c) !== 'set') skipOne(c);
  while (!done(c) && operator(c) !== ',' && !behindTables.has(word(c))) skipOne(c);
}

/** What a list of common tables belongs to, or the next clause of its last table. */
const behindTables = new Set(['select', 'insert', 'update', 'delete', 'merge', 'values', 'table', 'search', 'cycle']);

/** Trino: `WITH FUNCTION f(x int) RETURNS int RETURN x + 1, FUNCTION …`, in front of a query that may have its own WITH; false where none stands. */
function skipInlineFunctions(c: Cursor): boolean {
  if (word(c) !== 'function' || !isName(token(c, 1)) || word(c, 1) === 'as') return false;
  while (!done(c) && !queryStarts.has(word(c))) skipOne(c);
  while (word(c) === 'with' && operator(c, 1) === '(') {
    c.index++;
    while (!done(c) && !queryStarts.has(word(c))) skipOne(c);
  }
  return true;
}

function namesAhead(c: Cursor): string[] {
  const names: string[] = [];
  const start = c.index;
  while (!done(c)) {
    const name = token(c);
    if (name === undefined || !isName(name)) break;
    names.push(tablePart(name, c.dialect));
    c.index++;
    while (!done(c) && operator(c) !== ',' && word(c) !== 'select' && word(c) !== 'insert') skipOne(c);
    if (!acceptOperator(c, ',')) break;
  }
  c.index = start;
  return names;
}
