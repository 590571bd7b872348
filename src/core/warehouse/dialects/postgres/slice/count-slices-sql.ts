import type { TableDescription } from '../../../port/table-description.ts';
import { quoteIdentifier } from '../quote.ts';
import { columnBound } from '../slice-predicate.ts';

/**
 * Counts the rows between each two of the bounds (ISO instants, ascending, at least two) in one pass: number of the part,
 * from 1, and its rows; parts without rows are left out. Throws `WarehouseError` where the column's type cannot say a bound.
 */
export function countSlicesSql(table: TableDescription, column: string, bounds: readonly string[]): string {
  const name = quoteIdentifier(column);
  const literals = bounds.map((bound) => columnBound(table, column, bound));
  return `
select pg_catalog.width_bucket(${name}, array[${literals.join(', ')}]), pg_catalog.count(*)
from ${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}
where ${name} >= ${literals[0]} and ${name} < ${literals.at(-1)}
group by 1`;
}
