import type { ColumnDescription, TableDescription } from '../../../port/table-description.ts';
import { ledgerSchema as schema } from '../ledger/ledger-schema-sql.ts';
import { quoteIdentifier } from '../quote.ts';
import { pairColumns, sliceNumber } from './pairs-sql.ts';
import type { StageQuery } from './stage-sql.ts';

/**
 * Keeps the rows of a copy as a slice was, each as the text of the whole row (a mere `o` might be a column); `added`: beside those
 * that went or became others, what was added. $1: run, $2: unit, $3: slice, $4: rows of the slice, $5: columns of the key as
 * JSON, where only rows that differ are kept.
 */
export function keepImageSql(copy: string, added?: string): string {
  const rows = (from: string, isAdded: boolean) =>
    `select $1::text, $2::text, $3::text, (o.*)::text, ${isAdded} from (select * from ${from}) o`;
  return `
with image as (insert into ${schema}.before_images (run, unit, slice, row_count, key)
  values ($1::text, $2::text, $3::text, $4::bigint, $5::json))
insert into ${schema}.before_rows (run, unit, slice, line, added)
${rows(copy, false)}${added === undefined ? '' : ` union all ${rows(added, true)}`}`;
}

/**
 * The same of several slices whose differing rows are kept as pairs. $1: run, $2: slices as JSON, each with its number, unit, name,
 * rows, key, and whether added rows are kept.
 */
export function keepImagesSql(pairs: string, columns: readonly ColumnDescription[]): string {
  const lines = (side: 'o' | 'n', isAdded: boolean, condition: string) =>
    `select $1::text, a.unit, a.slice, (r.*)::text, ${isAdded} from asked a join ${pairs} p on p.${sliceNumber} = a.number ` +
    `cross join lateral (select ${pairColumns(columns, side)}) r where ${condition}`;
  return `
with asked as (select * from pg_catalog.json_to_recordset($2::json)
  r(number int, unit text, slice text, rows bigint, key json, added boolean)),
image as (insert into ${schema}.before_images (run, unit, slice, row_count, key)
  select $1::text, unit, slice, rows, key from asked)
insert into ${schema}.before_rows (run, unit, slice, line, added)
${lines('o', false, 'p.has_old')} union all ${lines('n', true, 'a.added and p.has_new and not p.has_old')}`;
}

/** $1: age in days. */
export const forgetImagesSql = `
with old as (delete from ${schema}.before_images
  where kept_at < pg_catalog.clock_timestamp() - $1::float8 * interval '1 day' returning run, unit, slice)
delete from ${schema}.before_rows r using old where (r.run, r.unit, r.slice) = (old.run, old.unit, old.slice)`;

/** A unit that changes one of its slices leaves a version of each. */
const leftAsItWas = (version: string): string =>
  `coalesce(${['added', 'removed', 'changed'].map((kind) => `${version}.diff->>'${kind}' = '0'`).join(' and ')}, false)`;

/** Two versions say that a slice has the same rows; not known of rows that were only counted. */
const sameRows = (one: string, other: string): string =>
  `coalesce((${one}.row_count, ${one}.row_checksum, ${one}.algorithm, ${one}.schema_hash) ` +
  `= (${other}.row_count, ${other}.row_checksum, ${other}.algorithm, ${other}.schema_hash), false)`;

/**
 * $1: run, $2: how an undo of it is marked. Slices that the run changed, newest first: unit, slice, target, its rows before,
 * rows that were kept (null: none were), another run that made other rows of the slice since, if they are not what this
 * one left again; whether and by which run the unit's own change of it was taken back. Several units may write one slice.
 */
export const changedSlicesSql = `
select v.unit, v.slice, v.target, v.diff->'before'->>'rows', i.row_count,
  case when own.code_hash = $2 then own.run when ${sameRows('n', 'v')} then null else n.run end, own.code_hash = $2
from ${schema}.versions v
left join lateral (
  select n.* from ${schema}.versions n where n.target = v.target and n.lower = v.lower and n.slice = v.slice
    and n.id > v.id and n.run <> v.run and not ${leftAsItWas('n')} order by n.id desc limit 1) n on true
left join lateral (
  select o.run, o.code_hash from ${schema}.versions o where o.target = v.target and o.lower = v.lower and o.slice = v.slice
    and o.unit = v.unit and o.id > v.id and o.run <> v.run and not ${leftAsItWas('o')} order by o.id desc limit 1) own on true
left join ${schema}.before_images i on (i.run, i.unit, i.slice) = (v.run, v.unit, v.slice)
where v.run = $1 and v.state in ('changed', 'held') and not ${leftAsItWas('v')} order by v.id desc`;

