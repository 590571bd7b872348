import { redirectedSql } from './altered-writes-sql.ts';

/**
 * What names mean on the search path: $1 and $2 are arrays of names as arrays of their parts in JSON, of relations and of
 * routines. Rows of kind, name as asked, id (`r` or `p` and its oid); none for what is not there or is built in. A routine may have several.
 */
export const resolveNamesSql = `
select 'relation', asked.name, 'r' || c.oid
from (
  select a.name, pg_catalog.string_agg(pg_catalog.quote_ident(p.part), '.' order by p.n) as quoted,
    pg_catalog.count(*) as parts, pg_catalog.min(p.part) filter (where p.n = 1) as first
  from pg_catalog.json_each($1::pg_catalog.json) a(name, parts),
  pg_catalog.json_array_elements_text(a.parts) with ordinality p(part, n) group by a.name
) asked
join pg_catalog.pg_class c on c.oid = case
  when asked.parts <= 2 or asked.parts = 3 and asked.first = pg_catalog.current_database()
  then pg_catalog.to_regclass(asked.quoted) end
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
union all
select 'routine', a.name, 'p' || p.oid
from pg_catalog.json_each($2::pg_catalog.json) a(name, parts)
join pg_catalog.pg_proc p on p.proname = a.parts ->> -1
join pg_catalog.pg_namespace n on n.oid = p.pronamespace
where n.nspname not in ('pg_catalog', 'information_schema') and case pg_catalog.json_array_length(a.parts)
  when 1 then pg_catalog.pg_function_is_visible(p.oid)
  when 2 then n.nspname = a.parts ->> 0
  else n.nspname = a.parts ->> -2 and a.parts ->> 0 = pg_catalog.current_database() end`;

/**
 * Relations and routines and all that they depend on: $1 and $2 are arrays of oids. One JSON document a row. The search
 * path has to be empty, so that each name in a query has its schema.
 */
