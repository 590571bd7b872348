import { ledgerSchema } from './ledger-schema-sql.ts';
import { quoteIdentifier } from './quote.ts';

/**
 * What this transaction holds locks on that allow writing, as one JSON array: every table with its counters (inserted,
 * updated, deleted in this transaction). Temporary tables are nobody else's. The
 * row of a system column is written when a table is made and never again, so it tells `made` from altered.
 */
export const writtenTablesSql = `
select json_agg(json_build_object('oid', c.oid::text, 'table', n.nspname || '.' || c.relname,
  'exclusive', held.exclusive, 'inserted', pg_catalog.pg_stat_get_xact_tuples_inserted(c.oid),
  'updated', pg_catalog.pg_stat_get_xact_tuples_updated(c.oid),
  'deleted', pg_catalog.pg_stat_get_xact_tuples_deleted(c.oid),
  'made', exists (select from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attname = 'tableoid' and pg_catalog.age(a.xmin) <= 0
      and pg_catalog.txid_status((pg_catalog.txid_current() >> 32 << 32) | a.xmin::text::bigint) = 'in progress')))
from (select l.relation, bool_or(l.mode = 'AccessExclusiveLock') as exclusive
  from pg_catalog.pg_locks l
  where l.locktype = 'relation' and l.pid = pg_catalog.pg_backend_pid() and l.granted
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
    and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  group by l.relation) held
join pg_catalog.pg_class c on c.oid = held.relation
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and c.relpersistence <> 't'
  and n.nspname not in ('pg_catalog', 'pg_toast', 'information_schema', '${ledgerSchema}')`;

/** Rows outside the slice that this transaction wrote since `ownAge`: how many, and between which slice values. */
export const outsideRowsSql = (from: string, predicate: string, ownAge: string, column: string | undefined): string => {
  const value = column === undefined ? 'null::text' : quoteIdentifier(column);
  return (
    `select coalesce(sum(c), 0), min(lo)::text, max(hi)::text from ` +
    `(select xmin::text::bigint as x, count(*) as c, min(${value}) as lo, max(${value}) as hi from ${from} ` +
    `where ${predicate} is not true and pg_catalog.age(xmin) <= ${ownAge} group by xmin) g ` +
    `where pg_catalog.txid_status((pg_catalog.txid_current() >> 32 << 32) | x) = 'in progress'`
  );
};
