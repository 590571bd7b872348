import type { CommonTable, FromItem, QueryBlock } from '../../sql/model/expression.ts';
import { nameParts } from '../../sql/model/name-parts.ts';
import type { ColumnRange } from './column-range.ts';

/** Ranges by column name. */
export type Ranges = ReadonlyMap<string, ColumnRange>;

export const noRanges: Ranges = new Map();

/** For another text than that in which they were said. */
export const withoutPlaces = (ranges: Ranges): Ranges =>
  new Map([...ranges].map(([name, range]) => [name, { ...range, at: undefined }]));

/** A common table and what each reference to it asks of its output columns. */
export interface ScopedTable {
  readonly table: CommonTable;
  readonly asked: Ranges[];
}

/** The common tables that a block can name; inner ones hide outer ones. */
export interface Scope {
  readonly outer: Scope | undefined;
  readonly tables: ReadonlyMap<string, ScopedTable>;
}

export const emptyScope: Scope = { outer: undefined, tables: new Map() };

export const scopeOf = (common: readonly CommonTable[], outer: Scope): Scope => ({
  outer,
  tables: new Map(common.map((table) => [table.name, { table, asked: [] }])),
});

export const openScope = (query: QueryBlock, outer: Scope): Scope => scopeOf(query.with, outer);

export function lookUp(scope: Scope, name: string): { readonly found: ScopedTable; readonly scope: Scope } | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const found = at.tables.get(name);
    if (found !== undefined) return { found, scope: at };
  }
  return undefined;
}

/** What a block can call an entry of its FROM: the alias, or the table's own name. */
export const nameOfItem = (item: FromItem): string =>
  item.alias ??
  (item.kind === 'table' ? nameParts(item.table.name).join('.') : item.kind === 'function' ? item.name : '');

/** True when `qualifier.column` can mean the entry: `orders.day` and `shop.orders.day` both name `shop.orders`. */
export function isNamed(item: FromItem, qualifier: string): boolean {
  const name = nameOfItem(item);
  return name === qualifier || (item.alias === undefined && name.endsWith(`.${qualifier}`));
}

/** The query of an entry of FROM, and the names that a WITH gives its columns; `undefined` for a table. */
export function queryOf(
  item: FromItem,
  scope: readonly CommonTable[],
): { readonly query: QueryBlock; readonly columns: readonly string[] } | undefined {
  if (item.kind === 'query') return { query: item.query, columns: [] };
  const common =
    item.kind === 'table' && item.cte !== undefined ? scope.find(({ name }) => name === item.cte) : undefined;
  return common && { query: common.query, columns: common.columns };
}

/** Output names of a query where all are known; `undefined` behind a star or an unnamed column. */
export function outputNames(query: QueryBlock, columns: readonly string[] = []): readonly string[] | undefined {
  const names: string[] = [];
  for (const [index, item] of query.select.entries()) {
    if (item.expression.kind === 'star') return undefined;
    const name = columns[index] ?? item.name;
    names.push(name ?? '');
  }
  return names;
}

/** The position of an output column; `undefined` when it may stand behind a star or is not there. */
export function outputIndex(query: QueryBlock, name: string, columns: readonly string[] = []): number | undefined {
  const renamed = columns.indexOf(name);
  if (renamed !== -1) return query.select.slice(0, renamed + 1).some(isStar) ? undefined : renamed;
  const index = query.select.findIndex((item) => item.name === name && item.expression.kind !== 'star');
  return index === -1 ? undefined : index;
}

const isStar = ({ expression }: QueryBlock['select'][number]): boolean => expression.kind === 'star';
