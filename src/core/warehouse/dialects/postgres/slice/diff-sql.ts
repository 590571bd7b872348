import type { ColumnDescription } from '../../../port/table-description.ts';
import { quoteIdentifier, quoteLiteral } from '../quote.ts';
import { type HashMethod, hashHalves, rowBytes } from '../row-hash.ts';
import { where } from './figures-sql.ts';

export interface DiffQuery {
  /** The copy of the old rows and the live table, as SQL. */
  readonly old: string;
  readonly live: string;
  readonly predicate: string | undefined;
  readonly columns: readonly ColumnDescription[];
  readonly key: readonly ColumnDescription[];
  readonly hash: HashMethod;
  readonly samples: number;
  /** Relative; `undefined`: the last bits of each float type. */
  readonly floatTolerance: number | undefined;
}

/** Stands beside the target's own columns, so it must not be the name of one. */
const present = '"backfill side"';

/** By image, so that 1.0 and 1.00 differ and types without an equality compare. The operator would unpack one column. */
const differ = (a: string, b: string) => `pg_catalog.record_image_ne(${a}, ${b})`;

const names = (columns: readonly ColumnDescription[]) => columns.map((column) => quoteIdentifier(column.name));

/**
 * One full join on the key, by the rows' images. Columns: added, removed, changed; three JSON arrays of sample keys in
 * the same order; rows that differ only in float columns and there only within tolerance; changed rows per column; of
 * each float column, in order, those within tolerance.
 */
export function keyedDiffSql(query: DiffQuery): string {
  const columns = names(query.columns);
  const key = names(query.key);
  const side = (alias: string) => `row(${columns.map((column) => `${alias}.${column}`).join(', ')})`;
  const sample = (kind: string) =>
    `(select json_agg(json_build_array(${key.map((_, index) => `k${index}::text`).join(', ')})) from ` +
    `(select * from d where kind = '${kind}' order by ${key.map((_, index) => `k${index}`).join(', ')} ` +
    `limit ${query.samples}) s)`;
  return (
    `with d as materialized (select ${[`${kind} as kind`, ...keysOf(query), ...flagsOf(query)].join(', ')} ` +
    `from (select true as ${present}, ${columnsOf(query)} from ${query.old}) o ` +
    `full join (select true as ${present}, ${columnsOf(query)} from ${query.live}${where(query.predicate)}) n ` +
    `on ${key.map((column) => `o.${column} = n.${column}`).join(' and ')} ` +
    `where o.${present} is null or n.${present} is null or ${differ(side('o'), side('n'))}) ` +
    `select count(*) filter (where kind = 'a'), count(*) filter (where kind = 'r'), ` +
    `count(*) filter (where kind = 'c'), ${['a', 'r', 'c'].map(sample).join(', ')}, ${changedCounts(query)} from d`
  );
}

const kind = `case when o.${present} is null then 'a' when n.${present} is null then 'r' else 'c' end`;

const keysOf = ({ key }: DiffQuery): readonly string[] =>
  names(key).map((column, index) => `coalesce(n.${column}, o.${column}) as k${index}`);

const floatsOf = ({ columns }: DiffQuery) =>
  columns.flatMap((column, index) => (column.float ? [{ column, index }] : []));

/** Of a pair of rows: whether it differs in floats only that are near; which floats are near, and which columns differ. */
const flagsOf = (query: DiffQuery): readonly string[] => [
  `${onlyNear(query)} as only_near`,
  ...floatsOf(query).map(({ column, index }) => `${isNear(column, query.floatTolerance)} as y${index}`),
  ...names(query.columns).map((column, index) => `${differ(`row(o.${column})`, `row(n.${column})`)} as x${index}`),
];

const changedCounts = (query: DiffQuery): string =>
  [
    `count(*) filter (where kind = 'c' and only_near)`,
    ...query.columns.map((_, index) => `count(*) filter (where kind = 'c' and x${index})`),
    ...floatsOf(query).map(({ index }) => `count(*) filter (where kind = 'c' and x${index} and y${index})`),
  ].join(', ');

/** Rows of several slices that differ, side by side: `from` has them as `o` and `n`, `by` is the number of their slice. */
export type PairedDiffQuery = Omit<DiffQuery, 'old' | 'live' | 'predicate'> & {
  readonly from: string;
  readonly by: string;
};

const paired = (query: PairedDiffQuery): DiffQuery => ({ ...query, old: '', live: '', predicate: undefined });

/** The counts of {@link keyedDiffSql} of each slice that differs, without sample keys; its number first. */
export function pairedCountsSql(asked: PairedDiffQuery): string {
  const query = paired(asked);
  return (
    `select g, ${['a', 'r', 'c'].map((one) => `count(*) filter (where kind = '${one}')`).join(', ')}, ${changedCounts(query)} ` +
    `from (select ${[`${asked.by} as g`, `${kind} as kind`, ...flagsOf(query)].join(', ')} from ${asked.from} offset 0) d group by g`
  );
}

/**
 * A few rows of each kind of each slice, by their keys: the number of the slice, the kind, the key, all columns as they were, all
 * as they are.
 */
export function pairedSamplesSql(asked: PairedDiffQuery): string {
  const query = paired(asked);
  const columns = names(query.columns);
  const sides = ['o', 'n'].flatMap((side) => columns.map((column, index) => `${side}.${column} as ${side}${index}`));
  const shown = ['o', 'n'].flatMap((side) => columns.map((_, index) => cutText(`${side}${index}`)));
  const key = query.key.map((_, index) => `k${index}`);
  return (
    `select ${['g', 'kind', ...key.map((name) => `${name}::text`), ...shown].join(', ')} from (` +
    `select *, row_number() over (partition by g, kind order by ${key.join(', ')}) as place from (` +
    `select ${[`${asked.by} as g`, `${kind} as kind`, ...keysOf(query), ...sides].join(', ')} from ${asked.from}) d) d ` +
    `where place <= ${query.samples} order by g, place`
  );
}

