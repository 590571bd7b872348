import type { DialectName } from '../model/dialect-name.ts';
import type { CommonTable, QueryBlock } from '../model/expression.ts';
import { outputColumns } from '../model/output-columns.ts';
import type { Statement, StatementKind } from '../model/statement.ts';
import type { TableReference } from '../model/table-reference.ts';
import { leaveCommonScope } from '../parse/common-scope.ts';
import { accept, type Cursor, lastOffset, operator, startOffset, token, word } from '../parse/cursor.ts';
import { nondeterministicCalls } from '../parse/nondeterministic.ts';
import { readQuery, readQueryBody } from '../parse/queries/read-query.ts';
import { readSelectList } from '../parse/queries/read-select-list.ts';
import { readWith } from '../parse/queries/read-with.ts';
import { isQueryAhead } from '../parse/query-ahead.ts';
import { readAlter } from './definitions/alter.ts';
import { readCache, readCreate, readReplaceTable } from './definitions/create.ts';
import { readDrop, readRefresh, readRename, readTruncate } from './definitions/drop.ts';
import { readMadeStatements, readRoutineBody } from './routine-body.ts';
import { readBulkInsert, readCopy, readExport, readLoad, readUnload } from './rows/copy.ts';
import { readDelete } from './rows/delete.ts';
import { readInsert, readMultiInsert, readReplace } from './rows/insert.ts';
import { readMerge } from './rows/merge.ts';
import { emptyStatement, type Reading } from './rows/reading.ts';
import { readUpdate } from './rows/update.ts';
import { isAssignment, readCallStatement, readExecuteStatement, readScriptWord, scriptWords } from './script-word.ts';
import { unfinishedAt } from './unfinished.ts';

const readers: Readonly<Record<string, (c: Cursor) => Reading>> = {
  insert: readInsert,
  replace: (c) => (isTableReplace(c) ? readReplaceTable(c) : readReplace(c)),
  update: readUpdate,
  delete: readDelete,
  merge: readMerge,
  truncate: readTruncate,
  create: readCreate,
  drop: readDrop,
  rename: readRename,
  alter: readAlter,
  bulk: readBulkInsert,
  copy: readCopy,
  load: readLoad,
  export: readExport,
  unload: readUnload,
  refresh: readRefresh,
  begin: () => ({ kind: 'begin' }),
  commit: (c) => ({ kind: word(c, 1) === 'prepared' ? 'other' : 'commit' }),
  end: (c) => ({ kind: blockEnds.has(word(c, 1)) ? 'other' : 'commit' }),
  rollback: (c) => ({ kind: word(c, 1) === 'prepared' ? 'other' : 'rollback' }),
  abort: () => ({ kind: 'rollback' }),
  start: (c) => ({ kind: word(c, 1) === 'transaction' || word(c, 1) === 'tran' ? 'begin' : 'other' }),
  do: () => ({ kind: 'do' }),
  with: () => ({ kind: 'do' }),
  call: readCallStatement,
  exec: readExecuteStatement,
  execute: (c) => (c.nesting === 0 ? readExecuteStatement(c) : { kind: 'other' }),
  cache: readCache,
};

const blockEnds = new Set(['if', 'loop', 'while', 'for', 'repeat', 'case']);
const selectWords = new Set(['select', 'values', 'table', 'pivot', 'unpivot', 'from']);

const isTableReplace = (c: Cursor): boolean =>
  word(c, 1) === 'table' || (word(c, 1) === 'temporary' && word(c, 2) === 'table');

/** Reads the statement that fills the cursor: it reaches to the cursor's end, whatever of it is understood. */
export function readStatement(c: Cursor): Statement {
  const from = c.index;
  const facts = readFacts(c, true);
  const body = bodyOf(c, facts.kind, from);
  const end = c.tokens[c.end - 1]?.end ?? facts.end;
  const calls = nondeterministicCalls(c.tokens, from, c.end, c.match, c.dialect);
  const statement = { ...facts, body, end, nondeterministic: [...calls, ...c.quotedCalls] };
  const unfinished = c.nesting > 0 ? undefined : unfinishedAt(c.tokens, from, c.end, statement);
  return unfinished === undefined ? statement : { ...statement, unfinished };
}

/** Objects that carry statements: those of the kind `other`. */
const carriers = new Set(['trigger', 'event', 'task', 'alert']);

function bodyOf(c: Cursor, kind: StatementKind, from: number): readonly Statement[] {
  if (kind === 'do' || kind === 'create_procedure') return readRoutineBody(c, readStatement);
  if (kind !== 'other') return [];
  const words = c.tokens.slice(from, Math.min(from + 8, c.end)).filter((here) => here.kind === 'word');
  if (words[0]?.text === 'create' && words.some(({ text }) => carriers.has(text)))
    return readRoutineBody(c, readStatement);
  // In a body the bare EXECUTE runs a text, outside it runs a prepared statement.
  const immediate = words[0]?.text === 'execute' && words[1]?.text === 'immediate';
  if (immediate) return readMadeStatements(c, from + 2, readStatement);
  if (c.nesting === 0) return [];
  const at = executeIn(c, from);
  return at === undefined ? [] : readMadeStatements(c, at + 1, readStatement);
}

/** `EXECUTE …`, also in `FOR r IN EXECUTE …`, `RETURN QUERY EXECUTE …` and `OPEN c FOR EXECUTE …`. */
function executeIn(c: Cursor, from: number): number | undefined {
  const first = c.tokens[from];
  if (first?.text === 'execute') return from;
  if (first?.kind !== 'word' || !hosts.has(first.text)) return undefined;
  const at = c.tokens.slice(from, c.end).findIndex(({ kind, text }) => kind === 'word' && text === 'execute');
  return at < 0 ? undefined : from + at;
}

