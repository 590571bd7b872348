import type { QueryBlock } from '../../model/expression.ts';
import { declareCommonTable } from '../../parse/common-scope.ts';
import {
  accept,
  acceptAny,
  acceptOperator,
  type Cursor,
  done,
  isName,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  word,
} from '../../parse/cursor.ts';
import { readColumnList, readTableName, readTargetName } from '../../parse/names.ts';
import { readQuery } from '../../parse/queries/read-query.ts';
import { isQueryAhead } from '../../parse/query-ahead.ts';
import { queryStarts } from '../../parse/words.ts';
import type { Reading } from '../rows/reading.ts';
import { type Partitioning, readPartitioning } from './partitioning.ts';
import { readTableDefinition, type TableDefinition } from './table-definition.ts';

const modifiers = new Set(
  'global local temp temporary volatile transient unlogged external foreign iceberg dynamic hybrid materialized secure recursive live streaming force snapshot multiset set or replace alter read only private interactive refresh noforce editionable persistent immutable unique nonclustered clustered bitmap managed aggregate definer algorithm sql security invoker'.split(
    ' ',
  ),
);
const temporaryWords = new Set(['temp', 'temporary', 'volatile']);

interface Prefix {
  readonly orReplace: boolean;
  readonly temporary: boolean;
  readonly unique: boolean;
  readonly recursive: boolean;
}

export function readCreate(c: Cursor): Reading {
  c.index++;
  const prefix = readPrefix(c);
  const object = word(c);
  switch (object) {
    case 'table':
      if (word(c, 1) === 'function' && isName(token(c, 2)) && word(c, 2) !== 'as') {
        c.index++;
        return readCreateRoutine(c, prefix);
      }
      c.index++;
      return readCreateTable(c, prefix);
    case 'view':
      c.index++;
      return { ...readCreateView(c, prefix.recursive), orReplace: prefix.orReplace, temporary: prefix.temporary };
    case 'procedure':
    case 'proc':
    case 'function':
    case 'package':
    case 'macro':
      return readCreateRoutine(c, prefix);
    case 'index':
      c.index++;
      return readCreateIndex(c, prefix.unique);
    default:
      return { kind: 'other' };
  }
}

function readCreateRoutine(c: Cursor, { orReplace }: Prefix): Reading {
  c.index++;
  const ifNotExists = accept(c, 'if', 'not', 'exists');
  const start = c.index;
  const routine = readTableName(c);
  c.index = start;
  return { kind: 'create_procedure', routine, orReplace, ifNotExists };
}

/** Spark: `CACHE [LAZY] TABLE c [OPTIONS (…)] AS SELECT …` keeps rows for the session only, yet it reads them. */
export function readCache(c: Cursor): Reading {
  c.index++;
  accept(c, 'lazy');
  if (!accept(c, 'table')) return { kind: 'other' };
  readTableName(c);
  return { kind: 'other', query: readDefiningQuery(c) };
}

/** Spark and Snowflake: `REPLACE TABLE t …`. */
export function readReplaceTable(c: Cursor): Reading {
  const prefix = readPrefix(c);
  c.index++;
  return readCreateTable(c, { ...prefix, orReplace: true });
}

function readPrefix(c: Cursor): Prefix {
  let orReplace = false;
  let temporary = false;
  let unique = false;
  let recursive = false;
  for (;;) {
    // MySQL: `ALGORITHM = MERGE DEFINER = x@y SQL SECURITY INVOKER`.
    if (operator(c, 1) === '=') {
      c.index = Math.min(c.index + 3, c.end);
      while (token(c)?.kind === 'parameter' || token(c)?.kind === 'string') c.index++;
      if (acceptOperator(c, '@') || operator(c) === '(') skipOne(c);
      continue;
    }
    const here = acceptAny(c, modifiers);
    if (here === undefined) break;
    orReplace ||= here === 'replace';
    temporary ||= temporaryWords.has(here);
    unique ||= here === 'unique';
    recursive ||= here === 'recursive';
  }
  return { orReplace, temporary, unique, recursive };
}

/** `CREATE TABLE AS SELECT …`: the name is left out, or put in by nothing. */
const isQueryOfNoName = (c: Cursor): boolean => word(c) === 'as' && queryStarts.has(word(c, 1)) && word(c, 1) !== 'as';

function readCreateTable(c: Cursor, prefix: Prefix): Reading {
  const ifNotExists = accept(c, 'if', 'not', 'exists');
  const target = isQueryOfNoName(c) ? undefined : readTargetName(c);
  let definition: TableDefinition = { definitions: [], keys: [] };
  if (operator(c) === '(' && !isQueryAhead(c)) definition = readTableDefinition(c);
  let partitioning: Partitioning | undefined;
  const query = readDefiningQuery(c, (found) => {
    partitioning ??= found;
  });
  const temporary = prefix.temporary || target?.name.startsWith('#') === true;
  const kind = query === undefined && !isDefinedByCall(c) ? 'create_table' : 'create_table_as';
  const definitions = [...definition.definitions, ...(partitioning?.definitions ?? [])];
  const partitionedBy = partitioning?.columns ?? [];
  const { keys } = definition;
  return { kind, target, query, definitions, keys, partitionedBy, orReplace: prefix.orReplace, ifNotExists, temporary };
}

