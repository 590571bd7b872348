import { tableFilesSql } from '../catalog-sql.ts';
import { decidingDefinitionsSql } from './deciding-definitions-sql.ts';
import { ledgerSchema as schema } from './ledger-schema-sql.ts';

/**
 * $1: run, $2: task, $3: units of the run as JSON that have to be committed, $4: units that write the same tables as JSON, each
 * with its inputs, slices and statements. A row a unit, in their order: its slice versions, if it was committed before; the
 * current versions of the inputs, each the newest of its slice; the newest version of each slice by the same task; what
 * decides beside the statements, as it is now; those of the units that are not committed.
 */
export const markersSql = `
select
  (select json_agg(json_build_object('state', v.state, 'diff', v.diff) order by v.slice)
    from ${schema}.versions v where v.run = $1 and v.unit = a.unit and v.state <> 'held'),
  (select json_agg(json_build_object('table', i.target, 'from', i.lower, 'to', i.upper, 'versions', (
      select json_agg(json_build_object('run', n.run, 'unit', n.unit, 'slice', n.slice, 'rows', n.row_count,
        'rowChecksum', n.row_checksum, 'algorithm', n.algorithm) order by n.lower, n.slice)
      from (select distinct on (v.slice) v.* from ${schema}.versions v
        where v.target = i.target and v.lower < i.upper and v.upper > i.lower order by v.slice, v.id desc) n)) order by i.n)
    from (select row_number() over () as n, r.* from
      pg_catalog.json_to_recordset(a.inputs) r(target text, lower timestamptz, upper timestamptz)) i),
  (select json_agg(json_build_object('id', p.id, 'slice', s.slice, 'task', p.task, 'run', p.run,
      'madeAt', (extract(epoch from p.committed_at) * 1000)::bigint, 'rows', p.row_count, 'rowChecksum', p.row_checksum,
      'algorithm', p.algorithm, 'codeHash', p.code_hash, 'sameSchema', p.schema_hash = pg_catalog.md5(s.schema),
      'sameStatements', p.statements_hash = pg_catalog.md5(a.statements), 'definitionsHash', p.definitions_hash, 'settings', p.settings, 'inputs', p.inputs,
      'keyChecksum', p.key_checksum, 'key', p.diff->'key', 'rowVersions', p.diff->'rowVersions'))
    from pg_catalog.json_to_recordset(a.slices) s(slice text, target text, lower timestamptz, schema text)
    cross join lateral (select * from ${schema}.versions v
      where v.target = s.target and v.lower = s.lower and v.slice = s.slice and v.task = $2
        order by v.id desc limit 1) p),
  (select ${decidingDefinitionsSql("$4::json -> 0 -> 'slices'")}),
  (select coalesce(json_agg(f.unit), '[]') from pg_catalog.json_array_elements_text($3::json) f(unit)
    where not exists (select from ${schema}.units u where u.run = $1 and u.unit = f.unit
      and u.state in ('changed', 'unchanged', 'skipped', 'done')))
from (select pg_catalog.row_number() over () as n, r.* from
  pg_catalog.json_to_recordset($4::json) r(unit text, inputs json, slices json, statements text)) a
order by a.n`;

/**
 * $1: names as JSON. Counters of this transaction per table, how far the next transaction number is from this transaction's own (rows
 * written from here on have at most this age), the transaction, whether counters are kept, files of tables of these names,
 * whether triggers see each definition that is made.
 */
export const positionSql = `
select
  (select json_object_agg(c.oid, json_build_array(
      pg_catalog.pg_stat_get_xact_tuples_inserted(c.oid), pg_catalog.pg_stat_get_xact_tuples_updated(c.oid),
      pg_catalog.pg_stat_get_xact_tuples_deleted(c.oid)))
    from pg_catalog.pg_class c where c.relkind in ('r', 'm') and c.relpersistence <> 't'
      and pg_catalog.pg_stat_get_xact_tuples_inserted(c.oid) + pg_catalog.pg_stat_get_xact_tuples_updated(c.oid)
        + pg_catalog.pg_stat_get_xact_tuples_deleted(c.oid) > 0),
  pg_catalog.txid_current() - pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot()),
  pg_catalog.txid_current(), pg_catalog.current_setting('track_counts'), (${tableFilesSql}),
  exists (select from pg_catalog.pg_event_trigger e where e.evtenabled <> 'D' and e.evtevent <> 'login')`;