export const definitionsSql = `
with recursive reached(class, oid) as (
  select 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid, pg_catalog.unnest($1::pg_catalog.oid[])
  union select 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid, pg_catalog.unnest($2::pg_catalog.oid[])
  union select needs.class, needs.oid from reached r, lateral (${needsSql('r.class', 'r.oid')}) needs(class, oid, id)
)
select pg_catalog.json_build_object(
  'sort', 'relation', 'id', 'r' || c.oid, 'name', n.nspname || '.' || c.relname, 'kind', c.relkind,
  'hasPolicies', c.relrowsecurity,
  'parts', case when c.relhassubclass then (
    with recursive below(oid) as (
      select i.inhrelid from pg_catalog.pg_inherits i where i.inhparent = c.oid
      union select i.inhrelid from pg_catalog.pg_inherits i join below b on i.inhparent = b.oid
    ) select pg_catalog.json_agg(m.nspname || '.' || k.relname order by k.relname) from below b
      join pg_catalog.pg_class k on k.oid = b.oid join pg_catalog.pg_namespace m on m.oid = k.relnamespace
  ) end,
  'bounds', case when c.relkind = 'p' then (select pg_catalog.json_agg(pg_catalog.json_build_object(
      'name', m.nspname || '.' || k.relname, 'bound', pg_catalog.pg_get_expr(k.relpartbound, k.oid)) order by k.relname)
    from pg_catalog.pg_inherits i join pg_catalog.pg_class k on k.oid = i.inhrelid
    join pg_catalog.pg_namespace m on m.oid = k.relnamespace where i.inhparent = c.oid) end,
  'columns', (select coalesce(pg_catalog.json_agg(a.attname order by a.attnum), '[]')
    from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
  'types', (select coalesce(pg_catalog.json_agg(pg_catalog.format_type(a.atttypid, null) order by a.attnum), '[]')
    from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
  'keys', case when c.relkind in ('r', 'p') then (select pg_catalog.json_agg((
      select pg_catalog.json_agg(a.attname order by k.at)
      from pg_catalog.unnest(i.indkey::pg_catalog.int2[]) with ordinality k(attnum, at)
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where k.at <= i.indnkeyatts) order by i.indisprimary desc, i.indexrelid)
    from pg_catalog.pg_index i
    where i.indrelid = c.oid and i.indisunique and i.indpred is null and i.indexprs is null) end,
  'partialKeys', case when c.relkind in ('r', 'p') then (select pg_catalog.json_agg(pg_catalog.json_build_object(
      'columns', (select pg_catalog.json_agg(a.attname order by k.at)
        from pg_catalog.unnest(i.indkey::pg_catalog.int2[]) with ordinality k(attnum, at)
        join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
        where k.at <= i.indnkeyatts),
      'where', pg_catalog.pg_get_expr(i.indpred, i.indrelid)) order by i.indexrelid)
    from pg_catalog.pg_index i
    where i.indrelid = c.oid and i.indisunique and i.indpred is not null and i.indexprs is null) end,
  'notNull', (select pg_catalog.json_agg(a.attname order by a.attnum)
    from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and a.attnotnull),
  'filled', (select pg_catalog.json_agg(a.attname order by a.attnum)
    from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and (a.atthasdef or a.attidentity <> '')),
  'numbered', (select pg_catalog.json_agg(a.attname order by a.attnum)
    from pg_catalog.pg_attribute a
    left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum and a.attgenerated = ''
    where a.attrelid = c.oid and a.attnum > 0 and (a.attidentity <> ''
      or pg_catalog.pg_get_expr(d.adbin, d.adrelid) ~ '(nextval|uuid|random)[a-z0-9_]*[(]')),
  'emptiedWith', case when c.relkind in ('r', 'p') then (
    with recursive referring(oid) as (
      select k.conrelid from pg_catalog.pg_constraint k where k.contype = 'f' and k.confrelid = c.oid
      union select k.conrelid from pg_catalog.pg_constraint k join referring f on k.confrelid = f.oid where k.contype = 'f'
    ) select pg_catalog.json_agg(m.nspname || '.' || t.relname order by m.nspname, t.relname) from referring f
      join pg_catalog.pg_class t on t.oid = f.oid join pg_catalog.pg_namespace m on m.oid = t.relnamespace
      where f.oid <> c.oid and not t.relispartition
  ) end,
  'query', case when c.relkind in ('v', 'm') then pg_catalog.pg_get_viewdef(c.oid) end,
  'redirected', case when c.relkind = 'v' then ${redirectedSql('c.oid')} end,
  'needs', (select coalesce(pg_catalog.json_agg(needs.id), '[]') from (${needsSql('r.class', 'r.oid')}) needs(class, oid, id)))
from reached r join pg_catalog.pg_class c on c.oid = r.oid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where r.class = 'pg_catalog.pg_class'::pg_catalog.regclass
union all
select pg_catalog.json_build_object(
  'sort', 'routine', 'id', 'p' || p.oid, 'name', n.nspname || '.' || p.proname, 'kind', p.prokind,
  'language', l.lanname, 'volatility', p.provolatile, 'source', p.prosrc,
  'definition', case when p.prokind in ('f', 'p') then pg_catalog.pg_get_functiondef(p.oid) end,
  'path', (select pg_catalog.substr(s.setting, pg_catalog.length('search_path=') + 1)
    from pg_catalog.unnest(p.proconfig) s(setting) where s.setting like 'search\\_path=%'),
  'parameters', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
      'name', coalesce(p.proargnames[i.n], ''), 'type', pg_catalog.format_type(i.type, null)) order by i.n), '[]')
    from pg_catalog.unnest(coalesce(p.proallargtypes, p.proargtypes::pg_catalog.oid[])) with ordinality i(type, n)
    where coalesce(p.proargmodes[i.n], 'i') in ('i', 'b', 'v')),
  'needs', (select coalesce(pg_catalog.json_agg(needs.id), '[]') from (${needsSql('r.class', 'r.oid')}) needs(class, oid, id)))
from reached r join pg_catalog.pg_proc p on p.oid = r.oid join pg_catalog.pg_namespace n on n.oid = p.pronamespace
join pg_catalog.pg_language l on l.oid = p.prolang
where r.class = 'pg_catalog.pg_proc'::pg_catalog.regclass`;

/** What the rules and policies of a relation, or the parsed body of a routine, refer to; nothing that is built in. */
function needsSql(ofClass: string, oid: string): string {
  return `
select distinct d.refclassid, d.refobjid,
  case d.refclassid when 'pg_catalog.pg_class'::pg_catalog.regclass then 'r' else 'p' end || d.refobjid
from (
  select 'pg_catalog.pg_rewrite'::pg_catalog.regclass, w.oid from pg_catalog.pg_rewrite w
  where w.ev_class = ${oid} and ${ofClass} = 'pg_catalog.pg_class'::pg_catalog.regclass
  union all
  select 'pg_catalog.pg_policy'::pg_catalog.regclass, o.oid from pg_catalog.pg_policy o
  where o.polrelid = ${oid} and ${ofClass} = 'pg_catalog.pg_class'::pg_catalog.regclass
  union all
  select ${ofClass}, ${oid} where ${ofClass} = 'pg_catalog.pg_proc'::pg_catalog.regclass
) part(class, oid)
join pg_catalog.pg_depend d on d.classid = part.class and d.objid = part.oid and (d.refclassid, d.refobjid) <> (${ofClass}, ${oid})
where d.refobjid >= 16384 and (
  d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
  or d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and exists (
    select from pg_catalog.pg_class k where k.oid = d.refobjid and k.relkind in ('r', 'p', 'v', 'm', 'f')))`;
}