/** $1: run, $2: how an undo of it is marked. A run that undid it where nothing was made since. */
export const undoneBySql = `
select n.run from ${schema}.versions v cross join lateral (
  select n.run, n.code_hash from ${schema}.versions n
  where n.target = v.target and n.lower = v.lower and n.slice = v.slice order by n.id desc limit 1) n
where v.run = $1 and n.code_hash = $2 limit 1`;

/**
 * $1: run, $2: unit, $3: slice, $4: schema of the table now. What the version left and what it found, the rows kept of
 * that, whether the table still has the columns of then, whether the version changed nothing; what the table was like
 * that it made, whether it made it; the key, where only rows that differ were kept.
 */
export const imageSql = `
select v.row_count, v.row_checksum, v.algorithm, v.diff->>'before', i.row_count, v.schema_hash = pg_catalog.md5($4),
  ${leftAsItWas('v')}, v.diff->>'made', v.run is not null and v.diff->'before' is null,
  i.key
from ${schema}.versions v
left join ${schema}.before_images i on (i.run, i.unit, i.slice) = (v.run, v.unit, v.slice)
where v.run = $1 and v.unit = $2 and v.slice = $3`;

/** $1: oid of a table. Whether tables inherit from it; partitions do not count, a row finds its own by itself. */
export const hasChildrenSql = `
select exists (select from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhparent
  where c.oid = $1::pg_catalog.oid and c.relkind = 'r')`;

/**
 * $1: oid of a table. Its columns that a value can be written to; whether one that is there can be given another value,
 * and whether this role may do that to rows of the table.
 */
export const writableColumnsSql = `
select attname, attidentity <> 'a', pg_catalog.has_table_privilege(attrelid, 'UPDATE') from pg_catalog.pg_attribute
where attrelid = $1::pg_catalog.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`;

/** Kept rows as rows of the table again, for this transaction. $1: run, $2: unit, $3: slice. */
export function keptRowsSql(copy: string, table: TableDescription): string {
  const name = `${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}`;
  return (
    `create temporary table ${copy} on commit drop as ` +
    `select ${table.columns.map((column) => `(k.r).${quoteIdentifier(column.name)}`).join(', ')} ` +
    `from (select line::${name} as r from ${schema}.before_rows where run = $1 and unit = $2 and slice = $3 offset 0) k`
  );
}

/** Stands beside the target's own columns, so it must not be the name of one. */
const added = '"backfill side"';

/** As {@link keptRowsSql}, with those that were added, which is said of each. */
export function keptPartSql(lines: string, table: TableDescription): string {
  const name = `${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}`;
  return (
    `create temporary table ${lines} on commit drop as ` +
    `select ${table.columns.map((column) => `(k.r).${quoteIdentifier(column.name)}`).join(', ')}, k.added as ${added} ` +
    `from (select line::${name} as r, added from ${schema}.before_rows ` +
    `where run = $1 and unit = $2 and slice = $3 offset 0) k`
  );
}

/** All rows of a slice as they were, from those that it has and those that {@link keptPartSql} gave. */
export function oldRowsSql(
  copy: string,
  lines: string,
  { live, predicate, columns }: Pick<StageQuery, 'live' | 'predicate' | 'columns'>,
  key: readonly string[],
): string {
  const list = columns.map(({ name }) => quoteIdentifier(name)).join(', ');
  const names = key.map(quoteIdentifier).join(', ');
  return (
    `create temporary table ${copy} on commit drop as ` +
    `select ${list} from ${lines} where not ${added} union all ` +
    `select ${list} from ${live} where ${predicate === undefined ? '' : `${predicate} and `}(${names}) not in (select ${names} from ${lines})`
  );
}

/**
 * $1: oids of tables, as an array. Of each trigger of them, and of their partitions, that may make other rows of those which
 * are written: whether this role may switch it off, and the statements that do so and switch it on again as it was.
 */
export const rowTriggersSql = `
with tables as (select o.id, coalesce(p.relid::pg_catalog.oid, o.id) as oid from pg_catalog.unnest($1::pg_catalog.oid[]) o(id)
  left join lateral pg_catalog.pg_partition_tree(o.id::pg_catalog.regclass) p on true)
select distinct pg_catalog.pg_has_role(c.relowner, 'USAGE'),
  pg_catalog.format('alter table only %I.%I disable trigger %I', n.nspname, c.relname, t.tgname),
  pg_catalog.format('alter table only %I.%I enable %strigger %I', n.nspname, c.relname,
    case t.tgenabled when 'A' then 'always ' else '' end, t.tgname)
from tables join pg_catalog.pg_class c on c.oid = tables.oid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_trigger t on t.tgrelid = c.oid
where not t.tgisinternal and t.tgenabled in ('O', 'A') and t.tgtype & 3 = 3 order by 2`;
