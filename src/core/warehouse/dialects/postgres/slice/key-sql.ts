import { quoteIdentifier } from '../quote.ts';
import { duplicateKeysSql, where } from './figures-sql.ts';

const nulls = (key: readonly string[]): string => `pg_catalog.num_nulls(${key.map(quoteIdentifier).join(', ')})`;

const narrowed = (predicate: string | undefined, condition: string): string =>
  predicate === undefined ? condition : `${predicate} and ${condition}`;

/** Rows with NULL in the key, and rows beyond the first of each whole key where `repeated` is asked for. */
export function keyFaultsSql(
  from: string,
  predicate: string | undefined,
  key: readonly string[],
  repeated: boolean,
): string {
  const withNull = `select count(*) from ${from}${where(narrowed(predicate, `${nulls(key)} > 0`))}`;
  const again = repeated ? duplicateKeysSql(from, narrowed(predicate, `${nulls(key)} = 0`), key) : '0';
  return `select (${withNull}), (${again})`;
}

/** Whole keys that come more than once, most rows first: their values, their rows, how many such keys there are. */
export const repeatedKeysSql = (
  from: string,
  predicate: string | undefined,
  key: readonly string[],
  limit: number,
): string => {
  const columns = key.map(quoteIdentifier);
  return (
    `select ${columns.map((column) => `${column}::text`).join(', ')}, count(*), count(*) over () ` +
    `from ${from}${where(narrowed(predicate, `${nulls(key)} = 0`))} group by ${columns.join(', ')} ` +
    `having count(*) > 1 order by count(*) desc, ${columns.join(', ')} limit ${limit}`
  );
};

/** $1: a table as SQL, $2: the name of a constraint. Its columns as a JSON array; no row where there is none. */
export const constraintColumnsSql = `
select (select json_agg(a.attname order by k.n)
  from pg_catalog.unnest(c.conkey) with ordinality k(attnum, n)
  join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum)
from pg_catalog.pg_constraint c where c.conrelid = pg_catalog.to_regclass($1) and c.conname = $2`;
