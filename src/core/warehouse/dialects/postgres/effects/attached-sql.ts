import { qualifiedSql } from '../quote.ts';

/**
 * $1: names of tables, as an array of text that `to_regclass` understands. The tables themselves by oid, and with no oid
 * what others have put on them and a table made in their place does not bring along, each in words: views over them,
 * foreign keys that refer to them, rights, owner, row security, indexes and constraints by what they say, triggers, defaults, comments,
 * options, publications, extended statistics. What keeps rows from being seen or changed comes first.
 */
export const attachedSql = `
with recursive asked as (
  select c.oid, c.relowner, c.relacl, c.relrowsecurity, c.reloptions, ${qualifiedSql('n.nspname', 'c.relname')} as name
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.oid = any(select pg_catalog.to_regclass(t)::pg_catalog.oid from pg_catalog.unnest($1::pg_catalog.text[]) t)
), reached(oid) as (
  select oid from asked
  union select w.ev_class from reached r
  join pg_catalog.pg_depend d on d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid = r.oid
    and d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
  join pg_catalog.pg_rewrite w on w.oid = d.objid
)
select told.* from (
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
union all
select null, 'its row level security (ENABLE) on ' || a.name from asked a where a.relrowsecurity
union all
select null, 'the policy ' || y.polname || ' on ' || a.name from asked a join pg_catalog.pg_policy y on y.polrelid = a.oid
union all
select null, 'the owner ' || pg_catalog.pg_get_userbyid(a.relowner) || ' of ' || a.name from asked a
union all
select null, 'the right ' || x.privilege_type || ' on ' || a.name || '.' || f.attname || ' of ' || coalesce(g.rolname, 'PUBLIC')
from asked a join pg_catalog.pg_attribute f on f.attrelid = a.oid and f.attnum > 0 and not f.attisdropped
cross join lateral pg_catalog.aclexplode(f.attacl) x left join pg_catalog.pg_roles g on g.oid = x.grantee
union all
select null, 'the constraint ' || pg_catalog.pg_get_constraintdef(o.oid) || ' on ' || a.name
from asked a join pg_catalog.pg_constraint o on o.conrelid = a.oid and o.contype in ('c', 'f')
union all
select null, v.what || ' of ' || a.name || '.' || f.attname
from asked a join pg_catalog.pg_attribute f on f.attrelid = a.oid and f.attnum > 0 and not f.attisdropped
cross join lateral (values ('NOT NULL', f.attnotnull), ('the identity', f.attidentity <> ''),
  ('the default', f.atthasdef)) v(what, has) where v.has
union all
select null, 'the comment on ' || a.name || coalesce('.' || f.attname, '')
from asked a join pg_catalog.pg_description d on d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objoid = a.oid
left join pg_catalog.pg_attribute f on f.attrelid = a.oid and f.attnum = d.objsubid and d.objsubid > 0
union all
select null, 'the options (' || pg_catalog.array_to_string(a.reloptions, ', ') || ') of ' || a.name from asked a where a.reloptions is not null
union all
select null, 'its place in the publication ' || p.pubname || ' (' || a.name || ')'
from asked a join pg_catalog.pg_publication_rel r on r.prrelid = a.oid join pg_catalog.pg_publication p on p.oid = r.prpubid
union all
select null, 'the statistics ' || x.stxname || ' on ' || a.name from asked a join pg_catalog.pg_statistic_ext x on x.stxrelid = a.oid
) told(oid, what) order by 1, what !~ '^(its row level|the policy|the right|the owner)', what`;

/** $1: names before a bracket, $2: oids of tables. Whether one of them is a function of somebody's own, or a trigger of a table runs one. */
export const runsOwnCodeSql = `
select exists (select from pg_catalog.unnest($1::pg_catalog.text[]) n(name)
    join pg_catalog.pg_proc p on p.proname = n.name and p.pronamespace <> 'pg_catalog'::pg_catalog.regnamespace)
  or exists (select from pg_catalog.pg_trigger t where t.tgrelid = any ($2::pg_catalog.oid[]) and not t.tgisinternal)`;
