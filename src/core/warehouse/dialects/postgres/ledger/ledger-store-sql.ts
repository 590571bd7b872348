import { ledgerSchema as schema } from './ledger-schema-sql.ts';

/** Of an instant or of a length of time. */
const epochMilliseconds = (value: string) => `(extract(epoch from ${value}) * 1000)::bigint`;

/** As {@link epochMilliseconds}, null where the bound is infinite. */
const finiteMilliseconds = (value: string) => `case when isfinite(${value}) then ${epochMilliseconds(value)} end`;

const wanted = (parameter: string) =>
  `pg_catalog.json_to_recordset(${parameter}::json) ` +
  `as w(target text, slice_column text, lower timestamptz, upper timestamptz)`;

/** $1: run, $2: title, $3: created at, $4: created by, $5: document, $6: unit ids as a JSON array, in order. */
export const saveRunSql = `
with saved as (insert into ${schema}.runs (run, title, created_at, created_by, document)
  values ($1, $2, $3::timestamptz, $4, $5))
insert into ${schema}.units (run, unit, position, state)
select $1, u.unit, u.position - 1, 'waiting'
from pg_catalog.json_array_elements_text($6::json) with ordinality u(unit, position)
on conflict (run, unit) do update set position = excluded.position`;

/** $1: run, $2: slices. */
export const saveRunSlicesSql = `
insert into ${schema}.run_slices (run, target, slice_column, lower, upper)
select $1, w.target, w.slice_column, w.lower, w.upper from ${wanted('$2')}`;

/** Who gave a sign of life of run `r` so short a time ago that they are at work on it; null: nobody. */
const workerSql = `case when r.alive_until > pg_catalog.clock_timestamp()
    and exists (select from ${schema}.units u where u.run = r.run and u.state in ('waiting', 'running'))
    then coalesce(r.owner, r.created_by) end`;

/** With who is at work on it now. */
export const loadRunSql = `
select r.run, ${epochMilliseconds('r.created_at')}, r.created_by, r.document, r.title, ${workerSql}
from ${schema}.runs r where r.run = $1`;

/** Its units by their states, the first of them, and who is at work on it now. $1: how many. */
export const listRunsSql = `
select r.run, r.title, ${epochMilliseconds('r.created_at')}, r.created_by, (
  select json_object_agg(state, n) from (
    select state, count(*) as n from ${schema}.units u where u.run = r.run group by state) c),
  (select u.unit from ${schema}.units u where u.run = r.run order by u.position, u.unit limit 1),
  ${workerSql}
from ${schema}.runs r order by r.created_at desc, r.run desc limit $1::bigint`;

/** What is said of a unit whose record is there and whose rows, or those that it read, are not. */
const lostMessage = 'its commit is lost: the server does not have what it had confirmed';

/**
 * A unit is committed as far as its marker says so, and the markers of the versions that it read: a server that came back
 * without its newest commits may be told of units that it does not have.
 */
export const unitsSql = `
select u.unit, case when u.lost then 'waiting' else u.state end, u.attempts,
  case when u.lost then '${lostMessage}' else u.message end, u.duration_ms, case when u.lost then '[]' else u.slices end, u.lost
from (
  select o.*, o.state in ('changed', 'unchanged') and json_array_length(o.slices) > 0 and (
    not exists (select from ${schema}.versions v where v.run = o.run and v.unit = o.unit)
    or exists (
      select from ${schema}.versions v,
        json_array_elements(case json_typeof(v.inputs) when 'array' then v.inputs else '[]' end) i,
        json_array_elements(case json_typeof(i->'versions') when 'array' then i->'versions' else '[]' end) r
      where v.run = o.run and v.unit = o.unit and r->'confirmed' is null and not exists (select from ${schema}.versions p
        where p.run = r->>'run' and p.unit = r->>'unit' and p.slice = r->>'slice'))) as lost
  from ${schema}.units o where o.run = $1) u
order by u.position, u.unit`;

/** $1: run, $2: units as JSON. */
export const reopenUnitsSql = `
with units as (select pg_catalog.json_array_elements_text($2::json) as unit),
versions as (delete from ${schema}.versions v using units where v.run = $1 and v.unit = units.unit),
images as (delete from ${schema}.before_images i using units where i.run = $1 and i.unit = units.unit),
rows as (delete from ${schema}.before_rows r using units where r.run = $1 and r.unit = units.unit)
update ${schema}.units u set state = 'waiting', message = null, slices = '[]', updated_at = pg_catalog.clock_timestamp()
from units where u.run = $1 and u.unit = units.unit`;

