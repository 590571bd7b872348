import { firstUserOid } from './catalog-sql.ts';

/** Body of a function as text: as it was written, or as the server reads it where it is kept parsed. */
const bodyOf = (parsedBodies: boolean): string =>
  parsedBodies ? 'coalesce(pg_catalog.pg_get_function_sqlbody(p.oid), p.prosrc)' : 'p.prosrc';

/** One function as JSON; its text only where it is somebody's own. */
const functionJson = (parsedBodies: boolean): string => `pg_catalog.json_build_object(
  'oid', p.oid::pg_catalog.text, 'name', p.proname, 'volatility', p.provolatile, 'builtIn', p.oid < ${firstUserOid},
  'language', (select l.lanname from pg_catalog.pg_language l where l.oid = p.prolang),
  'text', case when p.oid >= ${firstUserOid} and p.prolang in (
      select l.oid from pg_catalog.pg_language l where l.lanname in ('sql', 'plpgsql'))
    then pg_catalog.concat_ws(' ', ${bodyOf(parsedBodies)}, pg_catalog.pg_get_expr(p.proargdefaults, 0)) end,
  'path', (select pg_catalog.substr(c, 13) from pg_catalog.unnest(p.proconfig) c where c like 'search_path=%'))`;

/** Of an aggregate the functions that it is made of. */
const partsOf = `pg_catalog.unnest(array[g.aggtransfn, g.aggfinalfn, g.aggcombinefn, g.aggserialfn, g.aggdeserialfn,
  g.aggmtransfn, g.aggminvtransfn, g.aggmfinalfn]::pg_catalog.oid[])`;

/**
 * What names stand for. $1: JSON list of `{schema, name, form, path}`: `form` is `call`, `field` (a function of a row) or
 * `table`; without a schema the name is looked up in all schemas of `path`, by default those of the session. One row: all
 * functions that may be meant as JSON, and all relations.
 */
export const namedObjectsSql = (parsedBodies: boolean): string => `
with asked as (
  select a.name, a.form, n.oid as namespace
  from pg_catalog.json_to_recordset($1::pg_catalog.json) a(schema text, name text, form text, path json)
  join pg_catalog.pg_namespace n on case
    when a.schema is not null then n.nspname = a.schema
    when a.path is null then n.nspname = any(pg_catalog.current_schemas(true))
    else n.nspname = 'pg_catalog' or n.oid = pg_catalog.pg_my_temp_schema()
      or n.nspname in (select pg_catalog.json_array_elements_text(a.path)) end),
called as (
  select distinct p.oid from asked a join pg_catalog.pg_proc p on p.proname = a.name and p.pronamespace = a.namespace
  where a.form = 'call' or (a.form = 'field' and p.pronargs = 1 and exists (
    select from pg_catalog.pg_type t where t.oid = p.proargtypes[0] and t.typtype in ('c', 'p')) and p.oid >= ${firstUserOid})),
parts as (
  select c.oid from called c
  union select part.oid from called c join pg_catalog.pg_aggregate g on g.aggfnoid = c.oid, lateral ${partsOf} part(oid)
    where part.oid >= ${firstUserOid})
select
  (select coalesce(pg_catalog.json_agg(${functionJson(parsedBodies)}), '[]')
    from parts join pg_catalog.pg_proc p on p.oid = parts.oid),
  (select coalesce(pg_catalog.json_agg(distinct pg_catalog.jsonb_build_object('schema', n.nspname, 'name', c.relname, 'kind', c.relkind)), '[]')
    from asked a join pg_catalog.pg_class c on c.relname = a.name and c.relnamespace = a.namespace
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where a.form = 'table' and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and n.nspname not in ('pg_catalog', 'information_schema'))`;

/**
 * What the server itself runs when rows of tables are written. $1: oids of the tables with all below them. One row of JSON:
 * expressions that give values to columns; triggers with their function, when they fire and their condition; whether there
 * are rules or row security; functions behind operators and casts of the user's own, wherever they are; checks of domains; and
 * whether dictionaries of the user's own, wherever they are, have files on the server's disk.
 */
export const writingObjectsSql = (parsedBodies: boolean): string => `
select
  (select coalesce(pg_catalog.json_agg(expression), '[]') from (
    select pg_catalog.pg_get_expr(d.adbin, d.adrelid) as expression from pg_catalog.pg_attrdef d
      where d.adrelid = any($1::pg_catalog.oid[])
    union
    select t.typdefault from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
      where a.attrelid = any($1::pg_catalog.oid[]) and a.attnum > 0 and not a.attisdropped and t.typdefault is not null
    union
    select pg_catalog.pg_get_constraintdef(c.oid) from pg_catalog.pg_constraint c
      where c.conrelid = any($1::pg_catalog.oid[]) and c.contype = 'c'
    union
    select pg_catalog.concat_ws(', ', pg_catalog.pg_get_expr(i.indexprs, i.indrelid), pg_catalog.pg_get_expr(i.indpred, i.indrelid))
      from pg_catalog.pg_index i
      where i.indrelid = any($1::pg_catalog.oid[]) and (i.indexprs is not null or i.indpred is not null)) e),
  (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('after', t.tgtype & 66 = 0,
      'condition', pg_catalog.substring(pg_catalog.pg_get_triggerdef(t.oid), ' WHEN (.*) EXECUTE '), 'function', ${functionJson(parsedBodies)})), '[]')
    from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid
    where t.tgrelid = any($1::pg_catalog.oid[]) and not t.tgisinternal and t.tgenabled <> 'D'),
  exists (select from pg_catalog.pg_rewrite r where r.ev_class = any($1::pg_catalog.oid[]) and r.rulename <> '_RETURN')
    or exists (select from pg_catalog.pg_class c where c.oid = any($1::pg_catalog.oid[]) and c.relrowsecurity),
  (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('operator', o.name, 'function', ${functionJson(parsedBodies)})), '[]')
    from (
      select oprname as name, oprcode::pg_catalog.oid as code from pg_catalog.pg_operator where oid >= ${firstUserOid}
      union all select null, castfunc from pg_catalog.pg_cast where oid >= ${firstUserOid} and castfunc <> 0) o
    join pg_catalog.pg_proc p on p.oid = o.code
    join pg_catalog.pg_language l on l.oid = p.prolang and l.lanname not in ('c', 'internal')),
  (with recursive kept(type) as (
      select a.atttypid from pg_catalog.pg_attribute a
        where a.attrelid = any($1::pg_catalog.oid[]) and a.attnum > 0 and not a.attisdropped
      union
      select t.typbasetype from kept k join pg_catalog.pg_type t on t.oid = k.type where t.typtype = 'd')
    select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('domain', t.typname,
      'check', pg_catalog.pg_get_constraintdef(c.oid), 'kept', t.oid in (select type from kept))), '[]')
    from pg_catalog.pg_constraint c join pg_catalog.pg_type t on t.oid = c.contypid
    where c.contypid >= ${firstUserOid} and c.contype = 'c'),
  exists (select from pg_catalog.pg_ts_dict d where d.oid >= ${firstUserOid}
    and d.dictinitoption ~* '\\m(stopwords|synonyms|dictfile|afffile|dictionary|rules|filename)\\M')`;
