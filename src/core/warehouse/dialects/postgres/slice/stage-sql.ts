import type { ColumnDescription } from '../../../port/table-description.ts';
import { quoteIdentifier } from '../quote.ts';
import { where } from './figures-sql.ts';

/** Locks of this transaction on tables with these oids, but for the one that keeps other writers out. */
const touched = (oids: string): string => `
select from pg_catalog.pg_locks l
where l.locktype = 'relation' and l.pid = pg_catalog.pg_backend_pid() and l.relation = any(${oids}::pg_catalog.oid[])
  and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
  and l.mode <> 'ShareRowExclusiveLock'`;

/**
 * $1: oid of a target, $2: oids of all tables that its rows are in, $3: its name as the task writes it, $4: DELETE or
 * TRUNCATE. The columns and checks of a table that takes the same rows as the target, as SQL, and the columns that can
 * be written to as JSON. No row where emptying and filling the target does more than that (triggers, rules, row security,
 * rows that refer to it, heirs), where its values come from elsewhere (identity columns, sequences), where this role may not do it,
 * or where the transaction has looked at the target, so that nobody could tell whether the task does.
 */
export const stageColumnsSql = `
with touched as (${touched('$2')})
select (
    select pg_catalog.string_agg(part.sql, ', ' order by part.kind, part.n)
    from (
      select 0 as kind, a.attnum::bigint as n,
        pg_catalog.quote_ident(a.attname) || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod) ||
        case when a.attcollation <> y.typcollation
          then ' collate ' || pg_catalog.quote_ident(m.nspname) || '.' || pg_catalog.quote_ident(l.collname) else '' end ||
        case when d.oid is null then ''
          when a.attgenerated = 's' then ' generated always as (' || pg_catalog.pg_get_expr(d.adbin, d.adrelid) || ') stored'
          else ' default ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid) end ||
        case when a.attnotnull then ' not null' else '' end as sql
      from pg_catalog.pg_attribute a
      join pg_catalog.pg_type y on y.oid = a.atttypid
      left join pg_catalog.pg_collation l on l.oid = a.attcollation
      left join pg_catalog.pg_namespace m on m.oid = l.collnamespace
      left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      union all
      select 1, k.oid::bigint, pg_catalog.pg_get_constraintdef(k.oid)
      from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and k.convalidated
    ) part
  ),
  (select pg_catalog.json_agg(a.attname order by a.attnum) from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')
from pg_catalog.pg_class c
where c.oid = $1::pg_catalog.oid and c.oid = pg_catalog.to_regclass($3) and c.relpersistence <> 't' and not c.relrowsecurity
  and not exists (select from touched)
  and pg_catalog.has_table_privilege(c.oid, 'INSERT') and pg_catalog.has_table_privilege(c.oid, $4)
  and (c.relkind = 'p' or not exists (select from pg_catalog.pg_inherits i where i.inhparent = c.oid))
  and not exists (select from pg_catalog.pg_class s
    where s.oid = any($2::pg_catalog.oid[]) and s.relkind not in ('r', 'p'))
  and not exists (select from pg_catalog.pg_trigger t where t.tgrelid = any($2::pg_catalog.oid[]) and not t.tgisinternal)
  and not exists (select from pg_catalog.pg_rewrite r where r.ev_class = any($2::pg_catalog.oid[]))
  and not exists (select from pg_catalog.pg_constraint k where k.confrelid = any($2::pg_catalog.oid[]))
  and not exists (select from pg_catalog.pg_constraint k
    where k.conrelid = any($2::pg_catalog.oid[]) and not k.convalidated)
  and not exists (select from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and (a.attidentity <> '' or a.attgenerated not in ('', 's')))
  and not exists (select from pg_catalog.pg_attrdef d
    where d.adrelid = c.oid and pg_catalog.pg_get_expr(d.adbin, d.adrelid) ~ 'nextval"?[(]')`;

/** $1: oids of tables. Whether this transaction has looked at one of them, or written to it, in whatever way. */
export const touchedSql = `select exists (${touched('$1')})`;

