import type { ColumnDescription, TableDescription } from '../../../port/table-description.ts';
import { quoteIdentifier } from '../quote.ts';
import { columnBound } from '../slice-predicate.ts';
import { decimalOf } from './sums-sql.ts';

/**
 * Counts the rows whose `subject` (SQL over columns of the table) lies between each two of the bounds (literals of its type,
 * ascending, at least two) in one pass: number of the part, from 1, its rows, and what the column adds up to in them; parts without
 * rows are left out.
 */
export const countSlicesSql = (
  table: TableDescription,
  subject: string,
  bounds: readonly string[],
  summed: ColumnDescription | undefined,
): string => `
select pg_catalog.width_bucket(${subject}, array[${bounds.join(', ')}]), pg_catalog.count(*)${
  summed === undefined ? '' : `, pg_catalog.sum(${decimalOf(summed)})::text`
}
from ${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}
where ${subject} >= ${bounds[0]} and ${subject} < ${bounds.at(-1)}
group by 1`;

/**
 * Counts the rows of which each condition holds, in one pass over the values of the columns that they speak of: one row a
 * condition, in their order, and what the column adds up to in those rows. A condition is SQL over bare columns of the table.
 */
export function countMatchesSql(
  table: TableDescription,
  columns: readonly string[],
  conditions: readonly string[],
  summed: ColumnDescription | undefined,
): string {
  const names = columns.map(quoteIdentifier);
  const over = (figure: string, type: string): string =>
    `array[${conditions.map((condition) => `pg_catalog.sum(${figure}) filter (where ${condition})::pg_catalog.${type}`).join(',\n')}]`;
  const figures = [
    { name: 'counts', sql: over('"backfill rows"', 'int8') },
    ...(summed === undefined ? [] : [{ name: 'sums', sql: over('"backfill sum"', 'text') }]),
  ];
  const grouped = [
    ...names,
    'pg_catalog.count(*) as "backfill rows"',
    ...(summed === undefined ? [] : [`pg_catalog.sum(${decimalOf(summed)}) as "backfill sum"`]),
  ];
  return `
select ${figures.map(({ name }) => `pg_catalog.unnest(${name})`).join(', ')} from (
  select ${figures.map(({ name, sql }) => `${sql} as ${name}`).join(', ')} from (
    select ${grouped.join(', ')}
    from ${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}
    group by ${names.length === 0 ? '()' : names.join(', ')}
  ) as "backfill groups"
) as "backfill counts"`;
}

/** Whether each piece of SQL is, as a value of the column, the bound (ISO) beside it. */
export function sameBoundsSql(
  table: TableDescription,
  column: string,
  bounds: readonly (readonly [sql: string, iso: string])[],
): string {
  const type = table.columns.find(({ name }) => name === column)?.baseType ?? 'text';
  const same = bounds.map(
    ([sql, iso]) => `(${sql}\n)::pg_catalog.${quoteIdentifier(type)} = ${columnBound(table, column, iso)}`,
  );
  return `select pg_catalog.bool_and(same) from pg_catalog.unnest(array[${same.join(',\n')}]) as said(same)`;
}
