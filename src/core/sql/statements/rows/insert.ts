import type { Span } from '../../../text/span.ts';
import type { Token } from '../../lex/token.ts';
import type { QueryBlock, SqlExpression } from '../../model/expression.ts';
import type { ConflictClause, StatementKind } from '../../model/statement.ts';
import type { TableReference } from '../../model/table-reference.ts';
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
  within,
  word,
} from '../../parse/cursor.ts';
import { readConjuncts } from '../../parse/expressions/conjuncts.ts';
import { nameOf, readAlias, readColumnList, readColumnName, readTableName, readTargetName } from '../../parse/names.ts';
import { emptyQuery } from '../../parse/queries/query-tail.ts';
import { readFromList } from '../../parse/queries/read-from.ts';
import { readQuery } from '../../parse/queries/read-query.ts';
import { isQueryAhead } from '../../parse/query-ahead.ts';
import { readArguments } from '../../parse/read-arguments.ts';
import { afterTable, queryStarts } from '../../parse/words.ts';
import { readAssignments } from './assignments.ts';
import { readPartitionClause } from './partition-clause.ts';
import type { Reading } from './reading.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Mutable<Reading>;

const modifiers = new Set(['low_priority', 'delayed', 'high_priority']);

export function readInsert(c: Cursor): Reading {
  const start = startOffset(c);
  c.index++;
  const draft: Draft = { kind: 'insert' };
  acceptAny(c, modifiers);
  const actionStart = startOffset(c);
  if (accept(c, 'ignore')) draft.conflict = plainConflict('nothing', spanFrom(c, actionStart));
  if (accept(c, 'or')) {
    const action = word(c);
    c.index++;
    const span = spanFrom(c, actionStart);
    if (action === 'replace') draft.conflict = plainConflict('update', span);
    else if (action === 'ignore') draft.conflict = plainConflict('nothing', span);
  }
  if (accept(c, 'overwrite')) draft.kind = 'insert_overwrite';
  if (word(c) === 'all' || word(c) === 'first') return readInsertAll(c, draft.kind);
  accept(c, 'into');
  if (
    draft.kind === 'insert_overwrite' &&
    (word(c) === 'directory' || (word(c) === 'local' && word(c, 1) === 'directory'))
  )
    return readOverwriteDirectory(c, start);
  readTarget(c, draft);
  readInsertBody(c, draft);
  return draft;
}

/** MySQL: deletes the rows of the same key, then inserts. */
export function readReplace(c: Cursor): Reading {
  c.index++;
  const draft: Draft = { kind: 'replace' };
  acceptAny(c, modifiers);
  accept(c, 'into');
  readTarget(c, draft);
  readInsertBody(c, draft);
  return draft;
}

const plainConflict = (action: ConflictClause['action'], span: Span): ConflictClause => ({
  action,
  key: [],
  where: [],
  ...span,
});

function readTarget(c: Cursor, draft: Draft): void {
  if (isName(token(c, 1)) && !opensRows(c, 1)) {
    accept(c, 'table');
    if (c.dialect !== 'spark') accept(c, 'only');
  } else if (draft.kind === 'insert_overwrite' && word(c) === 'table' && opensRows(c, 1)) c.index++;
  draft.target = opensRows(c, 0) ? undefined : readTargetName(c);
}

/** The rows begin here, so that a target whose name is one of their words is told from them by what follows. */
function opensRows(c: Cursor, ahead: number): boolean {
  const here = word(c, ahead);
  if (!queryStarts.has(here)) return false;
  const behind = token(c, ahead + 1);
  if (behind?.kind === 'operator') return here !== 'from' && here !== 'table' && behind.text !== '.';
  if (behind?.kind !== 'word') return true;
  return here === 'table' ? !queryStarts.has(behind.text) : here !== 'values' && !rowStarts.has(behind.text);
}

const rowStarts = new Set(['select', 'values', 'with']);