const hosts = new Set(['for', 'return', 'open']);

/** Reads a statement up to where its reader stops, as a common table holds one. */
export function readStatementInside(c: Cursor): Statement {
  const from = c.index;
  const facts = readFacts(c, false);
  return { ...facts, nondeterministic: nondeterministicCalls(c.tokens, from, c.index, c.match, c.dialect) };
}

function readFacts(c: Cursor, whole: boolean): Statement {
  skipHeader(c);
  const start = startOffset(c);
  const firstRead = c.reads.length;
  const firstModifying = c.modifying.length;
  const scope = c.commonTables.length;
  // Snowflake: `WITH p AS PROCEDURE () … AS $$ … $$ CALL p()` runs what it has made.
  const isAnonymous = word(c) === 'with' && word(c, 2) === 'as' && word(c, 3) === 'procedure';
  const common = word(c) === 'with' && !isAnonymous ? readWith(c) : [];
  const keyword = token(c);
  const keywordWord = word(c);
  const reading = readBody(c, start, common);
  // Queries among what is returned read their tables too.
  if (whole && accept(c, 'returning')) readSelectList(c);
  leaveCommonScope(c, scope);
  const end = Math.max(start, lastOffset(c));
  const query = reading.query === undefined ? undefined : withCommonTables(reading.query, common, keywordWord);
  const target = reading.target;
  const headStart = keyword?.start ?? start;
  const targetEnd = target === undefined || target.end < headStart ? (keyword?.end ?? end) : target.end;
  const base = emptyStatement({ start, end }, reading.kind);
  return {
    ...base,
    ...reading,
    head: reading.head ?? { start: headStart, end: Math.max(headStart, targetEnd) },
    query,
    with: changesRows.has(reading.kind) ? common : [],
    targets: reading.targets ?? (target === undefined ? [] : [target]),
    reads: c.reads.slice(firstRead),
    // The query of a MERGE is its source, nothing that it puts out.
    outputColumns: query === undefined || reading.kind === 'merge' ? [] : outputColumns(query),
    modifying: c.modifying.slice(firstModifying),
  };
}

const changesRows: ReadonlySet<StatementKind> = new Set(['update', 'delete', 'merge']);

/** `{{ header }}` in front of a statement: whatever it renders to, comments or settings, the statement is still read. */
function skipHeader(c: Cursor): void {
  let ahead = 0;
  while (token(c, ahead)?.kind === 'hole' && token(c, ahead)?.content === undefined) ahead++;
  if (ahead > 0 && (Object.hasOwn(readers, word(c, ahead)) || headed.has(word(c, ahead)))) c.index += ahead;
}

const headed = new Set(['select', 'with']);

function withCommonTables(query: QueryBlock, common: readonly CommonTable[], keyword: string): QueryBlock {
  // A plain query has taken them already.
  return common.length === 0 || selectWords.has(keyword) || keyword === ''
    ? query
    : { ...query, with: [...common, ...query.with] };
}

function readBody(c: Cursor, start: number, common: readonly CommonTable[]): Reading {
  const first = word(c);
  if (first === 'from' && !isFromQuery(c)) return readMultiInsert(c);
  if (selectWords.has(first) || isQueryAhead(c)) return readSelect(c, start, common);
  const read = Object.hasOwn(readers, first) ? readers[first] : undefined;
  if (read !== undefined && operator(c, 1) !== '(') return read(c);
  if (read !== undefined && (first === 'unload' || first === 'copy')) return read(c);
  if (scriptWords.has(first) || operator(c, 1) === ':=' || (c.nesting > 0 && isAssignment(c))) return readScriptWord(c);
  // `WITH … AS (` is as far as it goes: a query is being typed.
  if (common.length > 0) return { kind: 'select', query: readQueryBody(c, start, common) };
  return { kind: 'other' };
}

/** `FROM t INSERT …` is Hive's multi-insert, everything else a query that begins with its source. */
function isFromQuery(c: Cursor): boolean {
  for (let index = c.index + 1; index < c.end; index++) {
    const here = c.tokens[index];
    if (here?.kind === 'operator' && here.text === '(') index = c.match[index] ?? index;
    else if (here?.kind === 'word' && here.text === 'insert') return false;
  }
  return true;
}

function readSelect(c: Cursor, start: number, common: readonly CommonTable[]): Reading {
  const query = common.length > 0 ? readQueryBody(c, start, common) : readQuery(c);
  if (c.into === undefined) return { kind: 'select', query, routine: calledOnly(c, query) };
  return { kind: 'create_table_as', query, target: c.into, temporary: c.intoTemporary };
}

/** Dialects whose functions may write; a schema before the name tells one of the user's from one of the engine's. */
const writingFunctions: ReadonlySet<DialectName> = new Set(['postgres', 'ansi']);

/** `SELECT schema.refresh_day('…')` reads no table and keeps no row: it is there for what its function does. */
function calledOnly(c: Cursor, { from, select, then }: QueryBlock): TableReference | undefined {
  const [first, ...others] = select;
  if (from.length + then.length + others.length > 0 || !writingFunctions.has(c.dialect)) return undefined;
  if (first?.expression.kind !== 'call') return undefined;
  const { name, start } = first.expression;
  const schema = name.slice(0, name.lastIndexOf('.'));
  if (!name.includes('.') || schema === 'pg_catalog') return undefined;
  return { name, templated: false, start, end: start + name.length };
}
