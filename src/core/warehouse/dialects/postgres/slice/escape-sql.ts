import type { ColumnDescription } from '../../../port/table-description.ts';
import { ledgerSchema } from '../ledger/ledger-schema-sql.ts';
import { qualifiedSql, quoteIdentifier } from '../quote.ts';

/**
 * What this transaction holds locks on that allow writing, as one JSON array: every table with its counters (inserted,
 * updated, deleted in this transaction). Temporary tables are nobody else's. The
 * row of a system column is written when a table is made and never again, so it tells `made` from altered.
 */
export const writtenTablesSql = `
select json_agg(json_build_object('oid', c.oid::text, 'table', ${qualifiedSql('n.nspname', 'c.relname')},
  'exclusive', held.exclusive, 'foreign', c.relkind = 'f', 'file', coalesce(pg_catalog.pg_relation_filenode(c.oid)::text, ''), 'inserted', pg_catalog.pg_stat_get_xact_tuples_inserted(c.oid),
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
where c.relkind in ('r', 'p', 'f') and c.relpersistence <> 't'
  and n.nspname not in ('pg_catalog', 'pg_toast', 'information_schema', '${ledgerSchema}')`;

/** What rows outside of a slice are counted by: days of a time column (of UTC for instants), values of another. */
export function outsideValue(column: ColumnDescription | undefined): { readonly sql: string; readonly words: string } {
  if (column === undefined) return { sql: 'null::text', words: '' };
  const name = quoteIdentifier(column.name);
  switch (column.baseType) {
    case 'date':
      return { sql: day(`${name}::timestamp`), words: `by ${column.name}` };
    case 'timestamp':
      return { sql: day(name), words: `by day of ${column.name}` };
    case 'timestamptz':
      return { sql: day(`${name} at time zone 'UTC'`), words: `by UTC day of ${column.name}` };
    default:
      return { sql: `${name}::text`, words: `by ${column.name}` };
  }
}

/** The same under every DateStyle. */
const day = (wallTime: string): string => `pg_catalog.to_char(${wallTime}, 'YYYY-MM-DD')`;

const isOutside = (predicate: string): string => `${predicate} is not true`;

/**
 * Rows outside the slice that this transaction wrote since `ownAge`: the value that they are counted by, their number,
 * all rows, all values.
 */
export const outsideRowsSql = (from: string, predicate: string, ownAge: string, value: string, limit: number): string =>
  `select v, sum(c), sum(sum(c)) over (), count(*) over () from ` +
  `(select xmin::text::bigint as x, ${value} as v, count(*) as c from ${from} ` +
  `where ${isOutside(predicate)} and pg_catalog.age(xmin) <= ${ownAge} group by 1, 2) g ` +
  `where ${isOwn('x')} group by v order by v limit ${limit}`;

/** A few of the rows of {@link outsideRowsSql}, as JSON. */
export const outsideSamplesSql = (from: string, predicate: string, ownAge: string, limit: number): string =>
  `select pg_catalog.to_json(backfill_row)::text from ${from} backfill_row where ${isOutside(predicate)} ` +
  `and pg_catalog.age(xmin) <= ${ownAge} and ${isOwn('xmin::text::bigint')} limit ${limit}`;

/** A row version of this transaction that no rollback to a savepoint has ended. */
const isOwn = (xmin: string): string =>
  `pg_catalog.txid_status((pg_catalog.txid_current() >> 32 << 32) | ${xmin}) = 'in progress'`;

/** All rows outside the slice, whoever wrote them, by value. */
export const outsideCountsSql = (from: string, predicate: string, value: string): string =>
  `select ${value}, count(*) from ${from} where ${isOutside(predicate)} group by 1 order by 1`;

const ownLocks = `
from pg_catalog.pg_locks l
join pg_catalog.pg_class c on c.oid = l.relation
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where l.locktype = 'relation' and l.pid = pg_catalog.pg_backend_pid() and l.granted
  and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
  and c.relkind in ('r', 'p') and c.relpersistence <> 't'
  and n.nspname not in ('pg_catalog', 'pg_toast', 'information_schema', '${ledgerSchema}')`;

/**
 * LOCK statements, in an order that is the same for everybody, that keep all other writers out of the tables which this
 * transaction has read or written, as far as the role may.
 */
export const keepWritersOutSql = `
select 'lock table ' || t.name || case when t.writes then ' in share row exclusive mode' else ' in share mode' end
from (select pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname) as name, c.oid,
    bool_or(l.mode not in ('AccessShareLock', 'RowShareLock')) as writes
  ${ownLocks}
  group by 1, 2) t
where pg_catalog.has_table_privilege(t.oid, 'UPDATE') or pg_catalog.has_table_privilege(t.oid, 'DELETE')
  or pg_catalog.has_table_privilege(t.oid, 'TRUNCATE')
order by 1`;