export interface StageQuery {
  readonly stage: string;
  readonly live: string;
  /** Of the slice; `undefined`: the whole table. */
  readonly predicate: string | undefined;
  /** All columns of the target, of which rows are the same when they are equal to the byte. */
  readonly columns: readonly ColumnDescription[];
  /** Columns that tell the rows of either side apart. */
  readonly key: readonly ColumnDescription[];
}

const names = (columns: readonly ColumnDescription[]): readonly string[] =>
  columns.map(({ name }) => quoteIdentifier(name));

/** Stands beside the target's own columns, so it must not be the name of one. */
const present = '"backfill side"';

/** Keeps the keys of rows that are on one side only or differ, for this transaction, and whether they are on both. */
export function differingKeysSql(differing: string, { stage, live, predicate, columns, key }: StageQuery): string {
  const list = names(columns).join(', ');
  const row = (side: string) => `row(${names(columns).map((name) => `${side}.${name}`)})`;
  const keys = names(key);
  return (
    `create temporary table ${differing} on commit drop as ` +
    `select ${keys.map((name, index) => `coalesce(n.${name}, o.${name}) as k${index}`).join(', ')}, ` +
    `o.${present} is not null and n.${present} is not null as on_both ` +
    `from (select true as ${present}, ${list} from ${live}${where(predicate)}) o ` +
    `full join (select true as ${present}, ${list} from ${stage}) n ` +
    `on ${keys.map((name) => `o.${name} = n.${name}`).join(' and ')} ` +
    `where o.${present} is null or n.${present} is null or pg_catalog.record_image_ne(${row('o')}, ${row('n')})`
  );
}

/** Which of the kept keys a statement is about: all, those on both sides, or those on one. */
export type Differing = 'all' | 'on both' | 'on one';

const conditions: Readonly<Record<Differing, string>> = {
  all: '',
  'on both': ' where on_both',
  'on one': ' where not on_both',
};

const isDiffering = (differing: string, key: readonly ColumnDescription[], which: Differing): string =>
  `(${names(key).join(', ')}) in (select ${key.map((_, index) => `k${index}`).join(', ')} from ${differing}${conditions[which]})`;

const inSlice = (predicate: string | undefined, condition: string): string =>
  predicate === undefined ? condition : `${predicate} and ${condition}`;

/** The rows of a table with kept keys, as a relation of their own. */
export const differingRowsSql = (
  differing: string,
  table: string,
  key: readonly ColumnDescription[],
  predicate: string | undefined,
): string => `(select * from ${table} where ${inSlice(predicate, isDiffering(differing, key, 'all'))}) backfill_rows`;

export const hasRowsSql = (table: string, predicate: string | undefined): string =>
  `select exists (select from ${table}${where(predicate)})`;

export const deleteDifferingSql = (differing: string, which: Differing, { live, predicate, key }: StageQuery): string =>
  `delete from ${live} where ${inSlice(predicate, isDiffering(differing, key, which))}`;

/** Gives rows that are on both sides the values of the stage, so that what refers to them goes on doing so. */
export function updateDifferingSql(
  differing: string,
  { stage, live, predicate, columns, key }: StageQuery,
  settable: readonly string[],
): string {
  // Names of their own, so that the predicate means columns of the target only.
  const value = (name: string) => quoteIdentifier(`backfill staged ${name}`);
  const staged = columns.map(({ name }) => `${quoteIdentifier(name)} as ${value(name)}`);
  const same = key.map(({ name }) => `${quoteIdentifier(name)} = ${value(name)}`);
  return (
    `update ${live} set ${settable.map((name) => `${quoteIdentifier(name)} = ${value(name)}`).join(', ')} ` +
    `from (select ${staged.join(', ')} from ${stage}) s ` +
    `where ${inSlice(predicate, [...same, isDiffering(differing, key, 'on both')].join(' and '))}`
  );
}

/** Copies rows of the stage: those with kept keys, or all where none are given. */
export function insertStagedSql(
  { stage, live, key }: Pick<StageQuery, 'stage' | 'live' | 'key'>,
  writable: readonly string[],
  differing?: { readonly table: string; readonly which: Differing },
): string {
  const list = writable.map(quoteIdentifier).join(', ');
  const condition = differing && isDiffering(differing.table, key, differing.which);
  return `insert into ${live} (${list}) overriding system value select ${list} from ${stage}${where(condition)}`;
}
