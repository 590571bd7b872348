import type { CommonTable } from '../query-block.ts';
import { readStatementInside } from '../statements/read-statement.ts';
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
  token,
  within,
  word,
} from './cursor.ts';
import { nameOf, readColumnList } from './names.ts';
import { emptyQuery, readQuery } from './read-query.ts';
import { readSelectList } from './read-select-list.ts';

const modifyingWords = new Set(['insert', 'update', 'delete', 'merge']);

/** `WITH …`: the names stay in force until the caller drops them from the scope. */
export function readWith(c: Cursor): readonly CommonTable[] {
  c.index++;
  const recursive = accept(c, 'recursive');
  // A recursive list sees all of its names, the others only those before.
  if (recursive) c.commonTables.push(...namesAhead(c));
  const tables: CommonTable[] = [];
  while (!done(c)) {
    const table = readCommonTable(c);
    if (table === undefined) break;
    tables.push(table);
    c.commonTables.push(table.name);
    if (!acceptOperator(c, ',')) break;
  }
  return tables;
}

function readCommonTable(c: Cursor): CommonTable | undefined {
  const name = token(c);
  if (name === undefined || !isName(name)) return undefined;
  const start = name.start;
  c.index++;
  const columns = readColumnList(c);
  if (word(c) === 'using' && word(c, 1) === 'key') {
    c.index += 2;
    readColumnList(c);
  }
  const nameSpan = { start: name.start, end: name.end };
  const common = { name: nameOf(name, c.dialect), columns, nameSpan };
  if (!accept(c, 'as')) return { ...common, query: emptyQuery(nameSpan), ...spanFrom(c, start) };
  if (!accept(c, 'materialized')) accept(c, 'not', 'materialized');
  const from = lastOffset(c);
  if (operator(c) !== '(') return { ...common, query: emptyQuery({ start: from, end: from }), ...spanFrom(c, start) };
  const query = within(c, () => (modifyingWords.has(word(c)) ? readModifying(c) : readQuery(c)));
  while (word(c) === 'search' || word(c) === 'cycle') skipSearch(c);
  return { ...common, query, ...spanFrom(c, start) };
}

function readModifying(c: Cursor) {
  const statement = readStatementInside(c);
  c.modifying.push(statement);
  const select = accept(c, 'returning') ? readSelectList(c) : [];
  return emptyQuery(spanFrom(c, statement.start), select);
}

/** `SEARCH DEPTH FIRST BY … SET …`, `CYCLE … SET … USING …`. */
function skipSearch(c: Cursor): void {
  c.index++;
  while (!done(c) && word(c) !== 'set') skipOne(c);
  c.index = Math.min(c.index + 2, c.end);
  while (word(c) === 'using' || word(c) === 'to' || word(c) === 'default') c.index = Math.min(c.index + 2, c.end);
}

function namesAhead(c: Cursor): string[] {
  const names: string[] = [];
  const start = c.index;
  while (!done(c)) {
    const name = token(c);
    if (name === undefined || !isName(name)) break;
    names.push(nameOf(name, c.dialect));
    c.index++;
    while (!done(c) && operator(c) !== ',' && word(c) !== 'select' && word(c) !== 'insert') skipOne(c);
    if (!acceptOperator(c, ',')) break;
  }
  c.index = start;
  return names;
}
