import type { QueryBlock } from '../../model/expression.ts';
import type { Statement } from '../../model/statement.ts';
import {
  accept,
  type Cursor,
  done,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../../parse/cursor.ts';
import { readColumnList, readTableName } from '../../parse/names.ts';
import { readFromEntry } from '../../parse/queries/read-from.ts';
import { readQuery } from '../../parse/queries/read-query.ts';
import { readSelectList } from '../../parse/queries/read-select-list.ts';
import { isQueryAhead } from '../../parse/query-ahead.ts';
import { queryStarts } from '../../parse/words.ts';
import { readAssignments } from './assignments.ts';
import { readPartitionClause } from './partition-clause.ts';
import { readQuotedQuery } from './quoted-query.ts';
import type { Reading } from './reading.ts';

/** `COPY t FROM …`, `COPY t TO …`, `COPY (query) TO …`, `COPY INTO t FROM @stage`, `COPY INTO @stage FROM t`. */
export function readCopy(c: Cursor): Reading {
  const start = startOffset(c);
  c.index++;
  if (isQueryAhead(c)) {
    const query = within(c, () => readQuery(c));
    return { kind: 'copy', query, copyDirection: 'to' };
  }
  if (operator(c) === '(' && modifyingWords.has(word(c, 1))) {
    c.modifying.push(within(c, () => readModifying(c)));
    return { kind: 'copy', copyDirection: 'to' };
  }
  accept(c, 'binary');
  const into = accept(c, 'into');
  const target = isClauseAhead(c, 'from') || isClauseAhead(c, 'to') ? undefined : readTableName(c);
  const columns = readColumnList(c);
  if (into) return readCopyInto(c, target, columns);
  if (word(c) === 'to') {
    if (target !== undefined) c.reads.push(target);
    const head = { start, end: target?.end ?? start };
    return { kind: 'copy', columns, copyDirection: 'to', head };
  }
  return { kind: 'copy', target, columns, copyDirection: 'from' };
}

/** `BULK INSERT t FROM 'file'` of SQL Server. */
export function readBulkInsert(c: Cursor): Reading {
  c.index++;
  if (!accept(c, 'insert')) return { kind: 'other' };
  return { kind: 'copy', target: readTableName(c), columns: [], copyDirection: 'from' };
}

/** The word of a clause with its place or table behind it, where the name of a table is left out or put in by nothing. */
const isClauseAhead = (c: Cursor, clause: string): boolean => {
  const next = token(c, 1);
  const isPlace = next?.kind === 'string' || next?.kind === 'template-string' || word(c, 1) === 'stdin';
  return word(c) === clause && (isPlace || operator(c, 1) === '@' || (clause === 'from' && operator(c, 1) === '('));
};

const modifyingWords = new Set(['insert', 'update', 'delete', 'merge']);

/** `COPY (DELETE … RETURNING *) TO`: the rows that a statement returns. */
function readModifying(c: Cursor): Statement {
  const statement = c.grammar.statement(c);
  if (accept(c, 'returning')) readSelectList(c);
  return statement;
}

function readCopyInto(c: Cursor, target: Reading['target'], columns: readonly string[]): Reading {
  if (target === undefined) {
    // A stage or a path: the table or query behind FROM is unloaded.
    while (!done(c) && word(c) !== 'from') skipOne(c);
    const query = accept(c, 'from') ? readSource(c) : undefined;
    return { kind: 'copy', query, copyDirection: 'to' };
  }
  const query = accept(c, 'from') ? readSource(c) : undefined;
  return { kind: 'copy', target, columns, query, copyDirection: 'from' };
}

function readSource(c: Cursor): QueryBlock | undefined {
  if (isQueryAhead(c)) return within(c, () => readQuery(c));
  // Snowflake: a URL without quotes is no table.
  if (operator(c, 1).startsWith(':')) return undefined;
  readFromEntry(c, 'first', []);
  return undefined;
}

/** `LOAD DATA … INTO TABLE t` of MySQL and Hive, `LOAD DATA OVERWRITE t` of BigQuery; a library is `other`. */
export function readLoad(c: Cursor): Reading {
  c.index++;
  if (!accept(c, 'data') && !accept(c, 'xml')) return { kind: 'other' };
  let conflict: Reading['conflict'];
  while (!done(c)) {
    const start = startOffset(c);
    const here = word(c);
    if (here === 'into' || here === 'overwrite') {
      c.index++;
      if (here === 'overwrite') accept(c, 'into');
      accept(c, 'temp');
      accept(c, 'temporary');
      accept(c, 'table');
      break;
    }
    skipOne(c);
    if (here === 'replace' || here === 'ignore')
      conflict = { action: here === 'replace' ? 'update' : 'nothing', key: [], where: [], ...spanFrom(c, start) };
  }
  const target = readTableName(c);
  let partition = readPartitionClause(c);
  if (partition.partition === 'none' && operator(c) === '(') skipOne(c);
  if (partition.partition === 'none') partition = readPartitionClause(c);
  while (!done(c) && word(c) !== 'set') skipOne(c);
  if (accept(c, 'set')) readAssignments(c);
  return { kind: 'load', target, ...partition, conflict };
}

/** `EXPORT DATA OPTIONS (…) AS SELECT …`. */
export function readExport(c: Cursor): Reading {
  c.index++;
  if (!accept(c, 'data')) return { kind: 'export' };
  for (;;) {
    if (accept(c, 'with', 'connection')) readTableName(c);
    else if (done(c) || queryStarts.has(word(c)) || isQueryAhead(c)) break;
    else skipOne(c);
  }
  return { kind: 'export', query: done(c) ? undefined : readQuery(c) };
}

/** `UNLOAD ('SELECT …') TO …` of Redshift, where the query is a string, and `UNLOAD (SELECT …)`. */
export function readUnload(c: Cursor): Reading {
  c.index++;
  if (isQueryAhead(c)) return { kind: 'unload', query: within(c, () => readQuery(c)) };
  if (operator(c) !== '(') return { kind: 'unload' };
  const inside = within(c, () => {
    const here = token(c);
    c.index = c.end;
    return here;
  });
  const quoted = inside?.kind === 'string' || inside?.kind === 'template-string' ? inside : undefined;
  return { kind: 'unload', query: quoted === undefined ? undefined : readQuotedQuery(c, quoted) };
}
