import type { ColumnDescription } from '../../../port/table-description.ts';
import { quoteIdentifier } from '../quote.ts';
import { type HashMethod, hashHalves, rowBytes } from '../row-hash.ts';
import { where } from './figures-sql.ts';

/** The slice as a run left it, and as a run from nothing leaves it, at the moment when both can be seen. */
export interface LeftOverQuery {
  /** A copy made by {@link keepRunRowsSql}. */
  readonly ran: string;
  readonly live: string;
  readonly predicate: string | undefined;
  readonly columns: readonly ColumnDescription[];
  /** Tells rows apart; empty where nothing does, and rows are then counted by their bytes. */
  readonly key: readonly ColumnDescription[];
}

/** Stand beside the target's own columns, so they must not be the names of any. */
const [table, place, own] = ['"backfill table"', '"backfill place"', '"backfill own"'];

const list = (columns: readonly ColumnDescription[], qualifier = ''): string =>
  columns.map(({ name }) => `${qualifier}${quoteIdentifier(name)}`).join(', ');

/** Copies the slice with the place of each row, and whether this transaction wrote it after `ownAge`. */
export const keepRunRowsSql = (
  ran: string,
  live: string,
  predicate: string | undefined,
  columns: readonly ColumnDescription[],
  ownAge: string,
): string =>
  `create temporary table ${ran} on commit drop as select tableoid as ${table}, ctid as ${place}, ` +
  `pg_catalog.age(xmin) <= ${ownAge} as ${own}, ${list(columns)} from ${live}${where(predicate)}`;

export const emptySliceSql = (live: string, predicate: string | undefined): string =>
  `delete from ${live}${where(predicate)}`;

/** Keeps the rows of the run that the run from nothing does not have: by key, or as often as they are too many. */
export function leftOverSql(left: string, { ran, live, predicate, columns, key }: LeftOverQuery): string {
  const made = `create temporary table ${left} on commit drop as `;
  if (key.length > 0) {
    const clean = `(select ${list(key)} from ${live}${where(predicate)}) n`;
    return `${made}select r.* from ${ran} r where not exists (select from ${clean} where ${sameKey(key)})`;
  }
  // What this run wrote is what it gives: of equal rows the older ones are too many.
  const numbered = `pg_catalog.row_number() over (partition by ${bytes} order by ${own} desc, ${place}) as ${number}`;
  const [run, clean] = bothByBytes({ ran, live, predicate, columns });
  return (
    `${made}select r.* from (select *, ${numbered} from ${run} s) r ` +
    `left join (select ${bytes}, count(*) as c from ${clean} s group by 1) n on n.${bytes} = r.${bytes} ` +
    `where r.${number} > coalesce(n.c, 0)`
  );
}

/** How many rows the run from nothing has that the run does not have, as often as they are missing. */
export function missingRowsSql(query: Omit<LeftOverQuery, 'key'>): string {
  const [run, clean] = bothByBytes(query);
  return (
    `select count(*) from (select ${bytes}, pg_catalog.row_number() over (partition by ${bytes}) as n from ${clean} s) c ` +
    `left join (select ${bytes}, count(*) as c from ${run} s group by 1) r on r.${bytes} = c.${bytes} where c.n > coalesce(r.c, 0)`
  );
}

const bytes = '"backfill bytes"';
const number = '"backfill number"';

const bothByBytes = ({ ran, live, predicate, columns }: Omit<LeftOverQuery, 'key'>): readonly [string, string] => {
  const row = `${rowBytes(columns)} as ${bytes}`;
  return [`(select *, ${row} from ${ran} offset 0)`, `(select ${row} from ${live}${where(predicate)} offset 0)`];
};

const sameKey = (key: readonly ColumnDescription[]): string =>
  key.map(({ name }) => `n.${quoteIdentifier(name)} = r.${quoteIdentifier(name)}`).join(' and ');

/** Rows that the run found and left, of a key that the run from nothing has with other values in these columns. */
export function staleRowsSql({ ran, live, predicate, columns, key }: LeftOverQuery): string {
  const clean = `(select ${list([...new Set([...key, ...columns])])} from ${live}${where(predicate)}) n`;
  const image = (side: string) => `row(${list(columns, `${side}.`)})`;
  return (
    `select count(*) from ${ran} r join ${clean} on ${sameKey(key)} ` +
    `where not r.${own} and pg_catalog.record_image_ne(${image('r')}, ${image('n')})`
  );
}

/** Whether all values of each column are of the time of this transaction or later; NULL where there are none. */
export const clockColumnsSql = (
  live: string,
  predicate: string | undefined,
  columns: readonly ColumnDescription[],
): string =>
  `select ${columns
    .map(({ name, baseType }) => {
      const began = baseType === 'timestamptz' ? 'pg_catalog.now()' : 'localtimestamp';
      return `pg_catalog.bool_and(${quoteIdentifier(name)} >= ${began})`;
    })
    .join(', ')} from ${live}${where(predicate)}`;

/** Of each column, by itself, a figure that tells whether it has the same values as often. */
export function columnFiguresSql(
  live: string,
  predicate: string | undefined,
  columns: readonly ColumnDescription[],
  hash: HashMethod,
): string {
  const figures = columns.map((column) => {
    const [first, second] = hashHalves(hash, rowBytes([column]));
    return `count(*) || ' ' || coalesce(sum(${first}), 0) || ' ' || coalesce(sum(${second}), 0)`;
  });
  return `select ${figures.join(', ')} from ${live}${where(predicate)}`;
}

/** Up to `limit` of the rows that {@link leftOverSql} kept, as text. */
export const leftOverSamplesSql = (left: string, columns: readonly ColumnDescription[], limit: number): string =>
  `select ${columns.map(({ name }) => `left(${quoteIdentifier(name)}::text, 200)`).join(', ')} from ${left} order by ${place} limit ${limit}`;

/** How many rows {@link leftOverSql} kept, and with `places` where they are: `[table, places]` as JSON. */
export const leftOverPlacesSql = (left: string, places: boolean): string =>
  places
    ? `select (select count(*) from ${left}), (select pg_catalog.json_agg(pg_catalog.json_build_array(t, p)) from ` +
      `(select ${table}::text as t, pg_catalog.array_agg(${place})::text as p from ${left} group by 1) s)`
    : `select count(*), null from ${left}`;

/** $1: table that the rows are in, $2: their places. */
export const deletePlacesSql = (live: string, predicate: string | undefined): string =>
  `delete from ${live} where ${predicate === undefined ? '' : `(${predicate}) and `}tableoid = $1::pg_catalog.oid ` +
  `and ctid = any($2::pg_catalog.tid[])`;