function readInsertBody(c: Cursor, draft: Draft): void {
  Object.assign(draft, readPartitionClause(c));
  accept(c, 'if', 'not', 'exists');
  const alias = word(c) === 'as' && !queryStarts.has(word(c, 1)) ? readAlias(c, afterTable) : undefined;
  if (alias !== undefined) draft.targetAlias = nameOf(alias, c.dialect);
  if (operator(c) === '(' && !isQueryAhead(c)) draft.columns = readColumnList(c);
  if (draft.partition === 'none') Object.assign(draft, readPartitionClause(c));
  if (accept(c, 'by', 'name')) draft.byName = true;
  accept(c, 'by', 'position');
  if (operator(c) === '(' && !isQueryAhead(c) && draft.columns === undefined) draft.columns = readColumnList(c);
  if (word(c) === 'overriding') c.index = Math.min(c.index + 3, c.end);
  readReplaceWhere(c, draft);
  readRows(c, draft);
  readConflict(c, draft);
}

/** Delta: `INSERT INTO t REPLACE WHERE …` or `REPLACE USING (…)`. */
function readReplaceWhere(c: Cursor, draft: Draft): void {
  if (word(c) !== 'replace' || (word(c, 1) !== 'where' && word(c, 1) !== 'using' && word(c, 1) !== 'on')) return;
  draft.kind = 'insert_replace_where';
  c.index++;
  const start = startOffset(c);
  if (accept(c, 'where')) {
    draft.where = readWhereBeforeRows(c);
    draft.whereSpan = spanFrom(c, start);
  } else if (accept(c, 'using')) readColumnList(c);
  else if (accept(c, 'on')) draft.on = readConjuncts(c);
}

const beforeOperand = new Set('in exists any all some and or not between like when then else case'.split(' '));

const endsOperand = (here: Token | undefined): boolean =>
  here !== undefined &&
  (here.kind === 'operator' ? here.text === ')' : here.kind !== 'word' || !beforeOperand.has(here.text));

/** The condition may be followed by its rows in brackets, which are no operand of it. */
function readWhereBeforeRows(c: Cursor): readonly SqlExpression[] {
  const from = c.index;
  const end = c.end;
  while (c.index < end && !(c.index > from && isQueryAhead(c) && endsOperand(c.tokens[c.index - 1]))) skipOne(c);
  c.end = c.index;
  c.index = from;
  const where = readConjuncts(c);
  c.end = end;
  return where;
}

function readRows(c: Cursor, draft: Draft): void {
  if (accept(c, 'default', 'values')) {
    draft.valueRows = 1;
  } else if ((word(c) === 'values' || word(c) === 'value') && operator(c, 1) !== '.') readValueRows(c, draft);
  else if (accept(c, 'set')) {
    const assignments = readAssignments(c);
    draft.columns = assignments.map(({ column }) => column);
    draft.values = assignments.map(({ value }) => value);
    draft.valueRows = 1;
  } else if (queryStarts.has(word(c)) || isQueryAhead(c)) draft.query = readQuery(c);
}

function readValueRows(c: Cursor, draft: Draft): void {
  c.index++;
  const values: SqlExpression[] = [];
  let rows = 0;
  while (!done(c)) {
    if (word(c) === 'row' && operator(c, 1) === '(') c.index++;
    if (operator(c) !== '(') {
      // A template or parameter that stands for all rows.
      if (rows === 0 && (token(c)?.kind === 'hole' || token(c)?.kind === 'parameter')) c.index++;
      break;
    }
    values.push(...within(c, () => readArguments(c)));
    rows++;
    if (!acceptOperator(c, ',')) break;
  }
  draft.values = values;
  draft.valueRows = Math.max(rows, 1);
}

