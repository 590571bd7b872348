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
  /** Also sum up this number of each row: which version of it this is. */
  readonly versions?: string | undefined;
  /** Tables whose rows these versions are, by oid: says beside them what {@link placeSql} says, and which transaction this is. */
  readonly storage?: readonly string[] | undefined;
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
    ...(query.versions === undefined ? [] : [`${query.versions} as v`]),
    ...(query.by === undefined ? [] : [`${query.by} as g`]),
  ];
  const versions = query.versions === undefined ? '' : `, sum(v)${placeColumns(query)}`;
  const [by, group] = query.by === undefined ? ['', ''] : [', g', ' group by g'];
  const keySums = key.length > 0 ? `sum(${key0}), sum(${key1})` : 'null, null';
  return (
    `select count(*), sum(${row0}), sum(${row1}), ${keySums}, count(*) filter (where n), count(*) filter (where o)${versions}${by} ` +
    `from (select ${inner.join(', ')} from ${query.from}${where(query.predicate)} offset 0) s${group}`
  );
}

/** The number of the transaction that wrote a row, which stays as it is when the row is frozen; by two ages, since it cannot be made a number. */
const writer = `((pg_catalog.age('3'::pg_catalog.xid)::bigint - pg_catalog.age(xmin)::bigint) & 4294967295)`;

/**
 * A number of its own for each version of a row: a version never becomes another one in its place, nor changes what it holds, until
 * its table gets other files or columns, or the numbers of transactions come again. Servers from 14 on.
 */
export const versionHash = `pg_catalog.hashint8extended(tableoid::bigint, pg_catalog.hashtidextended(ctid, ${writer}))`;

/**
 * What a version means something within: the server since it was started, and the files and columns of the tables. NULL where rows
 * are not kept by the server's own method, or columns are worked out when they are read.
 */
const placeSql = (storage: readonly string[]): string => {
  const tables = `any('{${storage.join(',')}}'::pg_catalog.oid[])`;
  return `(select case when pg_catalog.bool_and(c.relkind in ('r', 'p') and c.relam in (0, 2)) and not exists (
    select from pg_catalog.pg_attribute a where a.attrelid = ${tables} and a.attgenerated not in ('', 's'))
  then pg_catalog.md5(pg_catalog.concat_ws(';', extract(epoch from pg_catalog.pg_postmaster_start_time()),
    pg_catalog.string_agg(pg_catalog.concat_ws(':', c.oid, c.relfilenode), ',' order by c.oid),
    (select pg_catalog.string_agg(pg_catalog.concat_ws(':', a.attrelid, a.attnum, a.xmin), ',' order by a.attrelid, a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = ${tables} and a.attnum > 0))) end
  from pg_catalog.pg_class c where c.oid = ${tables})`;
};

const placeColumns = ({ storage }: Pick<FiguresQuery, 'storage'>): string =>
  storage === undefined ? '' : `, ${placeSql(storage)}, pg_catalog.txid_current()`;

/** Of a slice, or of each: how many rows, the sum of their versions, and what these mean something within. */
export function versionsSql({
  from,
  predicate,
  storage,
  by,
}: Pick<FiguresQuery, 'from' | 'predicate' | 'storage' | 'by'>): string {
  const [number, group] = by === undefined ? ['', ''] : [`, ${by}`, ` group by ${by}`];
  return `select count(*), sum(${versionHash})${placeColumns({ storage })}${number} from ${from}${where(predicate)}${group}`;
}

/**
 * A slice whose versions were summed up before: the sum of those that this unit did not write, how many, the figures of those that
 * it wrote, as {@link figuresSql} has them, and the sum of all, with what they mean something within.
 */
export function movedFiguresSql(query: FiguresQuery & { readonly ownAge: string }): string {
  const own = `pg_catalog.age(xmin) <= ${query.ownAge}`;
  const [row0, row1] = hashHalves(query.hash, 'b');
  const [key0, key1] = hashHalves(query.hash, 'k');
  const [by, group] = query.by === undefined ? ['', ''] : [', g', ' group by g'];
  const inner = [
    `${own} as o`,
    `case when ${own} then ${rowBytes(query.columns)} end as b`,
    `case when ${own} then ${rowBytes(query.key)} end as k`,
    `${versionHash} as v`,
    ...(query.by === undefined ? [] : [`${query.by} as g`]),
  ];
  const sums = [row0, row1, key0, key1].map((sum) => `sum(${sum}) filter (where o)`).join(', ');
  return (
    `select sum(v) filter (where not o), count(*) filter (where not o), count(*) filter (where o), ${sums}, sum(v)${placeColumns(query)}${by} ` +
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
