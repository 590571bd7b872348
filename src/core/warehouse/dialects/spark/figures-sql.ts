import { quoteIdentifier } from './quote.ts';
import { rowHashSql } from './row-hash.ts';

export interface HashedColumn {
  readonly name: string;
  readonly type: string;
}

/** Rows of a table: `predicate` is SQL over its columns; `undefined`: all of them. */
export interface Rows {
  readonly from: string;
  readonly predicate: string | undefined;
  /** What tells of each row in which file it is, where that is not what Spark's own readers say. */
  readonly file?: string | undefined;
}

export const where = ({ predicate }: Pick<Rows, 'predicate'>): string =>
  predicate === undefined ? '' : ` where ${predicate}`;

/** A plain sum of hashes leaves the range of a BIGINT. */
const sum = (hash: string): string => `cast(coalesce(sum(cast(${hash} as decimal(38,0))), 0) as string)`;

/** Tells in which files the rows are: another writer leaves others. */
const files = ({ file = '_metadata.file_path, _metadata.file_size, _metadata.file_modification_time' }: Rows): string =>
  sum(`xxhash64(${file})`);

/** Count, two sums of row hashes, two of key hashes, rows with a NULL in the key, the sum of files; all as text. */
export function figuresSql(rows: Rows, columns: readonly HashedColumn[], key: readonly HashedColumn[]): string {
  const keys =
    key.length === 0 ? ["'0'", "'0'", "'0'"] : [sum(rowHashSql(key, 0)), sum(rowHashSql(key, 1)), nullsIn(key)];
  const figures = [
    'cast(count(*) as string)',
    sum(rowHashSql(columns, 0)),
    sum(rowHashSql(columns, 1)),
    ...keys,
    files(rows),
  ];
  return `select ${figures.join(', ')} from ${rows.from}${where(rows)}`;
}

const nullsIn = (key: readonly HashedColumn[]): string =>
  `cast(count_if(${key.map(({ name }) => `${quoteIdentifier(name)} is null`).join(' or ')}) as string)`;

/** How many rows have the key of another one. */
export function duplicateKeysSql(rows: Rows, key: readonly HashedColumn[]): string {
  const names = key.map(({ name }) => quoteIdentifier(name)).join(', ');
  return `select cast(coalesce(sum(n - 1), 0) as string) from (select count(*) as n from ${rows.from}${where(rows)} group by ${names}) where n > 1`;
}

/** The sum of files alone, without a look at the rows. */
export const filesSql = (rows: Rows): string => `select ${files(rows)} from ${rows.from}${where(rows)}`;
