import { isNamed, queryOf } from '../../lineage/columns/query-scope.ts';
import type { CommonTable, FromItem, QueryBlock, SelectItem } from '../../sql/model/expression.ts';

/** The select item that makes a column of a query, in the block that it stands in. */
export interface ColumnOrigin {
  readonly item: SelectItem;
  readonly block: QueryBlock;
}

/** Derived tables below this are not followed. */
const maxDepth = 12;

/**
 * Follows a column, by its name or its place in the select list, through common and derived tables to where it is more
 * than a name, or comes out of a table. `undefined` behind a star of a table and in a set operation.
 */
export function columnOrigin(
  query: QueryBlock,
  column: string | number,
  outer: readonly CommonTable[] = [],
): ColumnOrigin | undefined {
  let block = query;
  let wanted = column;
  let scope = [...query.with, ...outer];
  let found: ColumnOrigin | undefined;
  for (let depth = 0; depth < maxDepth && block.then.length === 0; depth++) {
    const item = outputItem(block, wanted);
    if (item === 'unknown') return found;
    if (item !== undefined) found = { item, block };
    const expression = item?.expression;
    if (expression !== undefined && expression.kind !== 'column') return found;
    const source = sourceNamed(block.from, expression?.qualifier);
    const inner = source && queryOf(source, scope);
    if (inner === undefined) return found;
    const name = expression?.name ?? wanted;
    const renamed = typeof name === 'string' ? inner.columns.indexOf(name) : -1;
    wanted = renamed === -1 ? name : renamed;
    block = inner.query;
    scope = [...block.with, ...scope];
  }
  return found;
}

/** The entry of FROM that a qualifier means; without one, the only entry. */
export const sourceNamed = (from: readonly FromItem[], qualifier: string | undefined): FromItem | undefined =>
  qualifier === undefined ? (from.length === 1 ? from[0] : undefined) : from.find((item) => isNamed(item, qualifier));

/** `undefined`: it comes through the only star. */
function outputItem(block: QueryBlock, column: string | number): SelectItem | undefined | 'unknown' {
  const isStar = ({ expression }: SelectItem): boolean => expression.kind === 'star';
  if (typeof column === 'number') {
    const item = block.select[column];
    return item === undefined || block.select.slice(0, column + 1).some(isStar) ? 'unknown' : item;
  }
  const named = block.select.find((item) => item.name === column && !isStar(item));
  if (named !== undefined) return named;
  return block.select.some(isStar) && block.from.length === 1 ? undefined : 'unknown';
}