const columnsOf = (query: DiffQuery) => [...new Set([...names(query.columns), ...names(query.key)])].join(', ');

/** All columns but floats are the same, and floats are apart by no more than the tolerance. */
function onlyNear(query: DiffQuery): string {
  const same = (column: ColumnDescription) => {
    const name = quoteIdentifier(column.name);
    return `pg_catalog.record_image_eq(row(o.${name}), row(n.${name}))`;
  };
  if (!query.columns.some((column) => column.float)) return 'false';
  const each = query.columns.map((column) =>
    column.float ? `(${same(column)} or ${isNear(column, query.floatTolerance)})` : same(column),
  );
  return `(${each.join(' and ')})`;
}

/** What sums in another order are apart by. */
const lastBits = (column: ColumnDescription): number => (column.baseType === 'float4' ? 1e-6 : 1e-14);

/**
 * Whether the two values of a float column are apart by no more than the tolerance, relative to the larger one. Equal
 * values count (±0; NaN is equal to itself); otherwise neither NaN nor an infinity is near anything, nor are magnitudes
 * at the ends of the range, where the difference could not be taken.
 */
function isNear(column: ColumnDescription, tolerance: number | undefined): string {
  const name = quoteIdentifier(column.name);
  const [o, n] = [`o.${name}::float8`, `n.${name}::float8`];
  const [low, high] = [`least(abs(${o}), abs(${n}))`, `greatest(abs(${o}), abs(${n}))`];
  // A tolerance finer than the type is none.
  const within = tolerance === undefined || tolerance > 0 ? Math.max(tolerance ?? 0, lastBits(column)) : 0;
  return (
    `coalesce(case when ${o} = ${n} then true when ${low} > 1e-280 and ${high} < 1e300 ` +
    `then abs(${o} - ${n}) <= ${within} * ${high} else false end, false)`
  );
}

/**
 * Without a usable key: rows counted by their 128-bit hash. Columns: added, removed; two JSON arrays of `[h0, h1]`, one for
 * each copy that came or went, not for those that were there before and stay. No row's second copy stands before
 * the first of another, so that a few samples are of as many rows as there are.
 */
export function multisetDiffSql(query: DiffQuery): string {
  const [h0, h1] = hashHalves(query.hash, 'b');
  const hashes = (from: string, predicate: string | undefined, sign: number) =>
    `select ${h0} as h0, ${h1} as h1, ${sign} as s from ` +
    `(select ${rowBytes(query.columns)} as b from ${from}${where(predicate)} offset 0) r`;
  const sample = (sign: string) =>
    `(select json_agg(json_build_array(h0::text, h1::text) order by copy, h0, h1) from (select h0, h1, copy from ` +
    `(select h0, h1, n from d where n ${sign} 0 order by h0, h1 limit ${query.samples}) r, ` +
    `generate_series(1, least(abs(n), ${query.samples})::int) copy order by copy, h0, h1 limit ${query.samples}) s)`;
  return (
    `with d as materialized (select h0, h1, sum(s) as n from (${hashes(query.live, query.predicate, 1)} ` +
    `union all ${hashes(query.old, undefined, -1)}) u group by h0, h1 having sum(s) <> 0) ` +
    `select coalesce(sum(n) filter (where n > 0), 0), coalesce(-sum(n) filter (where n < 0), 0), ` +
    `${sample('>')}, ${sample('<')} from d`
  );
}

/** Longer values are cut in samples, which are for the eye. */
const sampleLength = 2000;

const cutText = (name: string): string => `left(${name}::text, ${sampleLength})`;

/** The rows with these keys (text values), as text: the key's columns first, then all columns. */
export function rowsByKeySql(
  from: string,
  predicate: string | undefined,
  columns: readonly ColumnDescription[],
  key: readonly ColumnDescription[],
  wanted: readonly (readonly (string | null)[])[],
): string {
  const tuples = wanted.map(
    (values) =>
      `(${values.map((value, index) => (value === null ? 'null' : `${quoteLiteral(value)}::${key[index]?.type}`)).join(', ')})`,
  );
  const condition = `(${names(key).join(', ')}) in (${tuples.join(', ')})`;
  return (
    `select ${names(key)
      .map((name) => `${name}::text`)
      .join(', ')}, ${names(columns).map(cutText).join(', ')} from ${from} ` +
    `where ${predicate === undefined ? '' : `${predicate} and `}${condition}`
  );
}

/** What the rows with these hashes are like, as text: both halves of the hash first, then all columns; each hash once. */
export function rowsByHashSql(
  from: string,
  predicate: string | undefined,
  columns: readonly ColumnDescription[],
  hash: HashMethod,
  wanted: readonly (readonly (string | null)[])[],
): string {
  const [h0, h1] = hashHalves(hash, present);
  const tuples = wanted.map((halves) => `(${halves.map((half) => `${half}::bigint`).join(', ')})`);
  const shown = names(columns).map((name) => `min(${cutText(name)})`);
  return (
    `select ${[`${h0}::text`, `${h1}::text`, ...shown].join(', ')} from ` +
    `(select *, ${rowBytes(columns)} as ${present} from ${from}${where(predicate)} offset 0) r ` +
    `where (${h0}, ${h1}) in (${tuples.join(', ')}) group by 1, 2`
  );
}
