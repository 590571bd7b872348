import type { Token } from '../../lex/token.ts';
import type { FromItem, JoinKind, QueryBlock, SqlExpression } from '../../model/expression.ts';
import { lastNamePart } from '../../model/name-parts.ts';
import type { TableReference } from '../../model/table-reference.ts';
import { commonTableNamed } from '../common-scope.ts';
import {
  accept,
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
} from '../cursor.ts';
import { readConjuncts } from '../expressions/conjuncts.ts';
import { readExpression } from '../expressions/read-expression.ts';
import { isGrammar } from '../is-grammar.ts';
import { nameOf, readAlias, readColumnList, readPrefixAlias, readTableName } from '../names.ts';
import { isQueryAhead } from '../query-ahead.ts';
import { readArguments } from '../read-arguments.ts';
import { skipTo } from '../skip-to.ts';
import { afterTable, clauseWords } from '../words.ts';
import { readLateralView } from './read-lateral-view.ts';
import { readPivotClause } from './read-pivot.ts';
import { readTableArguments } from './table-arguments.ts';
import { readTableModifiers } from './table-modifiers.ts';

interface Source {
  readonly kind: 'table' | 'query' | 'function';
  readonly table?: TableReference;
  readonly query?: QueryBlock;
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
  readJoins(c, items);
  c.depth--;
  return items;
}

/** Joins behind the entries that are there already, as the pipe syntax adds them. */
export function readJoins(c: Cursor, items: FromItem[]): void {
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
    if (join === undefined) {
      if (isGrammar(c, clauseWords) || !skipTo(c, goesOn)) break;
      continue;
    }
    readFromEntry(c, join, items);
  }
}

/** Another entry, or the clause that ends the list and so the search for one. */
const goesOn = (c: Cursor): boolean => operator(c) === ',' || isGrammar(c, clauseWords);

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
  const before = readPrefixAlias(c);
  if (word(c) === 'stream' && c.dialect === 'spark' && isName(token(c, 1)) && word(c, 1) !== 'set') c.index++;
  if (operator(c) === '(' && !isQueryAhead(c)) {
    const inner = within(c, () => readFromList(c));
    readAlias(c, afterTable);
    inner.forEach((item, index) => {
      items.push(index === 0 ? { ...item, join } : item);
    });
  } else {
    const source = readSource(c, items);
    if (source === undefined) return;
    items.push(finish(c, source, lateral ? 'lateral' : join, start, before));
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
  if (operator(c) === '(') return { kind: 'query', query: within(c, () => c.grammar.query(c)) };
  if (word(c) === 'unpivot' && c.dialect === 'redshift' && isName(token(c, 1))) return readObjectUnpivot(c);
  if (
    here.kind === 'string' ||
    here.kind === 'template-string' ||
    here.kind === 'parameter' ||
    (here.kind === 'hole' && !isName(here))
  ) {
    c.index++;
    // Behind a stage its format and pattern.
    if (here.kind === 'parameter' && operator(c) === '(') skipOne(c);
    return { kind: 'function', name: here.text };
  }
  if (word(c) === 'rows' && word(c, 1) === 'from' && operator(c, 2) === '(') {
    c.index += 2;
    within(c, () => readArguments(c));
    return { kind: 'function', name: 'rows from' };
  }
  if (!isName(here) || (isGrammar(c, notTables) && operator(c, 1) !== '.')) return undefined;
  if (standsForItself(c)) {
    c.index++;
    return { kind: 'function', name: here.text };
  }
  const table = readTableName(c);
  if (table === undefined) return undefined;
  if (operator(c) === '(' && table.name !== 'identifier(…)') {
    readTableArguments(c);
    return { kind: 'function', name: table.name };
  }
  // Oracle's and MySQL's row for a SELECT without a table.
  if (table.name === 'dual' && here.kind === 'word') return { kind: 'function', name: table.name };
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

/** Postgres: a function without brackets is a source of one row. */
const standsForItself = (c: Cursor): boolean =>
  (c.dialect === 'postgres' || c.dialect === 'redshift') && valueFunctions.has(word(c)) && operator(c, 1) !== '.';

const valueFunctions = new Set(
  'current_date current_time current_timestamp current_user current_role current_schema current_catalog localtime localtimestamp session_user user'.split(
    ' ',
  ),
);

/** `FROM t, t.items`: a nested value of an earlier entry, not a table. */
const isPathOfAlias = (c: Cursor, table: TableReference, before: readonly FromItem[]): boolean =>
  (c.dialect === 'bigquery' || c.dialect === 'redshift') &&
  table.name.includes('.') &&
  before.some((item) => {
    const name = item.alias ?? (item.kind === 'table' ? lastNamePart(item.table.name) : undefined);
    return name !== undefined && table.name.toLowerCase().startsWith(`${name.toLowerCase()}.`);
  });

/** Redshift: `UNPIVOT c.items AS value AT name`, the fields of an object as rows. */
function readObjectUnpivot(c: Cursor): Source {
  c.index++;
  readExpression(c);
  if (accept(c, 'as') && isName(token(c))) c.index++;
  if (accept(c, 'at') && isName(token(c))) c.index++;
  return { kind: 'function', name: 'unpivot' };
}

function finish(c: Cursor, source: Source, join: JoinKind, start: number, before: Token | undefined): FromItem {
  // Postgres: `t *` is `t` with its children.
  if (source.kind === 'table' && operator(c) === '*') c.index++;
  const early = readTableModifiers(c);
  let alias = before ?? readAlias(c, afterTable);
  if (alias !== undefined) readColumnDefinitions(c);
  const drawn = readTableModifiers(c) ?? early;
  // BigQuery: the alias may stand behind the sample or the time.
  if (alias === undefined) alias = readAlias(c, afterTable);
  const shared = {
    alias: alias === undefined ? undefined : nameOf(alias, c.dialect),
    join,
    on: [] as readonly SqlExpression[],
    using: [] as readonly string[],
    ...(drawn === undefined ? {} : { drawn }),
    ...spanFrom(c, start),
  };
  if (source.kind === 'query' && source.query !== undefined) return { kind: 'query', query: source.query, ...shared };
  if (source.kind === 'table' && source.table !== undefined) {
    const cte = commonTableNamed(c, source.table);
    if (cte === undefined) c.reads.push(source.table);
    return { kind: 'table', table: source.table, cte, ...shared };
  }
  return { kind: 'function', name: source.name ?? '', ...shared };
}

/** `(a, b)` or, behind a function, `(a int, b text)`. */
function readColumnDefinitions(c: Cursor): void {
  if (operator(c) === '(') readColumnList(c);
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
  'directed',
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
