import { qualifiedSql } from '../quote.ts';

/**
 * $1: names of tables, as an array of text that `to_regclass` understands. The tables themselves by oid, and with no oid
 * what others have put on them and a table made in their place does not bring along, each in words: views over them,
 * foreign keys that refer to them, rights, indexes by what they index, triggers.
 */
export const attachedSql = `
with recursive asked as (
  select c.oid, c.relowner, c.relacl, ${qualifiedSql('n.nspname', 'c.relname')} as name
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.oid = any(select pg_catalog.to_regclass(t)::pg_catalog.oid from pg_catalog.unnest($1::pg_catalog.text[]) t)
), reached(oid) as (
  select oid from asked
  union select w.ev_class from reached r
  join pg_catalog.pg_depend d on d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid = r.oid
    and d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
  join pg_catalog.pg_rewrite w on w.oid = d.objid
)
select oid::text, name from asked
union all
select null, 'the view ' || ${qualifiedSql('n.nspname', 'c.relname')} from reached r
join pg_catalog.pg_class c on c.oid = r.oid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('v', 'm') and not exists (select from asked a where a.oid = c.oid)
union all
select null, 'the foreign key ' || o.conname || ' of ' || ${qualifiedSql('n.nspname', 'c.relname')}
from asked a join pg_catalog.pg_constraint o on o.confrelid = a.oid and o.contype = 'f' and o.conrelid <> a.oid
join pg_catalog.pg_class c on c.oid = o.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
union all
select null, 'the right ' || x.privilege_type || ' on ' || a.name || ' of ' || coalesce(g.rolname, 'PUBLIC')
from asked a cross join lateral pg_catalog.aclexplode(a.relacl) x left join pg_catalog.pg_roles g on g.oid = x.grantee
where x.grantee <> a.relowner
union all
select null, 'the ' || case when x.indisunique then 'unique ' else '' end || 'index '
  || pg_catalog."substring"(pg_catalog.pg_get_indexdef(x.indexrelid), ' USING (.*)$') || ' on ' || a.name
from asked a join pg_catalog.pg_index x on x.indrelid = a.oid
union all
select null, 'the trigger ' || t.tgname || ' on ' || a.name
from asked a join pg_catalog.pg_trigger t on t.tgrelid = a.oid where not t.tgisinternal
order by 1, 2`;

/**
 * $1: schemas that are left out, $2: whether columns are asked for. Tables and views that last: oid, name, what it is, the
 * names of its columns as JSON.
 */
export const lastingRelationsSql = `
select c.oid::text, ${qualifiedSql('n.nspname', 'c.relname')},
  case c.relkind when 'm' then 'materialized view' when 'v' then 'view' when 'f' then 'foreign table' else 'table' end,
  case when $2::boolean then (select pg_catalog.json_agg(a.attname) from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) end
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'm', 'v', 'f') and c.relpersistence <> 't' and n.nspname !~ '^pg_' and n.nspname <> all ($1::pg_catalog.text[])`;

/** $1: names before a bracket, $2: oids of tables. Whether one of them is a function of somebody's own, or a trigger of a table runs one. */
export const runsOwnCodeSql = `
select exists (select from pg_catalog.unnest($1::pg_catalog.text[]) n(name)
    join pg_catalog.pg_proc p on p.proname = n.name and p.pronamespace <> 'pg_catalog'::pg_catalog.regnamespace)
  or exists (select from pg_catalog.pg_trigger t where t.tgrelid = any ($2::pg_catalog.oid[]) and not t.tgisinternal)`;