function readCreateView(c: Cursor, recursive: boolean): Reading {
  const ifNotExists = accept(c, 'if', 'not', 'exists');
  const target = isQueryOfNoName(c) ? undefined : readTableName(c);
  if (operator(c) === '(' && !isQueryAhead(c)) skipOne(c);
  if (recursive && target !== undefined) declareCommonTable(c, target.name);
  return { kind: 'create_view', target, query: readDefiningQuery(c), ifNotExists };
}

/** Behind these a bracket holds bounds, options or a template, even where it looks like a query. */
const rowless = new Set(
  'template in from to values options tblproperties dbproperties properties serdeproperties with'.split(' '),
);

/** `AS EXECUTE plan`, or `AS {query}` with a query that is put in: rows, though no query is written. */
const isDefinedByCall = (c: Cursor): boolean =>
  c.tokens[c.index - 1] !== undefined && (word(c) === 'execute' || isPutIn(c));

/** The rest of the statement is one template expression behind AS, with or without brackets. */
const isPutIn = (c: Cursor): boolean => c.tokens[c.index - 1]?.text === 'as' && isExpressionAlone(c, 0);

function isExpressionAlone(c: Cursor, ahead: number): boolean {
  const isBracketed = operator(c, ahead) === '(';
  const place = isBracketed ? ahead + 1 : ahead;
  if (token(c, place)?.holes.length !== 1) return false;
  if (isBracketed && operator(c, place + 1) !== ')') return false;
  return c.index + place + (isBracketed ? 2 : 1) >= c.end;
}

/** The query behind the options of a table or view. A CLONE reads the table it copies. */
function readDefiningQuery(c: Cursor, onPartitioning?: (found: Partitioning) => void): QueryBlock | undefined {
  while (!done(c)) {
    const here = word(c);
    if (here === 'as' && isQueryWord(c, 1)) {
      c.index++;
      return readQuery(c);
    }
    if (here === 'as' && word(c, 1) === 'execute') {
      c.index++;
      return undefined;
    }
    if (here === 'as' && token(c, 1) === undefined) return undefined;
    if (here === 'as' && isExpressionAlone(c, 1)) {
      c.index++;
      return undefined;
    }
    if (accept(c, 'as', 'replica', 'of')) {
      const source = readTableName(c);
      if (source !== undefined) c.reads.push(source);
      return undefined;
    }
    if (
      here === 'select' ||
      (here === 'table' && c.dialect === 'mysql' && isName(token(c, 1))) ||
      (here === 'with' && token(c, 1)?.kind === 'word' && word(c, 2) === 'as') ||
      isQueryAhead(c)
    )
      return readQuery(c);
    if (here === 'copy' && (word(c, 1) === 'grants' || word(c, 1) === 'tags')) c.index += 2;
    else if (rowless.has(here) && operator(c, 1) === '(') {
      c.index++;
      skipOne(c);
    } else if (here === 'clone' || (here === 'copy' && operator(c, 1) === '')) {
      c.index++;
      const source = readTableName(c);
      if (source !== undefined) c.reads.push(source);
    } else {
      const partitioning = readPartitioning(c);
      if (partitioning === undefined) skipOne(c);
      else onPartitioning?.(partitioning);
    }
  }
  return undefined;
}

function isQueryWord(c: Cursor, ahead: number): boolean {
  if (queryStarts.has(word(c, ahead)) || word(c, ahead) === 'pivot') return true;
  c.index += ahead;
  const query = isQueryAhead(c);
  c.index -= ahead;
  return query;
}

/** Only a unique index says something about rows: its columns are a key of the table. */
function readCreateIndex(c: Cursor, unique: boolean): Reading {
  accept(c, 'concurrently');
  const ifNotExists = accept(c, 'if', 'not', 'exists');
  if (word(c) !== 'on') readTableName(c);
  if (!accept(c, 'on')) return { kind: 'other' };
  accept(c, 'only');
  const target = readTableName(c);
  while (!done(c) && operator(c) !== '(') c.index++;
  const columns = indexColumns(c);
  while (!done(c) && word(c) !== 'where') skipOne(c);
  // A partial index or one over expressions does not make its columns a key.
  const key = unique && columns !== undefined && done(c) ? [columns] : [];
  const read: Reading = { kind: 'other', target, keys: key, ifNotExists };
  if (!unique || columns === undefined || !accept(c, 'where')) return read;
  const start = startOffset(c);
  while (!done(c)) skipOne(c);
  return { ...read, partialKey: { columns, where: spanFrom(c, start) } };
}

function indexColumns(c: Cursor): readonly string[] | undefined {
  if (operator(c) !== '(') return undefined;
  const open = c.index;
  const close = Math.min(c.match[open] ?? c.end, c.end);
  const plain = c.tokens.slice(open + 1, close).every((here) => here.kind !== 'operator' || here.text === ',');
  const columns = readColumnList(c);
  return plain && columns.length > 0 ? columns : undefined;
}
