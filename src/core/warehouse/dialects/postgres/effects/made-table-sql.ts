/**
 * $1: oid of a table. A text that is another one when the table is another one, or was altered: columns, constraints,
 * indexes, triggers, rules, policies, partitions, rights, owner and comments. Rows do not count.
 */
export const madeTableSql = `
select pg_catalog.md5(pg_catalog.concat_ws(E'\\n', c.oid, c.relkind, c.relowner, c.relacl::text, c.reloptions::text,
  c.relrowsecurity,
  (select pg_catalog.string_agg(pg_catalog.concat_ws(' ', a.attnum, a.attname, a.atttypid, a.atttypmod, a.attnotnull,
      a.attisdropped, a.attacl::text, pg_catalog.pg_get_expr(d.adbin, d.adrelid)), ',' order by a.attnum)
    from pg_catalog.pg_attribute a left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0),
  (select pg_catalog.string_agg(i.indexrelid || pg_catalog.pg_get_indexdef(i.indexrelid), ',' order by i.indexrelid)
    from pg_catalog.pg_index i where i.indrelid = c.oid),
  (select pg_catalog.string_agg(o.oid || pg_catalog.pg_get_constraintdef(o.oid), ',' order by o.oid)
    from pg_catalog.pg_constraint o where o.conrelid = c.oid),
  (select pg_catalog.string_agg(t.oid || pg_catalog.pg_get_triggerdef(t.oid), ',' order by t.oid)
    from pg_catalog.pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal),
  (select pg_catalog.string_agg(w.oid || pg_catalog.pg_get_ruledef(w.oid), ',' order by w.oid)
    from pg_catalog.pg_rewrite w where w.ev_class = c.oid),
  (select pg_catalog.string_agg(p.oid::text, ',' order by p.oid) from pg_catalog.pg_policy p where p.polrelid = c.oid),
  (select pg_catalog.string_agg(h.inhrelid::text, ',' order by h.inhrelid) from pg_catalog.pg_inherits h
    where c.oid in (h.inhparent, h.inhrelid)),
  (select pg_catalog.string_agg(s.objsubid || s.description, ',' order by s.objsubid) from pg_catalog.pg_description s
    where s.objoid = c.oid and s.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass)))
from pg_catalog.pg_class c where c.oid = $1::pg_catalog.oid`;

/** Whether the table has rows that the predicate does not name. */
export const rowsBesideSql = (live: string, predicate: string | undefined): string =>
  predicate === undefined ? 'select false' : `select exists (select from ${live} where ${predicate} is not true)`;

/** What depends on the table keeps it. */
export const dropTableSql = (live: string): string => `drop table ${live}`;
