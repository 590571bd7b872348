/**
 * $1: tables, as they are written. Those that hold more dead rows than the server itself takes for reason enough to vacuum
 * them, partitions together: table, its name in full, quoted, dead rows, whether the server vacuums by itself.
 */
export const deadRowsSql = `
select w.name, pg_catalog.format('%I.%I', n.nspname, r.relname), d.dead, pg_catalog.current_setting('autovacuum')
from pg_catalog.unnest($1::text[]) w(name)
join pg_catalog.pg_class r on r.oid = pg_catalog.to_regclass(w.name)
join pg_catalog.pg_namespace n on n.oid = r.relnamespace
cross join lateral (
  select pg_catalog.sum(pg_catalog.pg_stat_get_dead_tuples(t.relid))::bigint as dead,
    pg_catalog.sum(pg_catalog.current_setting('autovacuum_vacuum_threshold')::float8
      + pg_catalog.current_setting('autovacuum_vacuum_scale_factor')::float8 * greatest(c.reltuples, 0)) as enough
  from (select r.oid as relid where r.relkind <> 'p'
    union select p.relid from pg_catalog.pg_partition_tree(r.oid) p where p.isleaf) t
  join pg_catalog.pg_class c on c.oid = t.relid) d
where d.dead > d.enough
order by d.dead desc, 2`;

/** Makes what the session has done count at once. PostgreSQL 15 and later. */
export const countNowSql = 'select pg_catalog.pg_stat_force_next_flush()';

export const vacuumSql = (quotedTable: string): string => `vacuum (analyze) ${quotedTable}`;
