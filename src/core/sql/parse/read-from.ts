import type { SqlExpression } from '../expression.ts';
import type { FromItem, JoinKind } from '../query-block.ts';
import type { TableReference } from '../table-reference.ts';
import { readConjuncts } from './conjuncts.ts';
import {
  accept,
  acceptOperator,
  type Cursor,
  done,
  isName,
  lastOffset,
  maxDepth,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from './cursor.ts';
import { nameOf, readAlias, readColumnList, readTableName } from './names.ts';
import { readArguments, readClauseExpression, readExpression } from './read-expression.ts';
import { isQueryAhead } from './read-primary.ts';
import { readQuery } from './read-query.ts';
import { afterTable } from './words.ts';

interface Source {
  readonly kind: 'table' | 'query' | 'function';
  readonly table?: TableReference;
  readonly query?: ReturnType<typeof readQuery>;
  readonly name?: string;
}

/** The entries of FROM, USING or of a multi-table UPDATE, joins flattened in the order they are written. */
export function readFromList(c: Cursor): readonly FromItem[] {
  const items: FromItem[] = [];
  if (c.depth >= maxDepth) {
    c.index = c.end;
    return items;
  }
  c.depth++;
  readFromEntry(c, 'first', items);
  while (!done(c)) {
    if (operator(c) === ',') {
      c.index++;
      readFromEntry(c, 'comma', items);
      continue;
    }
    if (word(c) === 'lateral' && word(c, 1) === 'view') {
      items.push(readLateralView(c));
      continue;
    }
    if (word(c) === 'pivot' || word(c) === 'unpivot') {
      readPivotClause(c);
      continue;
    }
    if (readLateCondition(c, items)) continue;
    const join = acceptJoin(c);
    if (join === undefined) break;
    readFromEntry(c, join, items);
  }
  c.depth--;
  return items;
}

/** `a JOIN b JOIN c ON … ON …`: the second condition is that of `b`, which then reaches to its end. */
function readLateCondition(c: Cursor, items: FromItem[]): boolean {
  if (word(c) !== 'on' && word(c) !== 'using') return false;
  const index = items.findLastIndex(
    ({ join, on, using }) => on.length + using.length === 0 && (join === 'inner' || outerJoins.has(join)),
  );
  const owner = items[index];
  const condition = owner === undefined ? undefined : readJoinCondition(c);
  if (owner === undefined || condition === undefined) return false;
  items[index] = { ...owner, ...condition, end: Math.max(owner.end, lastOffset(c)) };
  return true;
}

const outerJoins: ReadonlySet<JoinKind> = new Set(['left', 'right', 'full']);

/** One table, derived table or function with its alias, as USING of MERGE has it. */
export function readFromEntry(c: Cursor, join: JoinKind, items: FromItem[]): void {
  const start = startOffset(c);
  const first = items.length;
  const lateral = accept(c, 'lateral');
  accept(c, 'only');
  if (operator(c) === '(' && !isQueryAhead(c)) {
    const inner = within(c, () => readFromList(c));
    readAlias(c, afterTable);
    inner.forEach((item, index) => {
      items.push(index === 0 ? { ...item, join } : item);
    });
  } else {
    const source = readSource(c, items);
    if (source === undefined) return;
    items.push(finish(c, source, lateral ? 'lateral' : join, start));
  }
  const last = items[items.length - 1];
  if (last === undefined || items.length === first || join === 'first' || join === 'comma') return;
  const condition = readJoinCondition(c);
  if (condition === undefined) return;
  const on = [...last.on, ...condition.on];
  items[items.length - 1] = { ...last, on, using: condition.using, end: Math.max(last.end, lastOffset(c)) };
}

function readSource(c: Cursor, before: readonly FromItem[]): Source | undefined {
  const here = token(c);
  if (here === undefined) return undefined;
  if (operator(c) === '(') return { kind: 'query', query: within(c, () => readQuery(c)) };
  if (
    here.kind === 'string' ||
    here.kind === 'template-string' ||
    here.kind === 'parameter' ||
    (here.kind === 'hole' && !isName(here))
  ) {
    c.index++;
    return { kind: 'function', name: here.text };
  }
  if (word(c) === 'rows' && word(c, 1) === 'from') {
    c.index += 2;
    skipOne(c);
    return { kind: 'function', name: 'rows from' };
  }
  if (!isName(here) || (here.kind === 'word' && notTables.has(here.text) && operator(c, 1) !== '.')) return undefined;
  const table = readTableName(c);
  if (table === undefined) return undefined;
  if (operator(c) === '(' && table.name !== 'identifier(…)') {
    within(c, () => readArguments(c));
    return { kind: 'function', name: table.name };
  }
  return isPathOfAlias(c, table, before) ? { kind: 'function', name: table.name } : { kind: 'table', table };
}

const notTables = new Set([
  'where',
  'group',
  'order',
  'having',
  'select',
  'set',
  'on',
  'using',
  'join',
  'limit',
  'union',
  'when',
  'values',
  'inner',
  'from',
  'and',
  'or',
  'into',
  'insert',
  'as',
  'then',
  'qualify',
  'window',
  'returning',
]);

/** `FROM t, t.items`: a nested value of an earlier entry, not a table. */
const isPathOfAlias = (c: Cursor, table: TableReference, before: readonly FromItem[]): boolean =>
  (c.dialect === 'bigquery' || c.dialect === 'redshift') &&
  table.name.includes('.') &&
  before.some((item) => item.alias !== undefined && table.name.startsWith(`${item.alias}.`));

function finish(c: Cursor, source: Source, join: JoinKind, start: number): FromItem {
  readModifiers(c);
  let alias = readAlias(c, afterTable);
  if (alias !== undefined) readColumnDefinitions(c);
  readModifiers(c);
  // BigQuery: the alias may stand behind the sample or the time.
  if (alias === undefined) alias = readAlias(c, afterTable);
  const shared = {
    alias: alias === undefined ? undefined : nameOf(alias, c.dialect),
    join,
    on: [] as readonly SqlExpression[],
    using: [] as readonly string[],
    ...spanFrom(c, start),
  };
  if (source.kind === 'query' && source.query !== undefined) return { kind: 'query', query: source.query, ...shared };
  if (source.kind === 'table' && source.table !== undefined) {
    const cte = commonTable(c, source.table);
    if (cte === undefined) c.reads.push(source.table);
    return { kind: 'table', table: source.table, cte, ...shared };
  }
  return { kind: 'function', name: source.name ?? '', ...shared };
}

function commonTable(c: Cursor, table: TableReference): string | undefined {
  if (table.name.includes('.')) return undefined;
  const lower = table.name.toLowerCase();
  return c.commonTables.findLast((name) => name.toLowerCase() === lower);
}

/** `(a, b)` or, behind a function, `(a int, b text)`. */
function readColumnDefinitions(c: Cursor): void {
  if (operator(c) === '(') readColumnList(c);
}

/** What may stand between a table and its alias or behind it: time travel, samples, partitions, index hints. */
function readModifiers(c: Cursor): void {
  for (;;) {
    const here = word(c);
    const bracketed = operator(c, 1) === '(';
    if ((here === 'for' || here === 'timestamp' || here === 'version' || here === 'system_time') && readTimeTravel(c))
      continue;
    if (
      (here === 'at' ||
        here === 'before' ||
        here === 'changes' ||
        here === 'partition' ||
        here === 'match_recognize') &&
      bracketed
    ) {
      c.index++;
      within(c, () => readArguments(c));
    } else if (here === 'tablesample' || here === 'sample' || (here === 'using' && word(c, 1) === 'sample'))
      readSample(c);
    else if (here === 'with' && word(c, 1) === 'ordinality') c.index += 2;
    else if (here === 'with' && word(c, 1) === 'offset') {
      c.index += 2;
      readAlias(c, afterTable);
    } else if (here === 'with' && bracketed) c.index = Math.min((c.match[c.index + 1] ?? c.end) + 1, c.end);
    else if (
      (here === 'use' || here === 'force' || here === 'ignore') &&
      (word(c, 1) === 'index' || word(c, 1) === 'key')
    ) {
      c.index += 2;
      while (!done(c) && operator(c) !== '(') c.index++;
      if (!done(c)) skipOne(c);
    } else if (here === 'final') c.index++;
    else return;
  }
}

function readTimeTravel(c: Cursor): boolean {
  const offset = word(c) === 'for' ? 1 : 0;
  const what = word(c, offset);
  if (what !== 'timestamp' && what !== 'version' && what !== 'system_time' && what !== 'system_version') return false;
  if (word(c, offset + 1) === 'as' && word(c, offset + 2) === 'of') {
    c.index += offset + 3;
    readExpression(c, 60);
    return true;
  }
  if (offset === 1 && (word(c, 2) === 'between' || word(c, 2) === 'from')) {
    c.index += 3;
    readExpression(c, 60);
    if (accept(c, 'and') || accept(c, 'to')) readExpression(c, 60);
    return true;
  }
  return false;
}

function readSample(c: Cursor): void {
  if (accept(c, 'using')) c.index++;
  else c.index++;
  while (!done(c) && word(c) !== '' && !afterTable.has(word(c))) c.index++;
  if (operator(c) === '(') skipOne(c);
  else if (token(c)?.kind === 'number') {
    c.index++;
    acceptOperator(c, '%');
  }
  if ((word(c) === 'repeatable' || word(c) === 'seed') && operator(c, 1) === '(') {
    c.index++;
    skipOne(c);
  }
}

function readJoinCondition(c: Cursor): { on: readonly SqlExpression[]; using: readonly string[] } | undefined {
  if (word(c) === 'on' && word(c, 1) !== 'conflict' && word(c, 1) !== 'duplicate') {
    c.index++;
    return { on: readConjuncts(c), using: [] };
  }
  if (word(c) === 'using' && operator(c, 1) === '(') {
    c.index++;
    const using = readColumnList(c);
    readAlias(c, afterTable);
    return { on: [], using };
  }
  return undefined;
}

const joinPrefixes = new Set([
  'natural',
  'asof',
  'inner',
  'left',
  'right',
  'full',
  'cross',
  'outer',
  'semi',
  'anti',
  'positional',
  'global',
  'any',
  'all',
]);

function acceptJoin(c: Cursor): JoinKind | undefined {
  let ahead = 0;
  let kind: JoinKind = 'inner';
  let special = false;
  while (joinPrefixes.has(word(c, ahead))) {
    const here = word(c, ahead);
    if (here === 'left' || here === 'right' || here === 'full' || here === 'cross') kind = here;
    else if (here === 'asof' || here === 'semi' || here === 'anti' || here === 'positional') special = true;
    ahead++;
  }
  const here = word(c, ahead);
  if (here === 'apply') kind = 'lateral';
  else if (here !== 'join' && here !== 'straight_join') return undefined;
  c.index += ahead + 1;
  return special ? 'other' : kind;
}

/** `LATERAL VIEW [OUTER] explode(x) t AS a, b`. */
function readLateralView(c: Cursor): FromItem {
  const start = startOffset(c);
  c.index += 2;
  accept(c, 'outer');
  const name = readTableName(c)?.name ?? '';
  if (operator(c) === '(') within(c, () => readArguments(c));
  const alias = isName(token(c)) && word(c) !== 'as' && !afterTable.has(word(c)) ? token(c) : undefined;
  if (alias !== undefined) c.index++;
  if (accept(c, 'as')) {
    while (isName(token(c)) && !afterTable.has(word(c))) {
      c.index++;
      if (!(operator(c) === ',' && isName(token(c, 1)))) break;
      c.index++;
    }
  }
  return {
    kind: 'function',
    name,
    alias: alias === undefined ? undefined : nameOf(alias, c.dialect),
    join: 'lateral',
    on: [],
    using: [],
    ...spanFrom(c, start),
  };
}

/** `t PIVOT (…) AS p`, or the clauses of DuckDB's statement form behind its table. */
function readPivotClause(c: Cursor): void {
  c.index++;
  if (word(c) === 'include' || word(c) === 'exclude') c.index = Math.min(c.index + 2, c.end);
  if (operator(c) === '(') skipOne(c);
  const alias = readAlias(c, afterTable);
  if (alias !== undefined && operator(c) === '(') skipOne(c);
}

/** DuckDB: `PIVOT t ON a USING sum(b) GROUP BY c`. */
export function readPivot(c: Cursor): readonly FromItem[] {
  c.index++;
  const items: FromItem[] = [];
  readFromEntry(c, 'first', items);
  const clauses = new Set(['on', 'using', 'group', 'into', 'name', 'value', 'by', 'in']);
  while (!done(c) && (clauses.has(word(c)) || operator(c) === ',')) {
    c.index++;
    if (!clauses.has(word(c)) && !done(c)) readClauseExpression(c);
  }
  return items;
}
