import type { CommonTable, FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { filtersIn, within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';
import { isNamed, outputIndex } from '../columns/query-scope.ts';

/** How an expression tells the old value of a column of the row that is written. */
export interface OldValue {
  readonly is: (one: SqlExpression) => boolean;
  /** What a column of FROM, a common table or `excluded` stands for, each with how it is told there. */
  readonly follow: (one: SqlExpression) => readonly Followed[];
  /** What a column of a UNION stands for in each of its parts. */
  readonly parts: (one: SqlExpression) => readonly Followed[];
}

export interface Followed {
  readonly expression: SqlExpression;
  readonly old: OldValue;
}

type Column = Extract<SqlExpression, { kind: 'column' }>;

/** By each column of the key of the written row: what equals it in a block. */
type Keys = ReadonlyMap<string, readonly SqlExpression[]>;

interface Place {
  readonly from: readonly FromItem[];
  readonly filters: readonly SqlExpression[];
  readonly common: readonly CommonTable[];
  readonly keys: Keys;
  readonly isSame: (table: TableReference) => boolean;
  readonly column: string;
}

/**
 * The value of `column` in the very row that is written, as its own query reads it: the target joined by every column of
 * the key. A read of other rows (`o.day < …`, `o.day = e.day - 1`, another key) makes no value from itself: a running
 * balance starts from the interval before. What cannot be told is no old value.
 */
export function readOfOwnRow(
  statement: Statement,
  column: string,
  isTarget: (qualifier: string) => boolean,
  isSame: (table: TableReference) => boolean,
): Omit<OldValue, 'is'> {
  const { query, conflict } = statement;
  if (conflict !== undefined) {
    if (query === undefined || conflict.key.length === 0) return { follow: () => [], parts: () => [] };
    const keys = new Map(conflict.key.map((key) => [key, givenFor(statement, query, key, false)] as const));
    const old = oldIn(placeOf(query, [], keys, isSame, column));
    const follow: OldValue['follow'] = (one) =>
      one.kind === 'column' && one.qualifier === 'excluded' && query.then.length === 0
        ? givenFor(statement, query, one.name, true).map((expression) => ({ expression, old }))
        : [];
    return { follow, parts: () => [] };
  }
  const filters = [...statement.where, ...statement.on, ...statement.from.flatMap(({ on }) => on)];
  const keys = new Map<string, SqlExpression[]>();
  for (const [left, right] of filters.flatMap(equalColumns)) {
    if (left.qualifier === undefined || right.qualifier === undefined) continue;
    if (isTarget(left.qualifier) === isTarget(right.qualifier)) continue;
    const [own, other] = isTarget(left.qualifier) ? [left, right] : [right, left];
    keys.set(own.name, [...(keys.get(own.name) ?? []), other]);
  }
  const common = [...statement.with, ...(query?.with ?? [])];
  const { follow, is, parts } = oldIn({ from: statement.from, filters, common, keys, isSame, column });
  // The source of a MERGE or UPDATE may be the target itself, under another name.
  return {
    follow: (one) => (is(one) ? [{ expression: one, old: { is, follow: () => [], parts: () => [] } }] : follow(one)),
    parts,
  };
}

/** What INSERT gives for a column: by the list of columns, else by name; without either any item `mayBe` it. */
function givenFor(statement: Statement, query: QueryBlock, name: string, mayBe: boolean): readonly SqlExpression[] {
  const index = statement.columns.length > 0 ? statement.columns.indexOf(name) : outputIndex(query, name);
  const found = index === undefined || index === -1 ? undefined : query.select[index]?.expression;
  if (found !== undefined) return [found];
  return mayBe && statement.columns.length === 0 ? query.select.map(({ expression }) => expression) : [];
}

const placeOf = (
  query: QueryBlock,
  outer: readonly CommonTable[],
  keys: Keys,
  isSame: Place['isSame'],
  column: string,
): Place => ({
  from: query.from,
  filters: filtersIn(query),
  common: [...query.with, ...outer],
  keys,
  isSame,
  column,
});

function oldIn(place: Place): OldValue {
  const { from, filters, common, isSame, column } = place;
  const itemOf = (one: SqlExpression): FromItem | undefined => {
    if (one.kind !== 'column') return undefined;
    const { qualifier } = one;
    if (qualifier === undefined) return from.length === 1 ? from[0] : undefined;
    return from.find((item) => isNamed(item, qualifier));
  };
  const meaningsOf = (one: SqlExpression): readonly Followed[] => {
    const item = itemOf(one);
    if (one.kind !== 'column' || item === undefined) return [];
    const table = item.kind === 'table' ? common.find(({ name }) => name === item.cte) : undefined;
    const query = item.kind === 'query' ? item.query : table?.query;
    if (query === undefined || asksMore(filters, item, from)) return [];
    if (query.then.some(({ operator }) => operator === 'intersect' || operator === 'except')) return [];
    // A common table sees those before it, not itself.
    const rest = [...query.with, ...common.filter((other) => other !== table)];
    const names = keysOf(place, item);
    const found = [query, ...query.then.map((next) => next.query)].map((part): Followed | undefined => {
      const output = (name: string) => outputOf(part, name, query, table?.columns);
      const expression = output(one.name);
      if (expression === undefined) return undefined;
      const keys = new Map(
        [...names].map(([key, columns]) => [key, columns.flatMap((name) => output(name) ?? [])] as const),
      );
      return { expression, old: oldIn(placeOf(part, rest, keys, isSame, column)) };
    });
    const known = found.filter((one) => one !== undefined);
    return known.length === found.length ? known : [];
  };
  return {
    is: (one) => {
      const item = itemOf(one);
      if (one.kind !== 'column' || one.name !== column || item?.kind !== 'table' || item.cte !== undefined)
        return false;
      if (!isSame(item.table) || place.keys.size === 0 || asksMore(filters, item, from)) return false;
      return [...keysOf(place, item)].every(([key, names]) => names.includes(key));
    },
    follow: (one) => {
      const found = meaningsOf(one);
      return found.length === 1 ? found : [];
    },
    parts: (one) => {
      const found = meaningsOf(one);
      return found.length > 1 ? found : [];
    },
  };
}

/** What a part of a query gives for a column of it; the first part names the columns. */
function outputOf(
  part: QueryBlock,
  name: string,
  first: QueryBlock,
  columns: readonly string[] | undefined,
): SqlExpression | undefined {
  if (part.select.some(isStar)) {
    // `SELECT * FROM one`: the column has its name there.
    const { start, end } = part;
    const isPassed = part.select.length === 1 && part.from.length === 1;
    return isPassed ? { start, end, kind: 'column', qualifier: undefined, name } : undefined;
  }
  const index = outputIndex(first, name, columns) ?? outputIndex(part, name);
  return index === undefined ? undefined : part.select[index]?.expression;
}

const isStar = ({ expression }: QueryBlock['select'][number]): boolean => expression.kind === 'star';

/** By key: the columns of an entry of FROM that equal it, by what the block asks. */
function keysOf({ keys, from, filters }: Place, item: FromItem): ReadonlyMap<string, readonly string[]> {
  const pairs = filters.flatMap(equalColumns);
  const isOf = ({ qualifier }: Column): boolean =>
    qualifier === undefined ? from.length === 1 : isNamed(item, qualifier);
  const found = new Map<string, readonly string[]>();
  for (const [key, equal] of keys) {
    const known = equal.flatMap(columnsOf);
    for (const one of known) {
      for (const [left, right] of pairs) {
        const other = isEqual(left, one) ? right : isEqual(right, one) ? left : undefined;
        if (other !== undefined && !known.some((seen) => isEqual(seen, other))) known.push(other);
      }
    }
    const shared = item.using.filter((name) => known.some((one) => one.name === name));
    found.set(key, [...known.filter(isOf).map(({ name }) => name), ...shared]);
  }
  return found;
}

/** A column, also in another type or with another one in its place where it is NULL (a full join). */
function columnsOf(one: SqlExpression): readonly Column[] {
  if (one.kind === 'column') return [one];
  if (one.kind === 'cast') return columnsOf(one.operand);
  if (one.kind === 'opaque' && one.parts.length === 1) return one.parts.flatMap(columnsOf);
  if (one.kind !== 'call' || !['coalesce', 'ifnull', 'nvl'].includes(one.name)) return [];
  const parts = one.arguments.map(columnsOf);
  return parts.every(({ length }) => length === 1) ? parts.flat() : [];
}

const isEqual = (a: Column, b: Column): boolean => a.name === b.name && a.qualifier === b.qualifier;

function equalColumns(one: SqlExpression): readonly (readonly [Column, Column])[] {
  if (one.kind !== 'binary' || one.operator !== '=') return [];
  return one.left.kind === 'column' && one.right.kind === 'column' ? [[one.left, one.right]] : [];
}

/** Anything but plain equality, such as an interval before, may choose other rows of the entry. */
const asksMore = (filters: readonly SqlExpression[], item: FromItem, from: readonly FromItem[]): boolean =>
  filters.some(
    (conjunct) =>
      equalColumns(conjunct).length === 0 &&
      within(conjunct).some(
        (one) =>
          one.kind === 'column' && (one.qualifier === undefined ? from.length === 1 : isNamed(item, one.qualifier)),
      ),
  );
