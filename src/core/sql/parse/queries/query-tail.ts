import type { Span } from '../../../text/span.ts';
import type { CommonTable, FromItem, Ordering, QueryBlock, SelectItem, SqlExpression } from '../../model/expression.ts';
import {
  accept,
  acceptAny,
  acceptOperator,
  type Cursor,
  done,
  lastOffset,
  skipOne,
  spanFrom,
  startOffset,
  token,
  word,
} from '../cursor.ts';
import { readClauseExpression, readOrderItem } from '../expressions/read-expression.ts';
import { isGrammar } from '../is-grammar.ts';
import { readColumnList } from '../names.ts';
import { clauseWords } from '../words.ts';

type SetOperator = QueryBlock['then'][number]['operator'];

export interface QueryDraft {
  with: readonly CommonTable[];
  distinct: boolean;
  distinctOn?: readonly SqlExpression[];
  select: SelectItem[];
  from: readonly FromItem[];
  where: readonly SqlExpression[];
  whereSpan: Span | undefined;
  groupBy: readonly SqlExpression[];
  having: readonly SqlExpression[];
  qualify: readonly SqlExpression[];
  orderBy: Ordering | undefined;
  limit: Span | undefined;
  /** Operands of set operations: `then` of the finished block. */
  next: QueryBlock['then'][number][];
}

export const emptyDraft = (): QueryDraft => ({
  with: [],
  distinct: false,
  select: [],
  from: [],
  where: [],
  whereSpan: undefined,
  groupBy: [],
  having: [],
  qualify: [],
  orderBy: undefined,
  limit: undefined,
  next: [],
});

export const finish = ({ next, ...draft }: QueryDraft, { start, end }: Span): QueryBlock => ({
  ...draft,
  // biome-ignore lint/suspicious/noThenProperty: a list, nothing that await would call
  then: next,
  start,
  end,
});

/** A block that says nothing but its place and columns, e.g. for RETURNING of a data-modifying common table. */
export const emptyQuery = (span: Span, select: readonly SelectItem[] = []): QueryBlock =>
  finish({ ...emptyDraft(), select: [...select] }, span);

/** For clauses of which only their place matters; read for the tables and calls inside. */
export function readExpressionList(c: Cursor): void {
  do {
    readClauseExpression(c);
  } while (acceptOperator(c, ','));
}

function readOrderList(c: Cursor): readonly SqlExpression[] {
  const by: SqlExpression[] = [];
  do {
    by.push(readOrderItem(c));
  } while (acceptOperator(c, ','));
  return by;
}

export function acceptSetOperator(c: Cursor): SetOperator | undefined {
  const here = word(c);
  const sided = here === 'left' || here === 'right' || here === 'full' || here === 'inner' || here === 'outer' ? 1 : 0;
  // `FULL OUTER UNION ALL BY NAME`
  const outer = sided === 1 && word(c, 1) === 'outer' ? 2 : sided;
  const name = word(c, outer);
  if (name !== 'union' && name !== 'intersect' && name !== 'except' && name !== 'minus') return undefined;
  c.index += outer + 1;
  const all = accept(c, 'all');
  if (!all) accept(c, 'distinct');
  const named = accept(c, 'by', 'name') || accept(c, 'corresponding') || accept(c, 'strict', 'corresponding');
  if (named && (accept(c, 'on') || accept(c, 'by'))) readColumnList(c);
  if (name === 'union') return all ? 'union all' : 'union';
  return name === 'minus' ? 'except' : name;
}

/** ORDER BY, LIMIT, OFFSET, FETCH and locking, in any order. */
export function readQueryTail(c: Cursor, draft: QueryDraft): void {
  while (!done(c)) {
    const start = startOffset(c);
    const here = word(c);
    if (here === 'order' && (word(c, 1) === 'by' || token(c, 1) === undefined)) {
      c.index++;
      accept(c, 'by');
      const by = readOrderList(c);
      draft.orderBy = { by, ...spanFrom(c, start) };
    } else if (here === 'limit' || here === 'offset' || here === 'fetch') {
      c.index++;
      do {
        if (!accept(c, 'all') && !acceptAny(c, fetchWords)) readClauseExpression(c);
      } while (acceptOperator(c, ',') || fetchWords.has(word(c)));
      accept(c, 'with', 'ties');
      draft.limit = draft.limit === undefined ? spanFrom(c, start) : { start: draft.limit.start, end: lastOffset(c) };
    } else if (here === 'for' && lockWords.has(word(c, 1))) {
      c.index += 2;
      while (!done(c) && (!isGrammar(c, clauseWords) || word(c) === 'for')) skipOne(c);
    } else if ((here === 'distribute' || here === 'sort' || here === 'cluster') && word(c, 1) === 'by') {
      c.index += 2;
      readExpressionList(c);
    } else if (here === 'with' && withTails.has(word(c, 1))) c.index += 2;
    else break;
  }
}

const fetchWords = new Set(['first', 'next', 'row', 'rows', 'only', 'percent']);
const lockWords = new Set(['update', 'share', 'no', 'key', 'read', 'json', 'xml', 'browse']);
const withTails = new Set(['ur', 'cs', 'rs', 'rr']);
