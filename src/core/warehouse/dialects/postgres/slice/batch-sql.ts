import type { ColumnDescription } from '../../../port/table-description.ts';
import { quoteIdentifier } from '../quote.ts';
import { where } from './figures-sql.ts';
import { sliceNumber } from './pairs-sql.ts';

const names = (columns: readonly ColumnDescription[]): string =>
  columns.map(({ name }) => quoteIdentifier(name)).join(', ');

/** The rows of all slices, each with its number. */
export const numberedRowsSql = (
  live: string,
  columns: readonly ColumnDescription[],
  predicate: string,
  number: string,
): string => `(select ${names(columns)}, ${number} as ${sliceNumber} from ${live} where ${predicate}) backfill_rows`;

/** A table of this transaction as large as several slices: without it the plans of what follows are those of a small one. */
export const analyzeSql = (table: string): string => `analyze ${table}`;

/** The old rows of all slices. `number`: which of them a row is of, as SQL. */
export const copySlicesSql = (
  copy: string,
  live: string,
  columns: readonly ColumnDescription[],
  predicate: string,
  number: string,
): string =>
  `create temporary table ${copy} on commit drop as select ${names(columns)}, ${number} as ${sliceNumber} ` +
  `from ${live} where ${predicate}`;

export const numberedStageSql = (stage: string, columns: string): string =>
  `create temporary table ${stage} (${columns}, ${sliceNumber} int) on commit drop`;

/** By slice, how many rows are staged for it, and whether one of them is in none of the slices or in another one. */
export const stagedSlicesSql = (stage: string, predicate: string, number: string): string =>
  `select ${sliceNumber}, pg_catalog.count(*), ` +
  `pg_catalog.bool_or((${predicate}) is not true or ${sliceNumber} is distinct from ${number}) from ${stage} group by ${sliceNumber}`;

export const indexSlicesSql = (table: string): string => `create index on ${table} (${sliceNumber})`;

/** The rows of one slice, or those of them with kept keys, as a relation of their own. */
export function sliceRowsSql(
  table: string,
  columns: readonly ColumnDescription[],
  slice: number,
  differing?: { readonly table: string; readonly key: readonly ColumnDescription[] },
): string {
  const kept =
    differing === undefined
      ? ''
      : ` and (${names(differing.key)}) in (select ${keyNames(differing.key)} from ${differing.table} where slice = ${slice})`;
  return `(select ${names(columns)} from ${table} where ${sliceNumber} = ${slice}${kept}) backfill_rows`;
}

const keyNames = (key: readonly ColumnDescription[]): string => key.map((_, index) => `k${index}`).join(', ');

export interface SlicesQuery {
  readonly stage: string;
  readonly old: string;
  readonly live: string;
  readonly columns: readonly ColumnDescription[];
  /** Tells the rows of a slice apart on both sides. */
  readonly key: readonly ColumnDescription[];
  readonly predicate: string;
  readonly number: string;
}

/** Stands beside the target's own columns, too. */
const present = '"backfill side"';

/** Keeps the keys of rows that are on one side of their slice only, or differ; gives their number. */
export function differingSlicesSql(differing: string, { stage, old, columns, key }: SlicesQuery): string {
  const side = (table: string, alias: string) =>
    `(select true as ${present}, ${sliceNumber}, ${names(columns)} from ${table}) ${alias}`;
  const row = (alias: string) => `row(${columns.map(({ name }) => `${alias}.${quoteIdentifier(name)}`).join(', ')})`;
  const keys = key.map(({ name }) => quoteIdentifier(name));
  return (
    `create temporary table ${differing} on commit drop as ` +
    `select coalesce(n.${sliceNumber}, o.${sliceNumber}) as slice, ` +
    `${keys.map((name, index) => `coalesce(n.${name}, o.${name}) as k${index}`).join(', ')} ` +
    `from ${side(old, 'o')} full join ${side(stage, 'n')} ` +
    `on ${[sliceNumber, ...keys].map((name) => `o.${name} = n.${name}`).join(' and ')} ` +
    `where o.${present} is null or n.${present} is null or pg_catalog.record_image_ne(${row('o')}, ${row('n')})`
  );
}

/** Slices with kept keys, and how many. */
export const countDifferingSql = (differing: string): string =>
  `select slice, pg_catalog.count(*) from ${differing} group by slice`;

/** Which slices are written, and of these which rows: all, or those with kept keys. */
export interface WrittenSlices {
  readonly slices: readonly number[];
  readonly differing: string | undefined;
}

const isKept = (key: readonly ColumnDescription[], { slices, differing }: WrittenSlices): string =>
  `(${names(key)}) in (select ${keyNames(key)} from ${differing} where slice in (${slices.join(', ')}))`;

export function clearSlicesSql(
  { live, predicate, number, key }: Omit<SlicesQuery, 'old'>,
  written: WrittenSlices,
): string {
  const rows = written.differing === undefined ? `${number} in (${written.slices.join(', ')})` : isKept(key, written);
  return `delete from ${live} where ${predicate} and ${rows}`;
}

export function fillSlicesSql(
  { stage, live, key }: Omit<SlicesQuery, 'old'>,
  writable: readonly string[],
  written: WrittenSlices,
): string {
  const list = writable.map(quoteIdentifier).join(', ');
  const rows = written.differing === undefined ? '' : ` and ${isKept(key, written)}`;
  return (
    `insert into ${live} (${list}) overriding system value select ${list} from ${stage} ` +
    `where ${sliceNumber} in (${written.slices.join(', ')})${rows}`
  );
}

/** True where a unique index that does not say the slice would have rows of one slice stand in the way of another. */
export const movedKeysSql = (
  { stage, old }: SlicesQuery,
  { parts, predicate }: { readonly parts: readonly string[]; readonly predicate: string | null },
): string => {
  const keys = parts.map((_, index) => `k${index}`).join(', ');
  const rows = (table: string) =>
    `(select ${sliceNumber}, ${parts.map((part, index) => `${part} as k${index}`).join(', ')} from ${table}${where(predicate ?? undefined)})`;
  return (
    `select exists (select from ${rows(stage)} n join ${rows(old)} o using (${keys}) ` +
    `where n.${sliceNumber} <> o.${sliceNumber})`
  );
};

/**
 * $1: names of functions as JSON, $2: oid of the target. Of the functions, one that may give something else each time or
 * do more than give a value; one that sees several rows; whether the target has an exclusion constraint.
 */
export const callsSql = `
select
  (select pg_catalog.min(p.proname) from pg_catalog.pg_proc p where p.provolatile = 'v' and p.prokind <> 'p' and p.proname = any(n.names)),
  (select pg_catalog.min(p.proname) from pg_catalog.pg_proc p where p.prokind in ('a', 'w') and p.proname = any(n.names)),
  exists (select from pg_catalog.pg_constraint c where c.conrelid = $2::pg_catalog.oid and c.contype = 'x')
from (select array(select pg_catalog.json_array_elements_text($1::json)) as names) n`;
