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