/** $1: run, $2: units as JSON. Those that are not committed. */
export const uncommittedSql = `
select f.unit from pg_catalog.json_array_elements_text($2::json) f(unit)
where not exists (select from ${schema}.units u where u.run = $1 and u.unit = f.unit
  and u.state in ('changed', 'unchanged', 'skipped', 'done')) order by f.unit`;

/**
 * For one transaction: memory in which the newest of a million versions are found without sorting those on disk, and nothing
 * compiled for the many versions that the planner expects and that are not read.
 */
export const memoryForVersionsSql = `
select pg_catalog.set_config(name, value, true) from pg_catalog.pg_settings join (values ('work_mem', '64MB'), ('jit', 'off')) s(name, value)
  using (name)
where name = 'jit' or pg_catalog.pg_size_bytes(pg_catalog.current_setting('work_mem')) < pg_catalog.pg_size_bytes('64MB')`;

/** In the order of the index of `versions`: names compared by their bytes. */
const unitOfSlice = (of: string): string =>
  ['target', 'slice', 'unit'].map((column) => `${of}.${column} collate "C"`).join(', ');

/** What is asked of the newest versions. */
const told =
  'target, slice, unit, id, run, task, lower, upper, row_count, row_checksum, algorithm, code_hash, inputs, committed_at';

/** Finding the next slice costs as much as reading about thirty versions; this many bytes of them. */
const bytesOfStep = 20_000;

/**
 * `newest`: the newest version of every slice by each unit that made it. From one to the next along the index, past all versions
 * of before; where that turns out to be too many steps, over all versions.
 */
const newestSql = `
steps as (select pg_catalog.pg_relation_size('${schema}.versions') / ${bytesOfStep} as most),
walk as (
  (select ${told}, 1 as step from ${schema}.versions v
    where (select most from steps) > 0 order by ${unitOfSlice('v')}, id desc limit 1)
  union all
  select n.*, w.step + 1 from walk w cross join lateral (
    select ${told} from ${schema}.versions v where (${unitOfSlice('v')}) > (${unitOfSlice('w')})
    order by ${unitOfSlice('v')}, id desc limit 1) n
  where w.step < (select most from steps)),
walked as (select count(*) < (select most from steps) as whole from walk),
newest as (
  select ${told} from walk where (select whole from walked)
  union all
  select ${told} from ${schema}.versions where not (select whole from walked)
    and id in (select max(v.id) from ${schema}.versions v group by ${unitOfSlice('v')}))`;

/**
 * $1: what stands before the run in the code hash of its undo. The newest version of every slice by each unit that made it; bounds in milliseconds
 * of the epoch, null where open. Where it undoes an undo, code and inputs are those of the version whose rows are there
 * again, however often that went to and fro; its id comes last.
 */
export const newestVersionsSql = `
with recursive ${newestSql},
made as (
  select id as newest, 0 as steps, id, unit, slice, code_hash, inputs from newest
  union all
  select m.newest, m.steps + 1, v.id, v.unit, v.slice, v.code_hash, v.inputs
  from made m
  join ${schema}.versions u on pg_catalog.starts_with(m.code_hash, $1) and u.run = pg_catalog.substr(m.code_hash, pg_catalog.length($1) + 1)
    and u.unit = m.unit and u.slice = m.slice
  join ${schema}.versions v on pg_catalog.starts_with(u.code_hash, $1) and v.run = pg_catalog.substr(u.code_hash, pg_catalog.length($1) + 1)
    and v.unit = m.unit and v.slice = m.slice
)
select distinct on (n.target, n.slice, n.unit) n.id, n.run, n.unit, n.task, n.slice, n.target,
  ${finiteMilliseconds('n.lower')}, ${finiteMilliseconds('n.upper')},
  n.row_count, n.row_checksum, n.algorithm, m.code_hash, m.inputs, ${epochMilliseconds('n.committed_at')}, m.id
from newest n join made m on m.newest = n.id order by n.target, n.slice, n.unit, m.steps desc`;

const recorded = `pg_catalog.json_to_recordset($2::json)
  as r(unit text, state text, attempts int, message text, duration_ms bigint, slices json)`;