/**
 * One statement that makes the outcome of units part of their own transaction. $1: run, $2: task, $3: owner, $4: fence, $5: units as
 * JSON, each with its slices (none for a held or skipped unit, which leaves no version) and with the hash of what decides beside its
 * statements.
 */
export const recordUnitsSql = `
with done as (select pg_catalog.row_number() over () as n, r.* from
  pg_catalog.json_to_recordset($5::json) r(unit text, state text, message text, duration bigint, diffs json, code text,
    settings json, inputs json, statements text, definitions text, versions json)),
versions as (
  insert into ${schema}.versions (run, unit, slice, task, target, slice_column, lower, upper, state, row_count,
    key_checksum, row_checksum, algorithm, schema_hash, statements_hash, definitions_hash,
    code_hash, settings, inputs, diff, owner)
  select $1, d.unit, w.slice, $2, w.target, w.slice_column, w.lower, w.upper, d.state, w.rows, w.key_checksum, w.row_checksum,
    w.algorithm, pg_catalog.md5(w.schema), pg_catalog.md5(d.statements), d.definitions, d.code, d.settings, d.inputs, w.diff, $3
  from done d cross join lateral pg_catalog.json_to_recordset(d.versions) w(slice text, target text, slice_column text,
    lower timestamptz, upper timestamptz, rows bigint, key_checksum text, row_checksum text, algorithm text, schema text, diff json)
  order by d.n),
units as (
  insert into ${schema}.units as u (run, unit, position, state, attempts, message, duration_ms, slices)
  select $1, d.unit, 0, d.state, 1, d.message, d.duration, d.diffs from done d order by d.n
  on conflict (run, unit) do update set state = excluded.state, attempts = u.attempts + 1, message = excluded.message,
    duration_ms = excluded.duration_ms, slices = excluded.slices, updated_at = pg_catalog.clock_timestamp()),
claim as (delete from ${schema}.claims where fence = $4::bigint),
lease as (delete from ${schema}.leases where fence = $4::bigint)
delete from ${schema}.claim_slices where fence = $4::bigint`;

/**
 * Says how far a unit came that is not atomic; no row: its claim is gone. $1: run, $2: unit, $3: message, $4: fence.
 */
export const recordHalfwaySql = `
insert into ${schema}.units as u (run, unit, position, state, attempts, message)
select $1, $2, 0, 'unknown', 1, $3 from ${schema}.claims c where c.fence = $4::bigint
on conflict (run, unit) do update set state = excluded.state, message = excluded.message,
  updated_at = pg_catalog.clock_timestamp() where u.state not in ('changed', 'unchanged', 'skipped', 'done')
returning 1`;

/** $1: versions as JSON, each by its id with the inputs that it is known to rest on now. */
export const confirmInputsSql = `
update ${schema}.versions v set inputs = r.inputs
from pg_catalog.json_to_recordset($1::json) r(id bigint, inputs json) where v.id = r.id`;

/**
 * $1: run, $2: unit, $3: slices as JSON. Rows of each slice: of one that is the `last` of its run before the first unit of
 * the run that wrote it, else as the newest version of this unit left it.
 */
export const earlierRowsSql = `
select s.slice, case when s.last
  then (select coalesce((v.diff #>> '{before,rows}')::bigint, 0) from ${schema}.versions v
    where v.run = $1 and v.target = s.target and v.slice = s.slice order by v.id limit 1)
  else (select v.row_count from ${schema}.versions v
    where v.unit = $2 and v.target = s.target and v.lower = s.lower and v.slice = s.slice order by v.id desc limit 1) end
from pg_catalog.json_to_recordset($3::json) s(slice text, target text, lower timestamptz, last boolean)`;

/** $1: table, $2: units as JSON. Those of them whose rows of the whole table were recorded, and not taken back since. */
export const ranBeforeSql = `
select j.unit from pg_catalog.json_array_elements_text($2::json) j(unit)
where (select v.code_hash not like 'undo of %' from ${schema}.versions v
  where v.target = $1 and v.slice = $1 || '|||' and v.unit = j.unit order by v.id desc limit 1)`;
