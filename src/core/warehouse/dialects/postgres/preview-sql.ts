/**
 * What this transaction leaves behind although it is rolled back, one row each: kind, name, dead rows. Row versions that
 * it made stay until VACUUM, counted for the whole table of a partition; a sequence that it took numbers from is locked
 * by the transaction to its end, also where a savepoint was rolled back. Tables that it made itself are gone with it.
 */
export const leftBehindSql = `
select 'dead-rows', n.nspname || '.' || c.relname, pg_catalog.sum(s.n_tup_ins + s.n_tup_upd)::text
from pg_catalog.pg_stat_xact_user_tables s
join pg_catalog.pg_class c on c.oid = coalesce(pg_catalog.pg_partition_root(s.relid), s.relid)
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relpersistence <> 't' and s.n_tup_ins + s.n_tup_upd > 0
group by n.nspname, c.relname
union all
select 'sequence', n.nspname || '.' || c.relname, null
from pg_catalog.pg_locks l
join pg_catalog.pg_class c on c.oid = l.relation and c.relkind = 'S' and c.relpersistence <> 't'
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where l.pid = pg_catalog.pg_backend_pid() and l.locktype = 'relation' and l.mode = 'RowExclusiveLock'
  and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
order by 1, 2`;
