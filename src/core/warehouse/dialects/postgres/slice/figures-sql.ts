import type { ColumnDescription } from '../../../port/table-description.ts';
import { quoteIdentifier } from '../quote.ts';
import { type HashMethod, hashHalves, rowBytes } from '../row-hash.ts';

export interface FiguresQuery {
  /** What to scan, as SQL. */
  readonly from: string;
  readonly predicate: string | undefined;
  readonly columns: readonly ColumnDescription[];
  readonly key: readonly ColumnDescription[];
  readonly hash: HashMethod;
  /** Also count rows that this unit wrote: those whose `xmin` is at most this old. */
  readonly ownAge: string | undefined;
  /** Takes the figures of each value of this expression; it is the last column of the result. */
  readonly by?: string | undefined;
}

/**
 * One pass over a slice: rows, both sums of row hashes, both sums of key hashes, rows with NULL in the key, rows that
 * this unit wrote. Sums are wide, so nothing overflows; OFFSET 0 keeps the bytes from being made once per seed.
 */
export function figuresSql(query: FiguresQuery): string {
  const key = query.key.map((column) => quoteIdentifier(column.name));
  const [row0, row1] = hashHalves(query.hash, 'b');
  const [key0, key1] = hashHalves(query.hash, 'k');
  const inner = [
    `${rowBytes(query.columns)} as b`,
    key.length > 0 ? `${rowBytes(query.key)} as k` : 'null as k',
    key.length > 0 ? `pg_catalog.num_nulls(${key.join(', ')}) > 0 as n` : 'false as n',
    query.ownAge === undefined ? 'false as o' : `pg_catalog.age(xmin) <= ${query.ownAge} as o`,
    ...(query.by === undefined ? [] : [`${query.by} as g`]),
  ];
  const [by, group] = query.by === undefined ? ['', ''] : [', g', ' group by g'];
  const keySums = key.length > 0 ? `sum(${key0}), sum(${key1})` : 'null, null';
  return (
    `select count(*), sum(${row0}), sum(${row1}), ${keySums}, count(*) filter (where n), count(*) filter (where o)${by} ` +
    `from (select ${inner.join(', ')} from ${query.from}${where(query.predicate)} offset 0) s${group}`
  );
}

export const countSql = (from: string, predicate: string | undefined, ownAge: string | undefined): string =>
  `select count(*), count(*) filter (where ${ownAge === undefined ? 'false' : `pg_catalog.age(xmin) <= ${ownAge}`}) ` +
  `from ${from}${where(predicate)}`;

/** Rows beyond the first of each key. */
export const duplicateKeysSql = (from: string, predicate: string | undefined, key: readonly string[]): string =>
  `select coalesce(sum(c - 1), 0) from (select count(*) as c from ${from}${where(predicate)} ` +
  `group by ${key.map(quoteIdentifier).join(', ')} having count(*) > 1) s`;

/** The same for each value of an expression: the value, and rows beyond the first of each key. */
export const duplicateKeysBySql = (
  from: string,
  predicate: string | undefined,
  key: readonly string[],
  by: string,
): string =>
  `select g, sum(c - 1) from (select ${by} as g, count(*) as c from ${from}${where(predicate)} ` +
  `group by 1, ${key.map(quoteIdentifier).join(', ')} having count(*) > 1) s group by g`;

export const where = (predicate: string | undefined): string => (predicate === undefined ? '' : ` where ${predicate}`);
