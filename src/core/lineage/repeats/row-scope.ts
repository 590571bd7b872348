import type { CommonTable, FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { filtersIn, within } from '../../sql/model/sql-search.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';
import { isNamed, nameOfItem, outputIndex } from '../columns/query-scope.ts';

/** How the columns of a block stand to the row that is written. */
export interface RowScope {
  /** What the offsets of its expressions refer to. */
  readonly text: string;
  /** The column of the very row that a name stands for. */
  readonly own: (one: Column) => string | undefined;
  /** What a column of FROM, a common table or `excluded` stands for; several: one for each part of a UNION. */
  readonly follow: (one: Column) => readonly Followed[];
  /** Whether a name is a column of rows of the target that nothing ties to the one that is written. */
  readonly isAny: (one: Column) => boolean;
  /** What `*` stands for as far as other queries give it, by name; with the position of each where all of it is known. */
  readonly starred: (
    qualifier: string | undefined,
  ) => readonly { readonly column: Column; readonly index: number | undefined }[];
  /** For a query inside an expression: the scope of that query, with this one around it. */
  readonly inside: (query: QueryBlock) => RowScope;
  /** Groups its rows. */
  readonly block: QueryBlock | undefined;
}

export interface Followed {
  readonly expression: SqlExpression;
  readonly scope: RowScope;
}

export type Column = Extract<SqlExpression, { kind: 'column' }>;

/** A table that the task fills for itself before, as the query that it is filled by. */
export interface MadeTable {
  readonly query: QueryBlock;
  readonly columns: readonly string[];
  readonly text: string;
  /** Common tables around the query. */
  readonly common: readonly CommonTable[];
}

/** What a scope is read for, and what is found out on the way. */
export interface Reading {
  readonly isSame: (table: TableReference) => boolean;
  readonly made: ReadonlyMap<string, MadeTable>;
  /** Of a query that deletes rows from the target and gives them back: what it asks of them. */
  readonly takes: (query: QueryBlock) => readonly SqlExpression[] | undefined;
  /**
   * `key`: the row that is written, joined by each column of its key. `moved`: rows that are taken out of the table and put
   * there again.
   */
  readonly by: 'key' | 'moved';
  /** Conditions on the rows of the target that were read on the way. */
  readonly conditions: Map<SqlExpression, RowScope>;
  /** Something was read of rows that may be others. */
  isVague: boolean;
}

/** By each column of the key of the written row: what equals it in a block. */
export type Keys = ReadonlyMap<string, readonly SqlExpression[]>;

export interface Place {
  readonly text: string;
  readonly block: QueryBlock | undefined;
  readonly from: readonly FromItem[];
  readonly filters: readonly SqlExpression[];
  readonly common: readonly CommonTable[];
  readonly keys: Keys;
  readonly outer: RowScope | undefined;
  /** A bare name is rather one of `outer`. */
  readonly isOuterFirst?: boolean;
  /** A query of its own that nothing joins to the row. */
  readonly isApart?: boolean;
}

export const placeOf = (
  query: QueryBlock,
  text: string,
  outer: readonly CommonTable[],
  keys: Keys,
  around?: RowScope,
): Place => ({
  text,
  block: query,
  from: query.from,
  filters: filtersIn(query),
  common: [...query.with, ...outer],
  keys,
  outer: around,
});

/**
 * The scope of a block. With `key` a column of the target is the old value only where the row is joined by every column of
 * the key: a read of other rows (`o.day = e.day - 1`, another key) makes no value from itself: a running balance starts
 * from the interval before. What cannot be told is no old value.
 */
export function scopeOf(place: Place, reading: Reading): RowScope {
  const { from, filters, text, block } = place;
  const itemOf = ({ qualifier, name }: Column): FromItem | undefined => {
    if (qualifier !== undefined) return from.find((item) => isNamed(item, qualifier));
    if (from.length === 1 && place.isOuterFirst !== true) return from[0];
    return from.find((item) => queriesOf(item, place, reading)?.query.select.some((one) => one.name === name));
  };
  const asked = (item: FromItem): void => {
    for (const conjunct of filters) {
      if (equalColumns(conjunct).length > 0 || !mentions(conjunct, item, from)) continue;
      reading.conditions.set(conjunct, scope);
      const others = within(conjunct).some(
        (one) => one.kind === 'column' && one.qualifier !== undefined && !isNamed(item, one.qualifier),
      );
      if (others && reading.by === 'key') reading.isVague = true;
    }
  };
  const scope: RowScope = {
    text,
    block,
    own: (one) => {
      const taken = block !== undefined && from.length === 0 ? reading.takes(block) : undefined;
      if (taken !== undefined) {
        for (const conjunct of taken) reading.conditions.set(conjunct, scope);
        return one.name;
      }
      const item = itemOf(one);
      if (item === undefined) return place.outer?.own(one);
      if (item.kind !== 'table' || item.cte !== undefined || !reading.isSame(item.table)) return undefined;
      if (reading.by === 'key') {
        if (place.keys.size === 0) return undefined;
        if (![...keysOf(place, item)].every(([key, names]) => names.includes(key))) return undefined;
      }
      asked(item);
      return one.name;
    },
    isAny: (one) => {
      const item = itemOf(one);
      if (item === undefined) return place.outer?.isAny(one) ?? false;
      return place.isApart === true && item.kind === 'table' && item.cte === undefined && reading.isSame(item.table);
    },
    follow: (one) => {
      const item = itemOf(one);
      if (item === undefined) return place.outer?.follow(one) ?? [];
      const found = queriesOf(item, place, reading);
      if (found === undefined) return [];
      const { query, columns, common } = found;
      if (query.then.some(({ operator }) => operator === 'intersect' || operator === 'except')) return [];
      const names = keysOf(place, item);
      const parts = [query, ...query.then.map((next) => next.query)].map((part): Followed | undefined => {
        const output = (name: string) => outputOf(part, name, query, columns);
        const expression = output(one.name);
        if (expression === undefined) return undefined;
        const keys = new Map(
          [...names].map(([key, equal]) => [key, equal.flatMap((name) => output(name) ?? [])] as const),
        );
        return { expression, scope: scopeOf(placeOf(part, found.text, common, keys), reading) };
      });
      const known = parts.filter((part) => part !== undefined);
      if (known.length !== parts.length) return [];
      asked(item);
      return known;
    },
    starred: (qualifier) => {
      const items = qualifier === undefined ? from : from.filter((item) => isNamed(item, qualifier));
      const names = items.map((item) => givenNames(item, place, reading));
      const isKnown = names.every(({ all }) => all);
      const found = items.flatMap((item, at) => (names[at]?.names ?? []).map((name) => ({ item, name })));
      return found.map(({ item, name }, index) => {
        const { start, end } = item;
        return {
          column: { kind: 'column', qualifier: nameOfItem(item), name, start, end },
          index: isKnown ? index : undefined,
        };
      });
    },
    inside: (query) => {
      const keys = new Map<string, SqlExpression[]>();
      for (const [left, right] of filtersIn(query).flatMap(equalColumns)) {
        for (const [outside, inner] of [
          [left, right],
          [right, left],
        ] as const) {
          const isInner = (column: Column): boolean =>
            column.qualifier === undefined || query.from.some((item) => isNamed(item, column.qualifier ?? ''));
          if (isInner(outside) || !isInner(inner)) continue;
          const own = scope.own(outside);
          if (own !== undefined) keys.set(own, [...(keys.get(own) ?? []), inner]);
        }
      }
      const isApart = keys.size === 0;
      return scopeOf({ ...placeOf(query, text, place.common, keys, scope), isApart }, reading);
    },
  };
  return scope;
}

/** The query behind an entry of FROM, and the common tables that it sees. */
function queriesOf(
  item: FromItem,
  { text, common }: Place,
  { made }: Reading,
):
  | {
      readonly query: QueryBlock;
      readonly columns: readonly string[];
      readonly common: readonly CommonTable[];
      readonly text: string;
    }
  | undefined {
  if (item.kind === 'query') return { query: item.query, columns: [], common: [...item.query.with, ...common], text };
  if (item.kind !== 'table') return undefined;
  if (item.cte === undefined) {
    const table = made.get(item.table.name);
    return table && { ...table, common: [...table.query.with, ...table.common] };
  }
  const table = common.find(({ name }) => name === item.cte);
  if (table === undefined) return undefined;
  // A common table sees those before it, not itself.
  const rest = [...table.query.with, ...common.filter((other) => other !== table)];
  return { query: table.query, columns: table.columns, common: rest, text };
}

/** Names of what an entry of FROM gives, through stars; `all`: there are no others. */
function givenNames(
  item: FromItem,
  place: Place,
  reading: Reading,
): { readonly names: readonly string[]; readonly all: boolean } {
  const found = queriesOf(item, place, reading);
  if (found === undefined) return { names: [], all: false };
  const { query, columns, common, text } = found;
  if (columns.length > 0) return { names: columns, all: true };
  const inner = placeOf(query, text, common, new Map());
  const parts = query.select.map((one) => {
    const { expression, name } = one;
    if (expression.kind !== 'star') return { names: [name ?? ''], all: true };
    const { qualifier } = expression;
    const items = qualifier === undefined ? query.from : query.from.filter((of) => isNamed(of, qualifier));
    const given = items.map((of) => givenNames(of, inner, reading));
    return {
      names: given.flatMap(({ names }) => names),
      all: items.length > 0 && given.every(({ all }) => all),
    };
  });
  return { names: parts.flatMap(({ names }) => names), all: parts.every(({ all }) => all) };
}

/** What a part of a query gives for a column of it; the first part names the columns. */
function outputOf(
  part: QueryBlock,
  name: string,
  first: QueryBlock,
  columns: readonly string[] = [],
): SqlExpression | undefined {
  if (part.select.some(isStar)) {
    // `SELECT *, n + 1 AS m FROM one`: other columns have their names there.
    const named = part.select.find((item) => item.name === name && !isStar(item));
    if (named !== undefined) return named.expression;
    const { start, end } = part;
    return columns.length === 0 ? { start, end, kind: 'column', qualifier: starOf(part), name } : undefined;
  }
  const index = outputIndex(first, name, columns) ?? outputIndex(part, name);
  return index === undefined ? undefined : part.select[index]?.expression;
}

const isStar = ({ expression }: QueryBlock['select'][number]): boolean => expression.kind === 'star';

const starOf = (part: QueryBlock): string | undefined => {
  const star = part.select.find(isStar)?.expression;
  return star?.kind === 'star' ? star.qualifier : undefined;
};

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

export function equalColumns(one: SqlExpression): readonly (readonly [Column, Column])[] {
  if (one.kind !== 'binary' || (one.operator !== '=' && one.operator !== 'is not distinct from')) return [];
  return one.left.kind === 'column' && one.right.kind === 'column' ? [[one.left, one.right]] : [];
}

const mentions = (conjunct: SqlExpression, item: FromItem, from: readonly FromItem[]): boolean =>
  within(conjunct).some(
    (one) => one.kind === 'column' && (one.qualifier === undefined ? from.length === 1 : isNamed(item, one.qualifier)),
  );
