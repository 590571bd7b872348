/**
 * Views that rows come through. $1: JSON list of names as lists of their parts, looked up as a statement would. Oids of those
 * that are views or materialized views, and of all that these read in turn.
 */
export const viewsBehindSql = `
with recursive named as (
  select c.oid
  from (select p.parts, pg_catalog.json_array_length(p.parts) as length
    from pg_catalog.json_array_elements($1::pg_catalog.json) p(parts)) a
  join pg_catalog.pg_class c on c.relname = a.parts ->> -1
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where case a.length
    when 1 then pg_catalog.pg_table_is_visible(c.oid)
    when 2 then n.nspname = a.parts ->> 0
    when 3 then n.nspname = a.parts ->> 1 and a.parts ->> 0 = pg_catalog.current_database()
    else false end),
reached as (
  select oid from named
  union
  select d.refobjid from reached r
  join pg_catalog.pg_rewrite w on w.ev_class = r.oid and w.rulename = '_RETURN'
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = w.oid
    and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid <> r.oid)
select c.oid::pg_catalog.text from reached join pg_catalog.pg_class c on c.oid = reached.oid
where c.relkind in ('v', 'm') and c.oid >= 16384 order by c.oid`;

/**
 * How the views $1 (an array of oids) are defined: schema, name, query, and a hash of query and options behind the server's
 * major version, since each writes queries in its own way. The search path has to be empty, for the same reason.
 */
export const viewDefinitionsSql = `
select n.nspname, c.relname, pg_catalog.pg_get_viewdef(c.oid),
  pg_catalog.current_setting('server_version_num')::pg_catalog.int4 / 10000 || ' '
    || pg_catalog.md5(pg_catalog.concat_ws(' ', pg_catalog.pg_get_viewdef(c.oid), c.reloptions::pg_catalog.text))
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.oid = any($1::pg_catalog.oid[]) order by n.nspname, c.relname`;
