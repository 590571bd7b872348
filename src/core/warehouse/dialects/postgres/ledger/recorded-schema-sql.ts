import { ledgerSchema as schema } from './ledger-schema-sql.ts';

/**
 * $1: slices as JSON. What the newest version of each slice that overlaps one of them was written with and made from:
 * role, table, columns as JSON (null where an older program made it), for a target also the hash of its schema and the
 * algorithm of its figures; then how many slices, the newest run, and when, in milliseconds of the epoch.
 */
export const recordedSchemasSql = `
with newest as (
  select distinct on (v.target, v.slice) v.*
  from ${schema}.versions v
  join pg_catalog.json_to_recordset($1::json) w(target text, lower timestamptz, upper timestamptz)
    on v.target = w.target and v.lower < w.upper and v.upper > w.lower
  order by v.target, v.slice, v.id desc),
seen as (
  select 'target' as role, n.target as name, n.diff->>'schema' as columns,
    case when n.diff->>'schema' is null then n.schema_hash end as hash,
    case when n.diff->>'schema' is null then n.algorithm end as algorithm, n.slice, n.run, n.id, n.committed_at
  from newest n
  union all
  select 'input', i.value->>'table', i.value->>'columns', null, null, n.slice, n.run, n.id, n.committed_at
  from newest n cross join lateral pg_catalog.json_array_elements(
    case when pg_catalog.json_typeof(n.inputs) = 'array' then n.inputs else '[]'::json end) i(value)
  where i.value->>'columns' is not null)
select role, name, columns, hash, algorithm, count(distinct slice), (pg_catalog.array_agg(run order by id desc))[1],
  (extract(epoch from max(committed_at)) * 1000)::bigint
from seen group by role, name, columns, hash, algorithm order by role desc, name, max(id)`;
