import type { CommonTable, QueryBlock, SelectItem, SqlExpression } from '../../model/expression.ts';
import { leaveCommonScope } from '../common-scope.ts';
import {
  accept,
  acceptAny,
  acceptOperator,
  type Cursor,
  done,
  maxDepth,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../cursor.ts';
import { readConjuncts } from '../expressions/conjuncts.ts';
import { readClauseExpression } from '../expressions/read-expression.ts';
import { isGrammar } from '../is-grammar.ts';
import { readTableName } from '../names.ts';
import { flatParts, opaque } from '../opaque.ts';
import { isQueryAhead } from '../query-ahead.ts';
import { readArguments } from '../read-arguments.ts';
import { skipTo } from '../skip-to.ts';
import { clauseWords, queryStarts } from '../words.ts';
import {
  acceptSetOperator,
  emptyDraft,
  emptyQuery,
  finish,
  type QueryDraft,
  readExpressionList,
  readQueryTail,
} from './query-tail.ts';
import { readFromList } from './read-from.ts';
import { readPipes } from './read-pipes.ts';
import { readPivotQuery } from './read-pivot-query.ts';
import { readSelectList } from './read-select-list.ts';
import { isTransformAhead, readTransform } from './read-transform.ts';
import { readWith } from './read-with.ts';

/** A query with WITH, set operations, ORDER BY and LIMIT; stops where it cannot go on. */
export function readQuery(c: Cursor): QueryBlock {
  const start = startOffset(c);
  if (c.depth >= maxDepth) return emptyQuery(flatParts(c));
  c.depth++;
  const scope = c.commonTables.length;
  const common = word(c) === 'with' ? readWith(c) : [];
  const query = readQueryBody(c, start, common);
  leaveCommonScope(c, scope);
  c.depth--;
  return query;
}

/** The query behind a WITH that has been read already. */
export function readQueryBody(c: Cursor, start: number, common: readonly CommonTable[]): QueryBlock {
  const draft = readOperand(c);
  draft.with = [...common, ...draft.with];
  const next: QueryBlock['then'][number][] = [...draft.next];
  for (let set = acceptSetOperator(c); set !== undefined; set = acceptSetOperator(c)) {
    const from = startOffset(c);
    const operand = readOperand(c);
    next.push({ operator: set, query: finish(operand, spanFrom(c, from)) });
  }
  draft.next = next;
  readQueryTail(c, draft);
  if (operator(c) === '|>') readPipes(c, draft);
  return finish(draft, spanFrom(c, start));
}

function readOperand(c: Cursor): QueryDraft {
  if (operator(c) === '(' && isQueryAhead(c)) {
    const { then, ...block } = within(c, () => readQuery(c));
    return { ...block, select: [...block.select], next: [...then] };
  }
  if (word(c) === 'values') return readValues(c);
  if (word(c) === 'table') return readTableCommand(c);
  if (word(c) === 'pivot' || word(c) === 'unpivot') return { ...emptyDraft(), from: readPivotQuery(c) };
  if (describing.has(word(c))) return readDescription(c);
  return readClauses(c);
}

/** `VALUES (1, 2), (3, 4)` is `SELECT 1, 2 UNION ALL SELECT 3, 4`. */
function readValues(c: Cursor): QueryDraft {
  c.index++;
  const rows: QueryBlock[] = [];
  while (!done(c)) {
    if (word(c) === 'row' && operator(c, 1) === '(') c.index++;
    const from = startOffset(c);
    const items = operator(c) === '(' ? within(c, () => readArguments(c)) : readBareRow(c);
    if (items.length === 0) break;
    const select = items.map((expression) => ({
      expression,
      name: undefined,
      alias: undefined,
      start: expression.start,
      end: expression.end,
    }));
    // A missing expression stands where it was expected, which is before the word that came instead.
    rows.push(emptyQuery(spanFrom(c, Math.min(from, select[0]?.start ?? from)), select));
    if (!acceptOperator(c, ',')) break;
  }
  const draft = emptyDraft();
  draft.select = [...(rows[0]?.select ?? [])];
  draft.next = rows.slice(1).map((query) => ({ operator: 'union all' as const, query }));
  return draft;
}

/** `VALUES 1, 2`: rows of one column. */
function readBareRow(c: Cursor): readonly SqlExpression[] {
  const from = c.index;
  const item = readClauseExpression(c);
  return c.index > from ? [item] : [];
}

const describing = new Set(['summarize', 'describe', 'desc', 'show']);

/** DuckDB: `(DESCRIBE SELECT …)`, `(SUMMARIZE t)`, `(SHOW TABLES)`; what SHOW names is no table that is read. */
function readDescription(c: Cursor): QueryDraft {
  if (queryStarts.has(word(c, 1)) && word(c, 1) !== 'table') {
    const select = [everything(c)];
    c.index++;
    const query = readQuery(c);
    return { ...emptyDraft(), select, next: [{ operator: 'union', query }] };
  }
  if (word(c) !== 'show') return readTableCommand(c);
  const select = [everything(c)];
  c.index = c.end;
  return { ...emptyDraft(), select };
}

/** `TABLE t` is `SELECT * FROM t`. */
function readTableCommand(c: Cursor): QueryDraft {
  const select = [everything(c)];
  c.index++;
  return { ...emptyDraft(), select, from: readFromList(c) };
}

/** The `*` that a query without a select list means, at the keyword that implies it. */
function everything(c: Cursor): SelectItem {
  const start = startOffset(c);
  const span = { start, end: token(c)?.end ?? start };
  return { expression: { kind: 'star', qualifier: undefined, ...span }, name: undefined, alias: undefined, ...span };
}

function readClauses(c: Cursor): QueryDraft {
  const draft = emptyDraft();
  let selected = false;
  let sourced = false;
  while (!done(c)) {
    const start = startOffset(c);
    const here = word(c);
    if (here === 'select' && !selected) {
      selected = true;
      c.index++;
      readSelectModifiers(c, draft);
      draft.select = readSelectList(c);
      if (isTransformAhead(c)) draft.select = readTransform(c, draft.select);
    } else if (here === 'from' && !sourced) {
      sourced = true;
      if (!selected) draft.select = [everything(c)];
      c.index++;
      draft.from = readFromList(c);
    } else if (here === 'into' && selected && !sourced) readInto(c);
    else if (here === 'where' && draft.whereSpan === undefined) {
      c.index++;
      draft.where = readConjuncts(c);
      draft.whereSpan = spanFrom(c, start);
    } else if (here === 'group' && word(c, 1) === 'by') {
      c.index += 2;
      draft.groupBy = readGroupBy(c);
    } else if (accept(c, 'having')) draft.having = readConjuncts(c);
    else if (accept(c, 'qualify')) draft.qualify = readConjuncts(c);
    else if (accept(c, 'window')) readExpressionList(c);
    else if ((here === 'connect' && word(c, 1) === 'by') || (here === 'start' && word(c, 1) === 'with')) {
      c.index += 2;
      accept(c, 'nocycle');
      readClauseExpression(c);
    } else if ((here === 'distribute' || here === 'sort' || here === 'cluster') && word(c, 1) === 'by') {
      c.index += 2;
      readExpressionList(c);
    } else if (here === 'using' && word(c, 1) === 'sample') {
      c.index += 2;
      readClauseExpression(c);
    } else if ((selected || sourced) && strayWords.has(here)) {
      do skipOne(c);
      while (!done(c) && !isGrammar(c, clauseWords));
    } else if (!(selected && !sourced) || !skipTo(c, isFrom)) break;
  }
  return draft;
}

const isFrom = (c: Cursor): boolean => word(c) === 'from' && isGrammar(c, clauseWords);

/** Words that continue nothing here: a clause is half-typed, and the next one is still to be read. */
const strayWords = new Set(['group', 'by', 'and', 'or', 'as', 'end', 'select', 'from', 'where']);

const selectModifiers = new Set([
  'all',
  'sql_calc_found_rows',
  'sql_no_cache',
  'sql_small_result',
  'sql_big_result',
  'sql_buffer_result',
  'high_priority',
  'straight_join',
  'stream',
]);

/** BigQuery: `SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (…) a, …`. */
const privacy = new Set(['differential_privacy', 'anonymization', 'aggregation_threshold']);

function readSelectModifiers(c: Cursor, draft: QueryDraft): void {
  for (;;) {
    if (word(c) === 'distinct' || word(c) === 'distinctrow') {
      draft.distinct = true;
      c.index++;
      if (word(c) === 'on' && operator(c, 1) === '(') {
        c.index++;
        draft.distinctOn = within(c, () => readArguments(c));
      }
    } else if (acceptAny(c, selectModifiers) !== undefined) continue;
    else if (word(c) === 'with' && privacy.has(word(c, 1))) {
      c.index += 2;
      if (accept(c, 'options')) skipOne(c);
    } else if (word(c) === 'as' && (word(c, 1) === 'struct' || word(c, 1) === 'value')) c.index += 2;
    else if (word(c) === 'top' && (token(c, 1)?.kind === 'number' || operator(c, 1) === '(')) {
      c.index++;
      skipOne(c);
      accept(c, 'percent');
      accept(c, 'with', 'ties');
    } else return;
  }
}

const intoModifiers = new Set(['temp', 'temporary', 'unlogged', 'table', 'local', 'global', 'transient']);

/** `SELECT … INTO t`: the table is made. Variables (`INTO @x`, `INTO OUTFILE`) are not tables. */
function readInto(c: Cursor): void {
  c.index++;
  if (c.nesting > 0 || c.dialect === 'mysql' || c.dialect === 'bigquery' || c.dialect === 'snowflake') {
    while (!done(c) && !isGrammar(c, clauseWords)) skipOne(c);
    return;
  }
  for (let here = acceptAny(c, intoModifiers); here !== undefined; here = acceptAny(c, intoModifiers))
    if (here === 'temp' || here === 'temporary') c.intoTemporary = true;
  const name = readTableName(c);
  c.into ??= name;
}

function readGroupBy(c: Cursor): readonly SqlExpression[] {
  const items: SqlExpression[] = [];
  accept(c, 'distinct');
  while (!done(c)) {
    const start = startOffset(c);
    const before = c.index;
    if (word(c) === 'grouping' && word(c, 1) === 'sets' && operator(c, 2) === '(') {
      c.index += 2;
      const parts = within(c, () => readArguments(c));
      items.push(opaque(c, start, parts));
    } else if (word(c) === 'all' && (token(c, 1) === undefined || isGrammar(c, clauseWords, 1))) c.index++;
    else {
      const item = readClauseExpression(c);
      if (c.index > before) items.push(item);
    }
    if (word(c) === 'with' && (word(c, 1) === 'rollup' || word(c, 1) === 'cube' || word(c, 1) === 'totals'))
      c.index += 2;
    if (!acceptOperator(c, ',')) break;
  }
  return items;
}
