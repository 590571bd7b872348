import { ledgerSchema as schema } from './ledger-schema-sql.ts';

/** Columns of the slices that a statement is given as JSON in `$n`. */
const wanted = (parameter: string) =>
  `pg_catalog.json_to_recordset(${parameter}::json) ` +
  `as w(target text, slice_column text, lower timestamptz, upper timestamptz)`;

/** $1: targets. One row per target that has its row; waits for other claims on the same targets. */
export const lockTargetsSql = `select 1 from ${schema}.targets where target = any($1::text[]) order by target for no key update`;

export const addTargetsSql = `insert into ${schema}.targets select pg_catalog.unnest($1::text[]) on conflict do nothing`;

/**
 * $1: slices. Claims that overlap any of them, whatever their grain, with what is left of their leases in milliseconds. Bounds on different columns of one table cannot
 * be told apart and count as overlapping.
 */
export const overlappingClaimsSql = `
select c.fence, c.run, c.unit, c.owner, coalesce(l.expires_at > pg_catalog.clock_timestamp(), false),
  (extract(epoch from l.expires_at - pg_catalog.clock_timestamp()) * 1000)::bigint
from ${schema}.claims c left join ${schema}.leases l on l.fence = c.fence
where exists (
  select from ${schema}.claim_slices s join ${wanted('$1')} on s.target = w.target
  where s.fence = c.fence
    and (s.slice_column is distinct from w.slice_column or (s.lower < w.upper and s.upper > w.lower)))
order by c.fence`;

/** $1: a target, null for all. Claims on it, whatever their slices, and whether their leases live. */
export const activeClaimsSql = `
select c.fence, c.run, c.unit, c.owner, coalesce(l.expires_at > pg_catalog.clock_timestamp(), false)
from ${schema}.claims c left join ${schema}.leases l on l.fence = c.fence
where $1::text is null or exists (select from ${schema}.claim_slices s where s.fence = c.fence and s.target = $1::text)
order by c.fence`;

/** $1: fence. No row: the claim's own transaction is open. */
export const lockClaimSql = `select 1 from ${schema}.claims where fence = $1 for update skip locked`;

/** $1: run, $2: unit, $3: owner, $4: slices, $5: lease in milliseconds. Gives the fence number. */
export const insertClaimSql = `
with claim as (insert into ${schema}.claims (run, unit, owner) values ($1, $2, $3) returning fence),
  lease as (insert into ${schema}.leases
    select fence, pg_catalog.clock_timestamp() + $5::bigint * interval '1 millisecond' from claim),
  slices as (insert into ${schema}.claim_slices
    select fence, w.target, w.slice_column, w.lower, w.upper from claim, ${wanted('$4')}),
  alive as (update ${schema}.runs set owner = $3, alive_until = pg_catalog.clock_timestamp() + $5::bigint * interval '1 millisecond'
    where run = $1)
select fence from claim`;

/** $1: fence. */
export const deleteClaimSql = `
with claim as (delete from ${schema}.claims where fence = $1),
  lease as (delete from ${schema}.leases where fence = $1)
delete from ${schema}.claim_slices where fence = $1`;

/** $1: fence. First in the unit's transaction, and alone: no row means that somebody took over. */
export const fenceSql = `select 1 from ${schema}.claims where fence = $1 for update`;

/** $1: fences, $2: lease in milliseconds. Gives the fences that are still held. */
export const renewLeasesSql = `
update ${schema}.leases set expires_at = pg_catalog.clock_timestamp() + $2::bigint * interval '1 millisecond'
where fence = any($1::bigint[]) returning fence`;

/** $1: runs, $2: lease in milliseconds. */
export const renewRunsSql = `
update ${schema}.runs set alive_until = pg_catalog.clock_timestamp() + $2::bigint * interval '1 millisecond'
where run = any($1::text[])`;

/** $1: server processes. Those that are there, with when they began, for numbers are given again. */
export const backendsSql = `
select pid, extract(epoch from backend_start) from pg_catalog.pg_stat_activity where pid = any($1::int[])`;

/** $1: advisory keys, taken in this order. */
export const lockSharedSql = 'select pg_catalog.pg_advisory_xact_lock_shared(k) from pg_catalog.unnest($1::bigint[]) k';
export const lockExclusiveSql = 'select pg_catalog.pg_advisory_xact_lock(k) from pg_catalog.unnest($1::bigint[]) k';

/** The same locks, held until the session ends or gives all of them up. */
export const keepSharedSql = 'select pg_catalog.pg_advisory_lock_shared(k) from pg_catalog.unnest($1::bigint[]) k';
export const keepExclusiveSql = 'select pg_catalog.pg_advisory_lock(k) from pg_catalog.unnest($1::bigint[]) k';

/** $1: an advisory key, held until it is given up or the session ends. False: somebody else has it. */
export const tryKeySql = 'select pg_catalog.pg_try_advisory_lock($1::bigint)';
export const giveUpKeySql = 'select pg_catalog.pg_advisory_unlock($1::bigint)';
