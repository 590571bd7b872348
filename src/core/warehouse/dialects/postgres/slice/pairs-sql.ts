import type { ColumnDescription } from '../../../port/table-description.ts';
import { quoteIdentifier } from '../quote.ts';
import { where } from './figures-sql.ts';

/** Stands beside the target's own columns and says which slice of several a row is of, from 1; must not be the name of one. */
export const sliceNumber = '"backfill slice"';

export interface PairsQuery {
  readonly live: string;
  readonly predicate: string | undefined;
  readonly stage: string;
  readonly columns: readonly ColumnDescription[];
  /** Tells the rows of a slice apart on both sides, and is never NULL. */
  readonly key: readonly ColumnDescription[];
  /** Of several slices: which of them a live row is of, as SQL; a staged row has it in its column {@link sliceNumber}. */
  readonly number?: string | undefined;
  /** Which version of a live row this is, as SQL, where that is to be kept. */
  readonly versions?: string | undefined;
}

/** Stands beside the columns of the old side: which version of its row was read. */
export const oldVersion = '"backfill version"';

/** Stands beside the target's own columns, too. */
const present = '"backfill side"';

/**
 * Keeps the rows that are on one side only or differ, as they are on both sides, for this transaction. All that is asked of
 * a difference afterwards is asked of this table, whose rows are few.
 */
export function differingPairsSql(
  pairs: string,
  { live, predicate, stage, columns, key, number, versions }: PairsQuery,
): string {
  const names = columns.map(({ name }) => quoteIdentifier(name));
  const several = number !== undefined;
  const rows = (from: string, slice: string, version?: string) => {
    const beside = [
      ...(several ? [`${slice} as ${sliceNumber}`] : []),
      ...(version ? [`${version} as ${oldVersion}`] : []),
    ];
    return `(select ${[`true as ${present}`, ...beside, ...names].join(', ')} from ${from})`;
  };
  const row = (side: string) => `row(${names.map((name) => `${side}.${name}`).join(', ')})`;
  const same = [...(several ? [sliceNumber] : []), ...key.map(({ name }) => quoteIdentifier(name))];
  const sides = ['o', 'n'].flatMap((side) => names.map((name, index) => `${side}.${name} as ${side}${index}`));
  return (
    `create temporary table ${pairs} on commit drop as ` +
    `select ${several ? `coalesce(n.${sliceNumber}, o.${sliceNumber}) as ${sliceNumber}, ` : ''}` +
    `o.${present} is not null as has_old, n.${present} is not null as has_new, ` +
    `${[...(versions === undefined ? [] : [`o.${oldVersion}`]), ...sides].join(', ')} ` +
    `from ${rows(`${live}${where(predicate)}`, number ?? '', versions)} o full join ${rows(stage, sliceNumber)} n ` +
    `on ${same.map((name) => `o.${name} = n.${name}`).join(' and ')} ` +
    `where o.${present} is null or n.${present} is null or pg_catalog.record_image_ne(${row('o')}, ${row('n')})`
  );
}

/** The rows of one side that differ, or those that were `added`; of one slice or of all, which then is a column of its own. */
export type PairSide = 'old' | 'new' | 'added';

const conditions: Readonly<Record<PairSide, string>> = {
  old: 'has_old',
  new: 'has_new',
  added: 'has_new and not has_old',
};

/** A side as a relation with the target's own columns, and with the number of the slice, or others of the pairs, where asked for. */
export function pairSideSql(
  pairs: string,
  columns: readonly ColumnDescription[],
  side: PairSide,
  slice?: number | 'all',
  beside: readonly string[] = [],
): string {
  const from = side === 'old' ? 'o' : 'n';
  const list = columns.map(({ name }, index) => `${from}${index} as ${quoteIdentifier(name)}`);
  const numbered = [...list, ...(slice === 'all' ? [sliceNumber] : []), ...beside];
  const own = typeof slice === 'number' ? ` and ${sliceNumber} = ${slice}` : '';
  return `(select ${numbered.join(', ')} from ${pairs} where ${conditions[side]}${own}) backfill_rows`;
}

/** One side of a pair `p` under the target's own names. */
export const pairColumns = (columns: readonly ColumnDescription[], side: 'o' | 'n'): string =>
  columns.map(({ name }, index) => `p.${side}${index} as ${quoteIdentifier(name)}`).join(', ');

/** Both sides of each pair, as `o` and `n` with the target's own columns; of a side that is not there, all are NULL. */
export function pairedRowsSql(pairs: string, columns: readonly ColumnDescription[]): string {
  const side = (alias: 'o' | 'n', has: string): string =>
    `cross join lateral (select case when p.${has} then true end as ${present}, ${pairColumns(columns, alias)}) ${alias}`;
  return `${pairs} p ${side('o', 'has_old')} ${side('n', 'has_new')}`;
}

/** Slices with rows that differ, and how many. */
export const countPairsSql = (pairs: string): string =>
  `select ${sliceNumber}, pg_catalog.count(*) from ${pairs} group by ${sliceNumber}`;

const inSlices = (slices: readonly number[] | undefined): string =>
  slices === undefined ? '' : ` and ${sliceNumber} in (${slices.join(', ')})`;

/** Takes away the live rows that differ, of all slices or of these. */
export function deletePairsSql(
  pairs: string,
  { live, predicate, columns, key }: PairsQuery,
  slices?: readonly number[],
): string {
  const old = key.map(({ name }) => `o${columns.findIndex((column) => column.name === name)}`);
  const kept = `(${key.map(({ name }) => quoteIdentifier(name)).join(', ')}) in (select ${old.join(', ')} from ${pairs} where has_old${inSlices(slices)})`;
  return `delete from ${live} where ${predicate === undefined ? '' : `${predicate} and `}${kept}`;
}

/** Puts in the staged rows that differ, of all slices or of these. */
export function insertPairsSql(
  pairs: string,
  { live, columns }: PairsQuery,
  writable: readonly string[],
  slices?: readonly number[],
): string {
  const values = writable.map((name) => `n${columns.findIndex((column) => column.name === name)}`);
  return (
    `insert into ${live} (${writable.map(quoteIdentifier).join(', ')}) overriding system value ` +
    `select ${values.join(', ')} from ${pairs} where has_new${inSlices(slices)}`
  );
}