/** `[AS new] ON CONFLICT (…) DO …`, `ON DUPLICATE KEY UPDATE …`. */
function readConflict(c: Cursor, draft: Draft): void {
  if (word(c) === 'as' && token(c, 1) !== undefined) {
    c.index += 2;
    if (operator(c) === '(') skipOne(c);
  }
  if (accept(c, 'on', 'duplicate', 'key')) {
    const start = startOffset(c);
    if (!accept(c, 'update')) return;
    draft.assignments = readAssignments(c);
    draft.conflict = { action: 'update', key: [], where: [], ...spanFrom(c, start) };
    return;
  }
  if (!accept(c, 'on', 'conflict')) return;
  const key = readColumnList(c);
  const constraint = accept(c, 'on', 'constraint') ? readColumnName(c) : undefined;
  const asked = accept(c, 'where') ? readConjuncts(c) : [];
  const start = startOffset(c);
  const on = {
    key,
    ...(constraint === undefined ? {} : { constraint }),
    ...(asked.length === 0 ? {} : { asked }),
  };
  if (accept(c, 'do', 'nothing')) draft.conflict = { action: 'nothing', ...on, where: [], ...spanFrom(c, start) };
  else if (accept(c, 'do', 'update')) {
    draft.assignments = accept(c, 'set') ? readAssignments(c) : [];
    const where = accept(c, 'where') ? readConjuncts(c) : [];
    draft.conflict = { action: 'update', ...on, where, ...spanFrom(c, start) };
  } else if (token(c)?.kind === 'hole') {
    // What is done with a row of the same key is put in; either way none is added again.
    c.index++;
    draft.conflict = { action: 'update', ...on, where: [], ...spanFrom(c, start) };
  }
}

function readOverwriteDirectory(c: Cursor, start: number): Reading {
  accept(c, 'local');
  accept(c, 'directory');
  if (token(c)?.kind !== 'word') c.index = Math.min(c.index + 1, c.end);
  const head = spanFrom(c, start);
  while (!done(c) && !queryStarts.has(word(c)) && !isQueryAhead(c)) skipOne(c);
  return { kind: 'insert_overwrite_dir', head, query: done(c) ? undefined : readQuery(c) };
}

/** Snowflake: `INSERT ALL [WHEN … THEN] INTO a (…) VALUES (…) INTO b … SELECT …`. */
function readInsertAll(c: Cursor, kind: StatementKind): Reading {
  c.index++;
  const targets: TableReference[] = [];
  const columns: string[] = [];
  const values: SqlExpression[] = [];
  while (!done(c) && !queryStarts.has(word(c)) && !isQueryAhead(c)) {
    if (accept(c, 'when')) readConjuncts(c);
    else if (accept(c, 'into')) {
      const target = readTableName(c);
      if (target !== undefined) targets.push(target);
      const list = readColumnList(c);
      if (targets.length === 1) columns.push(...list);
      if (word(c) === 'values' && operator(c, 1) === '(') {
        c.index++;
        values.push(...within(c, () => readArguments(c)));
      }
    } else skipOne(c);
  }
  const query = done(c) ? undefined : readQuery(c);
  return { kind, target: targets[0], targets, columns, values, query, partition: 'none' };
}

/** Hive: `FROM s INSERT OVERWRITE TABLE a SELECT … INSERT INTO b SELECT …`. The query is that of the first target. */
export function readMultiInsert(c: Cursor): Reading {
  const start = startOffset(c);
  c.index++;
  const from = readFromList(c);
  const inserts: Reading[] = [];
  let headStart = start;
  while (!done(c)) {
    if (word(c) !== 'insert') {
      skipOne(c);
      continue;
    }
    if (inserts.length === 0) headStart = startOffset(c);
    inserts.push(readInsert(c));
  }
  const first = inserts[0];
  if (first === undefined) return { kind: 'select', query: { ...emptyQuery(spanFrom(c, start)), from } };
  const targets = inserts.flatMap((insert) => (insert.target === undefined ? [] : [insert.target]));
  const query: QueryBlock | undefined =
    first.query === undefined ? undefined : { ...first.query, from: [...from, ...first.query.from] };
  const headEnd = first.target?.end ?? headStart + 'insert'.length;
  return { ...first, targets, query, head: { start: headStart, end: headEnd } };
}
