/**
 * $1: oids of tables. What the server does instead of what a statement says, or before it: rules (`event` as in
 * `pg_rewrite.ev_type`: 2 update, 3 insert, 4 delete) that stand in its place, and triggers of each row that come first (`event` as the
 * bits of `pg_trigger.tgtype`), with the language and the text of their function.
 */
export const alteredWritesSql = `
select 'rule', r.rulename, r.ev_type::text, '', '', ''
from pg_catalog.pg_rewrite r
where r.ev_class = any($1::pg_catalog.oid[]) and r.rulename <> '_RETURN' and r.is_instead and r.ev_enabled not in ('D', 'R')
union
select 'trigger', t.tgname, t.tgtype::text, p.proname, l.lanname, p.prosrc
from pg_catalog.pg_trigger t
join pg_catalog.pg_proc p on p.oid = t.tgfoid
join pg_catalog.pg_language l on l.oid = p.prolang
where t.tgrelid = any($1::pg_catalog.oid[]) and not t.tgisinternal and t.tgenabled not in ('D', 'R') and t.tgtype & 3 = 3
order by 1, 2`;

/**
 * $1: oids of all tables that the rows of a target are in. True where emptying and filling it does no more than that, but
 * for values that defaults give: no triggers and rules, no row security, no rows elsewhere that go with its own.
 */
export const keepsWhatItIsGivenSql = `
select not exists (select from pg_catalog.pg_trigger t where t.tgrelid = any($1::pg_catalog.oid[]) and not t.tgisinternal)
  and not exists (select from pg_catalog.pg_rewrite r where r.ev_class = any($1::pg_catalog.oid[]))
  and not exists (select from pg_catalog.pg_class s
    where s.oid = any($1::pg_catalog.oid[]) and (s.relkind not in ('r', 'p') or s.relrowsecurity))
  and not exists (select from pg_catalog.pg_constraint k
    where k.confrelid = any($1::pg_catalog.oid[]) and k.confdeltype in ('c', 'n', 'd'))`;

/** Whether a rule or a trigger takes what is written to a view elsewhere; `view`: its oid, as SQL. */
export const redirectedSql = (view: string): string => `(
  exists (select from pg_catalog.pg_trigger t where t.tgrelid = ${view} and not t.tgisinternal and t.tgtype & 64 <> 0)
  or exists (select from pg_catalog.pg_rewrite w
    where w.ev_class = ${view} and w.rulename <> '_RETURN' and w.is_instead))`;

/**
 * $1: names as written. Of each in their order its kind (`relkind`), its name with its schema, for a view the rules and triggers that
 * take what is written to it elsewhere, for a foreign table its server.
 */
export const targetKindsSql = `
select c.relkind, n.nspname || '.' || c.relname,
  (select pg_catalog.string_agg(by, ', ') from (
    select 'the rule ' || w.rulename as by from pg_catalog.pg_rewrite w
    where w.ev_class = c.oid and w.rulename <> '_RETURN' and w.is_instead
    union all
    select 'the trigger ' || t.tgname || ' (' || p.proname || '())' from pg_catalog.pg_trigger t
    join pg_catalog.pg_proc p on p.oid = t.tgfoid
    where t.tgrelid = c.oid and not t.tgisinternal and t.tgtype & 64 <> 0 order by 1
  ) redirecting where c.relkind = 'v'),
  (select s.srvname from pg_catalog.pg_foreign_table f join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
    where f.ftrelid = c.oid)
from pg_catalog.unnest($1::text[]) with ordinality asked(name, n)
left join pg_catalog.pg_class c on c.oid = pg_catalog.to_regclass(asked.name)
left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
order by asked.n`;

/**
 * $1: oids of tables that rows are deleted from. Tables whose rows go or change with theirs by foreign keys, however many steps
 * away: name, foreign key, and whether its rows go (`c`) or lose a value (`n`, `d`), with the columns that do.
 */
export const reachedByDeletesSql = `
with recursive reached(oid, key, action, columns) as (
  select k.conrelid, k.conname, k.confdeltype, k.conkey from pg_catalog.pg_constraint k
  where k.contype = 'f' and k.confdeltype in ('c', 'n', 'd') and k.confrelid = any($1::pg_catalog.oid[])
  union
  select k.conrelid, k.conname, k.confdeltype, k.conkey from reached r
  join pg_catalog.pg_constraint k on k.confrelid = r.oid
  where r.action = 'c' and k.contype = 'f' and k.confdeltype in ('c', 'n', 'd')
)
select n.nspname || '.' || c.relname, r.key, r.action, (
  select pg_catalog.string_agg(a.attname, ', ' order by a.attnum) from pg_catalog.pg_attribute a
  where a.attrelid = r.oid and a.attnum = any(r.columns))
from reached r join pg_catalog.pg_class c on c.oid = r.oid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where not c.relispartition and not r.oid = any($1::pg_catalog.oid[])
order by 1, 2`;