/**
 * $1: run, $2: units as JSON. Adds to the record of units that their own transactions committed, for nothing else makes
 * one. Gives those whose record is there; the commit of the others is lost.
 */
export const completeUnitsSql = `
update ${schema}.units u set
  attempts = case when u.state = r.state then r.attempts else u.attempts end,
  message = case when u.state = r.state then coalesce(r.message, u.message) else u.message end,
  duration_ms = case when u.state = r.state then r.duration_ms else u.duration_ms end,
  slices = case when u.state = r.state then r.slices else u.slices end, updated_at = pg_catalog.clock_timestamp()
from ${recorded}
where u.run = $1 and u.unit = r.unit and u.state in ('changed', 'unchanged', 'skipped', 'done')
returning u.unit`;

/** As {@link completeUnitsSql} for every other state: it never takes the place of a committed one. */
export const recordUnitStatesSql = `
insert into ${schema}.units as u (run, unit, position, state, attempts, message, duration_ms, slices)
select $1, r.unit, 0, r.state, r.attempts, r.message, r.duration_ms, r.slices from ${recorded}
on conflict (run, unit) do update set state = excluded.state, attempts = excluded.attempts,
  message = excluded.message, duration_ms = excluded.duration_ms, slices = excluded.slices, updated_at = pg_catalog.clock_timestamp()
where u.state not in ('changed', 'unchanged', 'skipped', 'done')`;

/** Runs begin one at a time, so that of two on the same rows the second sees the first; any constant of its own. */
export const beginningLockSql = `select pg_catalog.pg_advisory_xact_lock(7236544182390118)`;

/** $1: run, $2: owner or null for the one of before, $3: lease in milliseconds, until the first unit renews it. */
export const beginRunSql = `
update ${schema}.runs set owner = coalesce($2, owner),
  alive_until = pg_catalog.clock_timestamp() + $3::bigint * interval '1 millisecond' where run = $1`;

/**
 * $1: run. A process of the run that was killed as it looked whether another one had done a unit leaves a claim that nobody
 * would take over: nobody has anything to do there. One whose transaction is open is left to it.
 */
export const endRunSql = `
with idle as (
  select c.fence from ${schema}.claims c where c.run = $1 and exists (select from ${schema}.units u
    where u.run = c.run and u.unit = c.unit and u.state in ('changed', 'unchanged', 'skipped', 'done'))
  for update skip locked),
claim as (delete from ${schema}.claims c using idle where c.fence = idle.fence),
lease as (delete from ${schema}.leases l using idle where l.fence = idle.fence),
slices as (delete from ${schema}.claim_slices s using idle where s.fence = idle.fence)
update ${schema}.runs set alive_until = null where run = $1`;

/**
 * $1: the asking run, $2: slices. A run is active while its lease lives and units of it are left; its slices are those
 * it was saved with and those it holds claims on. Bounds on different columns of one table count as overlapping, as
 * they do among claims.
 */
export const activeOverlapsSql = `
select run, owner, target, left_ms, ${epochMilliseconds('created_at')}, ${finiteMilliseconds('lower')},
  ${finiteMilliseconds('upper')}
from (
  select r.run, coalesce(r.owner, r.created_by) as owner, s.target, r.created_at,
    max(${epochMilliseconds('r.alive_until - pg_catalog.clock_timestamp()')}) as left_ms,
    min(case when s.slice_column is distinct from w.slice_column then s.lower else greatest(s.lower, w.lower) end) as lower,
    max(case when s.slice_column is distinct from w.slice_column then s.upper else least(s.upper, w.upper) end) as upper
  from ${schema}.runs r
  join (
    select run, target, slice_column, lower, upper from ${schema}.run_slices
    union all
    select c.run, k.target, k.slice_column, k.lower, k.upper from ${schema}.claims c
      join ${schema}.claim_slices k on k.fence = c.fence
      join ${schema}.leases l on l.fence = c.fence and l.expires_at > pg_catalog.clock_timestamp()
  ) s on s.run = r.run
  join ${wanted('$2')} on w.target = s.target
    and (s.slice_column is distinct from w.slice_column or (s.lower < w.upper and s.upper > w.lower))
  where r.run <> $1 and r.alive_until > pg_catalog.clock_timestamp()
    and exists (select from ${schema}.units u where u.run = r.run and u.state in ('waiting', 'running'))
  group by 1, 2, 3, 4
) overlap order by run, target`;
