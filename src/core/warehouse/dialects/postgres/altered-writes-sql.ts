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
