import { type HashedColumn, type Rows, where } from './figures-sql.ts';
import { quoteIdentifier } from './quote.ts';
import { rowHashSql } from './row-hash.ts';

/** Two sets of rows of the same columns. */
export interface DiffQuery {
  readonly before: Rows;
  readonly after: Rows;
  readonly columns: readonly HashedColumn[];
  readonly key: readonly HashedColumn[];
}

const hashed = ({ columns }: DiffQuery, rows: Rows): string =>
  `(select ${rowHashSql(columns, 0)} as h0, ${rowHashSql(columns, 1)} as h1, count(*) as n from ${rows.from}${where(rows)} group by 1, 2)`;

const asMultisets = (query: DiffQuery): string =>
  `select coalesce(b.h0, a.h0) as h0, coalesce(b.h1, a.h1) as h1, coalesce(a.n, 0) - coalesce(b.n, 0) as more ` +
  `from ${hashed(query, query.before)} b full outer join ${hashed(query, query.after)} a on b.h0 = a.h0 and b.h1 = a.h1`;

/** Rows that were added and removed, a changed one counted as both. */
export const multisetDiffSql = (query: DiffQuery): string =>
  `select cast(coalesce(sum(greatest(more, 0)), 0) as string), cast(coalesce(sum(greatest(-more, 0)), 0) as string) from (${asMultisets(query)})`;

/** A few hashes of rows that one side has more of. */
export const differingHashesSql = (query: DiffQuery, side: 'added' | 'removed', most: number): string =>
  `select cast(h0 as string), cast(h1 as string), cast(abs(more) as string) from (${asMultisets(query)}) where more ${side === 'added' ? '>' : '<'} 0 order by h0, h1 limit ${most}`;

/** Rows of these hashes, as text in the order of the columns, behind both halves of the hash. */
export function rowsByHashSql(
  rows: Rows,
  { columns }: DiffQuery,
  hashes: readonly (readonly [string, string])[],
): string {
  const [h0, h1] = [rowHashSql(columns, 0), rowHashSql(columns, 1)];
  const list = hashes.map(([a, b]) => `(${h0} = ${a} and ${h1} = ${b})`).join(' or ');
  const base = rows.predicate === undefined ? '' : `(${rows.predicate}) and `;
  return `select cast(${h0} as string), cast(${h1} as string), ${columns.map((column) => asText(column)).join(', ')} from ${rows.from} where ${base}(${list})`;
}

const asText = ({ name, type }: HashedColumn, of = ''): string => {
  const column = `${of}${quoteIdentifier(name)}`;
  return type === 'binary' ? `hex(${column})` : `cast(${column} as string)`;
};

const joined = ({ before, after, key }: DiffQuery): string => {
  const side = (rows: Rows): string => `(select true as backfill_there, * from ${rows.from}${where(rows)})`;
  const on = key.map(({ name }) => `b.${quoteIdentifier(name)} = a.${quoteIdentifier(name)}`).join(' and ');
  return `${side(before)} b full outer join ${side(after)} a on ${on}`;
};

const rowDiffers = ({ columns }: DiffQuery): string =>
  `(${rowHashSql(columns, 0, 'b.')} <> ${rowHashSql(columns, 0, 'a.')} or ${rowHashSql(columns, 1, 'b.')} <> ${rowHashSql(columns, 1, 'a.')})`;

const kinds = {
  added: 'b.backfill_there is null',
  removed: 'a.backfill_there is null',
  changed: 'b.backfill_there and a.backfill_there',
} as const;

/** Added, removed and changed rows by a key that tells rows apart on both sides, then for each column how many differ. */
export function keyedDiffSql(query: DiffQuery): string {
  const isChanged = `${kinds.changed} and ${rowDiffers(query)}`;
  const counts = [
    kinds.added,
    kinds.removed,
    isChanged,
    ...query.columns.map(
      (column) => `${kinds.changed} and ${rowHashSql([column], 0, 'b.')} <> ${rowHashSql([column], 0, 'a.')}`,
    ),
  ];
  return `select ${counts.map((count) => `cast(count_if(${count}) as string)`).join(', ')} from ${joined(query)}`;
}

/** A few differing rows of one kind: the columns of before, then those of after, as text. */
export function keyedSamplesSql(query: DiffQuery, kind: keyof typeof kinds, most: number): string {
  const columns = ['b.', 'a.'].flatMap((of) => query.columns.map((column) => asText(column, of)));
  const is = kind === 'changed' ? `${kinds.changed} and ${rowDiffers(query)}` : kinds[kind];
  const order = query.key.map(({ name }) => `coalesce(b.${quoteIdentifier(name)}, a.${quoteIdentifier(name)})`);
  return `select ${columns.join(', ')} from ${joined(query)} where ${is} order by ${order.join(', ')} limit ${most}`;
}
