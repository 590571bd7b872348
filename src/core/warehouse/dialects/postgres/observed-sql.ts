import { ledgerSchema } from '../../../sql/names/ledger-name.ts';
import { applicationName } from '../../port/connection-config.ts';
import { qualifiedSql, quoteIdentifier, quoteLiteral, quoteTableName } from './quote.ts';

/** Counters are kept for the length of a transaction once one was read. */
export const forgetCountersSql = 'select pg_catalog.pg_stat_clear_snapshot()';

/** The transactions that are seen from now on (`xmin:xmax:xip,…`), and how many sessions this database has had so far. */
export const watchSql = `
select pg_catalog.pg_current_snapshot()::text,
  (select pg_catalog.to_jsonb(d) ->> 'sessions' from pg_catalog.pg_stat_database d where d.datname = pg_catalog.current_database())`;

/** Rows inserted, updated and deleted so far in each table; a partitioned table has those of its partitions. */
export const countersSql = `
select ${qualifiedSql('n.nspname', 'c.relname')}, c.oid::text, pg_catalog.sum(s.n_tup_ins)::text,
  pg_catalog.sum(s.n_tup_upd)::text, pg_catalog.sum(s.n_tup_del)::text
from pg_catalog.pg_stat_user_tables s
join pg_catalog.pg_class c on c.oid = coalesce(pg_catalog.pg_partition_root(s.relid), s.relid)
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname !~ '^pg_temp' and n.nspname <> ${quoteLiteral(ledgerSchema)}
group by 1, 2`;

/**
 * Other sessions on this database: which, whose, whether it did anything since $1
 * (milliseconds since the epoch) or does now, and whether it is ours. What a role may not see of the sessions of others is null.
 */
export const sessionsSql = `
select a.pid || ' ' || coalesce(extract(epoch from a.backend_start)::text, ''), a.usename, a.application_name,
  pg_catalog.host(a.client_addr),
  coalesce(a.state <> 'idle' or greatest(a.backend_start, a.xact_start, a.query_start, a.state_change) >= pg_catalog.to_timestamp($1::float8 / 1000), true),
  coalesce(a.application_name = ${quoteLiteral(applicationName)}, false)
from pg_catalog.pg_stat_activity a
where a.datname = pg_catalog.current_database() and a.pid <> pg_catalog.pg_backend_pid()
  and coalesce(a.backend_type, 'client backend') = 'client backend'`;

/** Units other than $2 of run $1 that runs work on now, or ended since $3 (milliseconds since the epoch). */
export const otherUnitsSql = `
select distinct unit from (
  select unit, run from ${ledgerSchema}.claims
  union all
  select unit, run from ${ledgerSchema}.units
  where updated_at >= pg_catalog.to_timestamp($3::float8 / 1000) and state not in ('waiting', 'blocked', 'skipped')) o
where unit <> $2 or run <> $1
order by 1`;

/** Milliseconds since the epoch by the server's clock. */
export const serverClockSql = 'select (extract(epoch from pg_catalog.clock_timestamp()) * 1000)::float8::text';

/** Columns of a table in which a time may stand, with their base types. $1: the table as `to_regclass` takes it. */
export const timeColumnsSql = `
select a.attname, t.typname from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
where a.attrelid = pg_catalog.to_regclass($1) and a.attnum > 0 and not a.attisdropped
  and t.typname in ('date', 'timestamp', 'timestamptz', 'text', 'varchar', 'bpchar', 'int4', 'int8')
order by a.attnum limit 200`;

/** How the value of a column is a time: as text that sorts as the time does; null where it is none. */
const timeText: Readonly<Record<string, (column: string) => string>> = {
  date: (column) => `case when pg_catalog.isfinite(${column}) then pg_catalog.to_char(${column}, 'YYYY-MM-DD') end`,
  timestamp: (column) =>
    `case when pg_catalog.isfinite(${column}) then pg_catalog.to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US') end`,
  timestamptz: (column) =>
    `case when pg_catalog.isfinite(${column}) then pg_catalog.to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end`,
  text: (column) => `case when ${column} ~ '^[12]\\d{3}-[01]\\d-[0-3]\\d$' then ${column}::text end`,
  int: (column) => `case when ${column} between 10000101 and 29991231 then ${column}::text end`,
};

const timeTextOf = (type: string, column: string): string => {
  const kind = type.startsWith('int') ? 'int' : type === 'varchar' || type === 'bpchar' ? 'text' : type;
  return (timeText[kind] ?? ((text: string) => `null::text || ${text}`))(column);
};

/** Which rows of a table `t` were written in the time that is looked at, as SQL. */
export interface WrittenRows {
  /** The full number of the transaction of a row. */
  readonly transaction: string;
  /** Over the row, with its transaction as `x`. */
  readonly counts: string;
  /** Of a row that counts: its transaction had begun before that time. */
  readonly older: string;
}

/**
 * Rows of transactions that a snapshot (`xmin:xmax:xip,…`) does not see. Rows carry the low 32 bits of their transaction's number,
 * which are completed by where the count stands `now`.
 */
export function rowsSince(snapshot: string, now: string): WrittenRows {
  const size = 4294967296n;
  const [, xmax = '0', open = ''] = snapshot.split(':');
  const [, until = '0'] = now.split(':');
  const stands = BigInt(until);
  const low = 't.xmin::text::int8';
  const older = open === '' ? 'false' : `x in (${open})`;
  return {
    transaction: `case when ${low} > ${stands % size} then ${stands / size - 1n} else ${stands / size} end * ${size} + ${low}`,
    counts: `x >= ${xmax} or ${older}`,
    older,
  };
}

/** Rows that were committed in `[from, to]`, milliseconds since the epoch; only where the server keeps commit times. */
export const rowsCommitted = (from: number, to: number): WrittenRows => ({
  transaction: 't.xmin::text::int8',
  counts: `pg_catalog.pg_xact_commit_timestamp(x::text::xid) between pg_catalog.to_timestamp(${from} / 1000.0) and pg_catalog.to_timestamp(${to} / 1000.0)`,
  older: 'false',
});

/**
 * The rows of a table that count: how many, whether they are all rows there are, of how many transactions, whether one of those is
 * older; and for each column how many of them hold a time, the first and the last.
 */
export function writtenRowsSql(
  table: string,
  columns: readonly (readonly [name: string, type: string])[],
  { transaction, counts, older }: WrittenRows,
): string {
  const values = columns.map(([name, type], index) => `${timeTextOf(type, `t.${quoteIdentifier(name)}`)} as c${index}`);
  const aggregates = columns.map(
    (_, index) =>
      `, pg_catalog.count(c${index}), pg_catalog.min(c${index} collate "C"), pg_catalog.max(c${index} collate "C")`,
  );
  const from = quoteTableName(table);
  return (
    `select pg_catalog.count(*), pg_catalog.count(*) = (select pg_catalog.count(*) from ${from}), ` +
    `pg_catalog.count(distinct x), coalesce(pg_catalog.bool_or(${older}), false)${aggregates.join('')} ` +
    `from (select ${[`${transaction} as x`, ...values].join(', ')} from ${from} t offset 0) r where ${counts}`
  );
}

/** Tables of users, for a look at all of them. */
export const userTablesSql = `
select ${qualifiedSql('n.nspname', 'c.relname')} from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and n.nspname <> ${quoteLiteral(ledgerSchema)} and pg_catalog.has_table_privilege(c.oid, 'SELECT')
order by 1`;

/** Whether the server keeps when each transaction was committed. */
export const keepsCommitTimesSql = "select pg_catalog.current_setting('track_commit_timestamp')";
