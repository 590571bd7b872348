import type { TableDescription } from '../../../port/table-description.ts';
import { quoteIdentifier } from '../quote.ts';
import { where } from './figures-sql.ts';

/**
 * $1: oid of a target. True where rows that its columns and checks take can be refused, or sent elsewhere, by nothing but
 * its unique indexes: no partitions or heirs, foreign keys, exclusion constraints, checks of where a row is, and no
 * function of the user's own in defaults, generated columns and checks, because it may look at the target.
 */
export const keepsRowsSql = `
select c.relkind = 'r' and not c.relispartition
  and not exists (select from pg_catalog.pg_inherits h where c.oid in (h.inhrelid, h.inhparent))
  and not exists (select from pg_catalog.pg_constraint k
    where k.conrelid = c.oid and (k.contype in ('f', 'x', 't') or k.condeferrable or -6 = any(k.conkey)))
  and not exists (
    select from pg_catalog.pg_depend d
    where d.refclassid in ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass)
      and d.refobjid >= 16384
      and (
        (d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass
          and d.objid in (select f.oid from pg_catalog.pg_attrdef f where f.adrelid = c.oid))
        or (d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
          and d.objid in (select k.oid from pg_catalog.pg_constraint k where k.conrelid = c.oid))))
from pg_catalog.pg_class c where c.oid = $1::pg_catalog.oid`;

/** Names of views that exist only to ask the server what a query looks at. */
const probe = 'backfill_probe';
const sliceProbe = 'backfill_slice_probe';

/** A view over a query, never read. Under SELECT, columns without a name, or with the same one, do no harm. */
export const probeSql = (query: string): string =>
  `create temporary view ${probe} as select 1 as one from (\n${query}\n) backfill_query`;

export const sliceProbeSql = (table: string, predicate: string | undefined): string =>
  `create temporary view ${sliceProbe} as select 1 as one from ${table}${where(predicate)}`;

/** Builtin functions that run a query which they are given as text. */
const runsText = '(query|table|schema|database|cursor)_to_xml|ts_stat';

/**
 * $1: oid of the target. What both probes look at, through views: whether the query may read the target, or the slice's
 * predicate anything but it; and the target's columns in the predicate. Functions and operators of the user's own may
 * look at anything; so may foreign tables.
 */
export const probedSql = `
with recursive used(probe, oid) as (
  select v.probe, v.probe::pg_catalog.regclass::pg_catalog.oid
  from (values ('pg_temp.${probe}'), ('pg_temp.${sliceProbe}')) v(probe)
  union
  select u.probe, d.refobjid
  from used u
  join pg_catalog.pg_rewrite r on r.ev_class = u.oid
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
    and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
)
select
  exists (select from used u join pg_catalog.pg_class c on c.oid = u.oid
    where (u.probe like '%.${probe}' and (c.oid = $1::pg_catalog.oid or c.relkind in ('f', 'S')))
      or (u.probe like '%.${sliceProbe}' and c.oid <> $1::pg_catalog.oid and c.relname <> '${sliceProbe}')
      or (c.relkind in ('v', 'm') and pg_catalog.pg_get_viewdef(c.oid) ~* '${runsText}'))
  or exists (select from used u
    join pg_catalog.pg_rewrite r on r.ev_class = u.oid
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
    left join pg_catalog.pg_proc p on d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass and p.oid = d.refobjid
    left join pg_catalog.pg_language l on l.oid = p.prolang
    where d.refobjid >= 16384 and (
      d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass
      or (p.oid is not null
        and not (p.prokind = 'f' and p.provolatile = 'i' and l.lanname in ('c', 'internal'))))),
  (select pg_catalog.json_agg(distinct a.attname)
    from pg_catalog.pg_rewrite r
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
      and d.refobjid = $1::pg_catalog.oid and d.refobjsubid > 0
    join pg_catalog.pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where r.ev_class = 'pg_temp.${sliceProbe}'::pg_catalog.regclass)`;

/** One unique index of a target: what it compares, as SQL over the table's columns, and of which rows. */
export interface UniqueIndex {
  readonly parts: readonly string[];
  /** Names of columns among the parts, as they are in the catalog. */
  readonly columns: readonly string[];
  readonly predicate: string | null;
  /** NULLs are equal in it, or texts that differ: grouping does not see rows as it does. */
  readonly special: boolean;
}

/** $1: oid of a table. Its unique indexes as JSON of {@link UniqueIndex}. */
export const uniqueIndexesSql = `
select pg_catalog.json_agg(pg_catalog.json_build_object(
  'parts', (select pg_catalog.json_agg(pg_catalog.pg_get_indexdef(i.indexrelid, k, true) order by k)
    from pg_catalog.generate_series(1, i.indnkeyatts) k),
  'columns', (select coalesce(pg_catalog.json_agg(a.attname), '[]') from pg_catalog.generate_series(1, i.indnkeyatts) k
    join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[k - 1]),
  'predicate', pg_catalog.pg_get_expr(i.indpred, i.indrelid),
  'special', coalesce((pg_catalog.to_jsonb(i) ->> 'indnullsnotdistinct')::boolean, false)
    or exists (select from pg_catalog.pg_collation l where l.oid = any(i.indcollation) and not l.collisdeterministic)))
from pg_catalog.pg_index i where i.indrelid = $1::pg_catalog.oid and i.indisunique`;

/** True where rows in the shadow would not go into an index: two of one key, or one that a row outside the slice has. */
export function collidesSql(
  shadow: string,
  table: string,
  slice: string | undefined,
  { parts, predicate }: UniqueIndex,
  outsideToo: boolean,
): string {
  const keys = parts.map((_, index) => `k${index}`);
  const list = parts.map((part, index) => `${part} as k${index}`).join(', ');
  const rows = `select ${list} from ${shadow}${where(predicate ?? undefined)}`;
  const twice =
    `exists (select from (${rows}) n where ${keys.map((key) => `${key} is not null`).join(' and ')} ` +
    `group by ${keys.join(', ')} having count(*) > 1)`;
  if (!outsideToo || slice === undefined) return `select ${twice}`;
  const outside = `select ${list} from ${table} where ${slice} is not true${predicate === null ? '' : ` and (${predicate})`}`;
  return `select ${twice} or exists (select from (${rows}) n join (${outside}) o using (${keys.join(', ')}))`;
}

/** Rows of the shadow that do not lie in the slice. */
export const strayRowsSql = (shadow: string, slice: string): string =>
  `select exists (select from ${shadow} where ${slice} is not true)`;

/** The live slice as a relation of its own. */
export const liveSliceSql = (table: string, columns: TableDescription['columns'], slice: string | undefined): string =>
  `(select ${columns.map(({ name }) => quoteIdentifier(name)).join(', ')} from ${table}${where(slice)}) backfill_live`;
