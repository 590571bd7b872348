import { qualifiedSql } from './quote.ts';

/**
 * Code that the server runs by itself when rows of a table are written: $1 is a JSON array of names as arrays of their
 * parts, looked up on the search path, with all tables below them. Rows of what it is, its name, language (null for an
 * expression) and text.
 */
export const attachedCodeSql = `
with recursive named as (
  select pg_catalog.to_regclass(pg_catalog.string_agg(pg_catalog.quote_ident(p.part), '.' order by p.n))::pg_catalog.oid as oid
  from pg_catalog.json_array_elements($1::pg_catalog.json) with ordinality a(parts, k),
  pg_catalog.json_array_elements_text(a.parts) with ordinality p(part, n) group by a.k having pg_catalog.count(*) <= 2),
written as (
  select oid from named where oid is not null
  union select i.inhrelid from written w join pg_catalog.pg_inherits i on i.inhparent = w.oid),
domains(oid, below) as (
  select t.oid, t.typbasetype from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid and t.typtype = 'd'
    where a.attrelid in (select oid from written) and a.attnum > 0 and not a.attisdropped
  union select t.oid, t.typbasetype from domains d join pg_catalog.pg_type t on t.oid = d.below and t.typtype = 'd')
select 'trigger', t.tgname || ' of ' || t.tgrelid::pg_catalog.regclass, l.lanname, p.prosrc
from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid join pg_catalog.pg_language l on l.oid = p.prolang
where t.tgrelid in (select oid from written) and not t.tgisinternal and t.tgenabled <> 'D'
union all
select 'default', a.attname || ' of ' || d.adrelid::pg_catalog.regclass, null, pg_catalog.pg_get_expr(d.adbin, d.adrelid)
from pg_catalog.pg_attrdef d join pg_catalog.pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
where d.adrelid in (select oid from written)
union all
select 'check', c.conname || ' of ' || c.conrelid::pg_catalog.regclass, null, pg_catalog.pg_get_constraintdef(c.oid)
from pg_catalog.pg_constraint c where c.conrelid in (select oid from written) and c.contype = 'c'
union all
select 'check', c.conname || ' of the domain ' || c.contypid::pg_catalog.regtype, null, pg_catalog.pg_get_constraintdef(c.oid)
from pg_catalog.pg_constraint c where c.contypid in (select oid from domains) and c.contype = 'c'
union all
select 'index', i.indexrelid::pg_catalog.regclass::pg_catalog.text, null, pg_catalog.pg_get_indexdef(i.indexrelid)
from pg_catalog.pg_index i where i.indrelid in (select oid from written) and (i.indexprs is not null or i.indpred is not null)
union all
select 'rule', r.rulename || ' of ' || r.ev_class::pg_catalog.regclass, null, pg_catalog.pg_get_ruledef(r.oid)
from pg_catalog.pg_rewrite r where r.ev_class in (select oid from written) and r.rulename <> '_RETURN'
union all
select 'foreign', f.ftrelid::pg_catalog.regclass::pg_catalog.text, null, w.fdwname
from pg_catalog.pg_foreign_table f join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw where f.ftrelid in (select oid from written)`;

/** Operators of the user's own, wherever they are used: as written, with language and text of their functions. */
export const ownOperatorsSql = `
select o.oprname, p.proname, l.lanname, p.prosrc from pg_catalog.pg_operator o join pg_catalog.pg_proc p on p.oid = o.oprcode
join pg_catalog.pg_language l on l.oid = p.prolang where o.oid >= 16384 and l.lanname not in ('c', 'internal')`;

/**
 * Casts of the user's own: the name of the type that an explicit one is written with (null where the server may take it
 * unasked), which one it is, language and text of its function.
 */
export const ownCastsSql = `
select case c.castcontext when 'e' then t.typname end,
  pg_catalog.format_type(c.castsource, null) || ' to ' || pg_catalog.format_type(c.casttarget, null), l.lanname, p.prosrc
from pg_catalog.pg_cast c join pg_catalog.pg_type t on t.oid = c.casttarget join pg_catalog.pg_proc p on p.oid = c.castfunc
join pg_catalog.pg_language l on l.oid = p.prolang where c.oid >= 16384 and l.lanname not in ('c', 'internal')`;

/** Of the foreign tables $1 (an array of `schema.name`) those whose rows a program gives, which runs when they are read. */
export const programTablesSql = `
select f.ftrelid::pg_catalog.regclass::pg_catalog.text from pg_catalog.pg_foreign_table f
join pg_catalog.pg_class c on c.oid = f.ftrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where ${qualifiedSql('n.nspname', 'c.relname')} = any($1::pg_catalog.text[])
  and exists (select from pg_catalog.unnest(f.ftoptions) o where o like 'program=%')`;
