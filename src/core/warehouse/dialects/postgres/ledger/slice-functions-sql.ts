import { ledgerSchema as schema } from '../../../../sql/names/ledger-name.ts';
import { qualifiedSql } from '../quote.ts';
import { maxCells } from './lock-keys.ts';

const safePath = 'pg_catalog, pg_temp';
const settings = `set search_path = ${safePath}`;

/** Evaluated where a function is called, before its own settings are in force. */
const callerPath = `caller_path text default pg_catalog.current_setting('search_path')`;

/** Left in the ledger in the place of a code hash by a task that its scheduler ran: nobody knows which code that was. */
export const scheduledCode = 'not known: run by its scheduler';

/** What stands in the place of the plan of a run for such a task. */
export const scheduledDocument = '{"scheduled":true}';

/** As `advisoryKey` of the engine: FNV-1a over code points, 64 bits, as a signed number, in two halves of 32 bits. */
const advisoryKeySql = `
create function ${schema}.advisory_key(name text) returns bigint language plpgsql immutable strict ${settings} as $f$
declare
  high bigint := 3421674724; low bigint := 2216829733; part bigint;
begin
  if name ~ '[^\\u0001-\\u007f]' and getdatabaseencoding() <> 'UTF8' then
    raise exception 'the name % cannot be locked in a database of the encoding %', name, getdatabaseencoding()
      using errcode = '0A000';
  end if;
  for at in 1 .. char_length(name) loop
    low := low # ascii(substr(name, at, 1));
    part := low * 435;
    high := (high * 435 + (part >> 32) + (low << 8)) & 4294967295;
    low := part & 4294967295;
  end loop;
  return (high << 32) | low;
end $f$`;

/** As `lockKeys` of the engine, for one slice: the same keys in the same order. */
const lockSliceSql = `
create function ${schema}.lock_slice(target text, lower_bound timestamptz, upper_bound timestamptz) returns void
language plpgsql ${settings} as $f$
declare
  first bigint := floor(extract(epoch from lower_bound) / 86400);
  last bigint := ceil(extract(epoch from upper_bound) / 86400) - 1;
  cell bigint;
begin
  if last - first >= ${maxCells} then
    perform pg_advisory_xact_lock(${schema}.advisory_key(target));
    return;
  end if;
  perform pg_advisory_xact_lock_shared(${schema}.advisory_key(target));
  for cell in select ${schema}.advisory_key(target || ' ' || day) from generate_series(first, greatest(first, last)) day order by 1
  loop
    perform pg_advisory_xact_lock(cell);
  end loop;
end $f$`;

/** A runner whose lease lives and whose claim overlaps the slice, in words; null where there is none. */
const sliceOwnerSql = `
create function ${schema}.slice_owner(target text, slice_column text, lower_bound timestamptz, upper_bound timestamptz)
returns text language sql volatile security definer ${settings} as $f$
select c.owner || ' (run ' || c.run || ', ' || c.unit || '), whose lease ends in '
  || ceil(extract(epoch from l.expires_at - clock_timestamp())) || ' s unless it is alive'
from ${schema}.claims c join ${schema}.leases l on l.fence = c.fence and l.expires_at > clock_timestamp()
where exists (
  select from ${schema}.claim_slices s where s.fence = c.fence and s.target = $1
    and (s.slice_column is distinct from $2 or (s.lower < $4 and s.upper > $3)))
order by c.fence limit 1
$f$`;

/**
 * How the engine reads a value of a column so that its binary form is a function of the value alone; null where that
 * takes more than one expression, a copy, or settings that only the engine pins.
 */
const stableValueSql = `
create function ${schema}.stable_value(name text, type oid) returns text language plpgsql stable ${settings} as $f$
declare
  at text := quote_ident(name);
  t pg_type; e pg_type;
begin
  select * into t from pg_type where oid = type;
  while t.typtype = 'd' loop
    at := '(' || at || ')::' || format_type(t.typbasetype, null);
    select * into t from pg_type where oid = t.typbasetype;
  end loop;
  if t.typtype = 'e' then return '(' || at || ')::pg_catalog.text'; end if;
  if t.typtype not in ('b', 'r', 'm') or t.typsend = 0 then return null; end if;
  if t.typtype in ('r', 'm') and t.oid >= 16384 then return null; end if;
  if t.typcategory = 'A' and t.typelem <> 0 then
    select * into e from pg_type where oid = t.typelem;
    if e.typtype = 'e' then return '(' || at || ')::pg_catalog.text[]'; end if;
    if e.typtype not in ('b', 'r', 'm') or e.typsend = 0 or e.oid >= 16384 then return null; end if;
  end if;
  return at;
end $f$`;

/** A bound as a literal of the column's own type, as `slicePredicate` of the engine writes it. */
const boundLiteralSql = `
create function ${schema}.bound_literal(bound timestamptz, type text) returns text language plpgsql immutable ${settings} as $f$
declare
  at timestamp := bound at time zone 'UTC';
begin
  if type = 'timestamp' then return quote_literal(to_char(at, 'YYYY-MM-DD HH24:MI:SS.MS')) || '::pg_catalog.timestamp'; end if;
  if type = 'timestamptz' then
    return quote_literal(to_char(at, 'YYYY-MM-DD HH24:MI:SS.MS') || '+00') || '::pg_catalog.timestamptz';
  end if;
  if at = date_trunc('day', at) then
    case
      when type = 'date' then return quote_literal(to_char(at, 'YYYY-MM-DD')) || '::pg_catalog.date';
      when type in ('text', 'varchar', 'bpchar') then return quote_literal(to_char(at, 'YYYY-MM-DD'));
      when type in ('int4', 'int8', 'numeric') then return to_char(at, 'YYYYMMDD');
      else null;
    end case;
  end if;
  raise exception 'the bound % cannot be said in a column of the type %', bound, type using errcode = '22007';
end $f$`;

/**
 * Rows and checksums of a slice by the engine's own hash; the count alone where a column has no stable binary form or
 * where row security hides rows from the caller, under an algorithm that is never compared. Runs with the caller's rights,
 * and only the condition, which is the caller's, with the caller's search path: an operator that somebody else put into
 * one of its schemas would be executed in the place of ours.
 */
const sliceFiguresSql = `
create function ${schema}.slice_figures(target regclass, predicate text, key text[], left_out text[],
  ${callerPath}) returns json
language plpgsql volatile ${settings} as $f$
declare
  relation pg_catalog.text; names pg_catalog.text; row_fields pg_catalog.text; key_fields pg_catalog.text;
  stable pg_catalog.bool; version int := pg_catalog.current_setting('server_version_num')::int;
  n bigint; s pg_catalog.numeric[]; duplicates bigint; figures pg_catalog.text;
  half pg_catalog.text[] := '{}'; wide constant pg_catalog.numeric := 79228162514264337593543950336; v pg_catalog.numeric;
begin
  select pg_catalog.format('%I.%I', c_ns.nspname, c.relname) into relation
  from pg_catalog.pg_class c join pg_catalog.pg_namespace c_ns on c_ns.oid = c.relnamespace where c.oid = target;
  select pg_catalog.string_agg(a.attname, ',' order by a.attnum),
    pg_catalog.string_agg(${schema}.stable_value(a.attname, a.atttypid), ', ' order by a.attnum),
    pg_catalog.bool_and(${schema}.stable_value(a.attname, a.atttypid) is not null)
  into names, row_fields, stable
  from pg_catalog.pg_attribute a
  where a.attrelid = target and a.attnum > 0 and not a.attisdropped and a.attname <> all (left_out);
  select pg_catalog.string_agg(${schema}.stable_value(a.attname, a.atttypid), ', ' order by k.n),
    stable and coalesce(pg_catalog.bool_and(${schema}.stable_value(a.attname, a.atttypid) is not null), true)
  into key_fields, stable
  from pg_catalog.unnest(key) with ordinality k(name, n)
  join pg_catalog.pg_attribute a on a.attrelid = target and a.attname = k.name and a.attnum > 0 and not a.attisdropped;
  if not coalesce(stable, false) or pg_catalog.row_security_active(target) then
    perform pg_catalog.set_config('search_path', caller_path, true);
    execute pg_catalog.format('select count(*) from %s where %s', relation, predicate) into n;
    return pg_catalog.json_build_object('rows', n, 'rowChecksum', '', 'algorithm', 'count/1');
  end if;
  figures := pg_catalog.format(
    case when version >= 140000 then
      'select count(*), array[sum(pg_catalog.hash_record_extended(row(b), 0)), sum(pg_catalog.hash_record_extended(row(b), 1)), '
      || 'sum(pg_catalog.hash_record_extended(row(k), 0)), sum(pg_catalog.hash_record_extended(row(k), 1))]'
    else
      'select count(*), array[sum((''x'' || substr(md5(b), 1, 16))::bit(64)::bigint), sum((''x'' || substr(md5(b), 17, 16))::bit(64)::bigint), '
      || 'sum((''x'' || substr(md5(k), 1, 16))::bit(64)::bigint), sum((''x'' || substr(md5(k), 17, 16))::bit(64)::bigint)]'
    end || ' from (select pg_catalog.record_send(row(%s)) as b, %s as k from %s where %s offset 0) s',
    row_fields, case when key_fields is null then 'null::pg_catalog.bytea' else 'pg_catalog.record_send(row(' || key_fields || '))' end,
    relation, predicate);
  perform pg_catalog.set_config('search_path', caller_path, true);
  execute figures into n, s;
  perform pg_catalog.set_config('search_path', '${safePath}', true);
  foreach v in array s loop
    v := pg_catalog.mod(pg_catalog.mod(coalesce(v, 0), wide) + wide, wide);
    half := half || (
      pg_catalog.lpad(pg_catalog.to_hex(pg_catalog.div(v, 18446744073709551616)::bigint), 8, '0')
      || pg_catalog.lpad(pg_catalog.to_hex(pg_catalog.mod(pg_catalog.div(v, 4294967296), 4294967296)::bigint), 8, '0')
      || pg_catalog.lpad(pg_catalog.to_hex(pg_catalog.mod(v, 4294967296)::bigint), 8, '0'));
  end loop;
  if key_fields is not null then
    figures := pg_catalog.format('select coalesce(sum(c - 1), 0) from (select count(*) as c from %s where %s group by %s having count(*) > 1) s',
      relation, predicate, (select pg_catalog.string_agg(pg_catalog.quote_ident(k), ', ') from pg_catalog.unnest(key) k));
    perform pg_catalog.set_config('search_path', caller_path, true);
    execute figures into duplicates;
    perform pg_catalog.set_config('search_path', '${safePath}', true);
  end if;
  return pg_catalog.json_build_object('rows', n, 'keyChecksum', case when key_fields is not null then half[3] || half[4] end,
    'rowChecksum', half[1] || half[2],
    'algorithm', pg_catalog.format('%s/1 %s %s', case when version >= 140000 then 'record-hash' else 'record-md5' end, version / 10000, names),
    'duplicateKeys', duplicates);
end $f$`;

/** An instant as the engine writes it: `2024-03-10T07:30:00Z`, a fraction only where it is not zero. */
const isoSql = `
create function ${schema}.iso(at timestamptz) returns text language sql immutable ${settings} as $f$
select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
  || coalesce('.' || nullif(to_char(at at time zone 'UTC', 'MS'), '000'), '') || 'Z'
$f$`;

/**
 * Opens a slice in the caller's transaction: waits for whoever works on any of its rows, a runner or another run of the
 * scheduler, locks it as a runner would, and keeps its figures of before for `commit_slice`.
 */
export const beginSliceSql = `
create or replace function ${schema}.begin_slice(task text, run text, interval_start timestamptz, target regclass,
  slice_column text, lower_bound timestamptz, upper_bound timestamptz, predicate text default null,
  key text[] default null, left_out text[] default '{}', ${callerPath})
returns void language plpgsql volatile ${settings} as $f$
declare
  qualified text; relkind "char"; type text; busy text; rows_of text := predicate; own_key text[] := key;
  old_timeout text := pg_catalog.current_setting('lock_timeout');
  patience interval := coalesce(nullif(old_timeout, '0')::interval, interval '5 minutes');
  deadline timestamptz := pg_catalog.clock_timestamp() + patience;
begin
  if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'a slice cannot be replaced safely at the isolation level %: rows of a writer that was waited for stay unseen',
      pg_catalog.current_setting('transaction_isolation')
      using errcode = '25001', hint = 'Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED, before any query.';
  end if;
  if task is null or interval_start is null or lower_bound is null or upper_bound is null or lower_bound >= upper_bound then
    raise exception 'the interval of % is empty: from % to %', task, lower_bound, upper_bound
      using errcode = '22000', hint = 'Airflow 3 gives cron schedules empty intervals by default: name CronDataIntervalTimetable.';
  end if;
  if pg_catalog.current_setting('${schema}.open_slice', true) <> '' then
    raise exception 'another slice is open in this transaction' using errcode = '55000', hint = 'Call commit_slice() first.';
  end if;
  select ${qualifiedSql('n.nspname', 'c.relname')}, c.relkind into qualified, relkind
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.oid = target;
  if relkind not in ('r', 'p') then
    raise exception '% is not a table', qualified using errcode = '42809';
  end if;
  with recursive base as (
    select t.typname, t.typtype, t.typbasetype from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
    where a.attrelid = target and a.attname = slice_column and a.attnum > 0 and not a.attisdropped
    union all
    select t.typname, t.typtype, t.typbasetype from base join pg_catalog.pg_type t on t.oid = base.typbasetype where base.typtype = 'd')
  select typname into type from base where typtype <> 'd';
  if type is null then
    raise exception 'the table % has no column %', qualified, slice_column using errcode = '42703';
  end if;
  loop
    busy := ${schema}.slice_owner(qualified, slice_column, lower_bound, upper_bound);
    exit when busy is null;
    if pg_catalog.clock_timestamp() >= deadline then
      raise exception '% from % to % is being rebuilt by %', qualified, ${schema}.iso(lower_bound), ${schema}.iso(upper_bound), busy
        using errcode = '55006', hint = 'Nothing was written. Run the task again later.';
    end if;
    perform pg_catalog.pg_sleep(0.1);
  end loop;
  begin
    perform pg_catalog.set_config('lock_timeout', (extract(epoch from patience) * 1000)::bigint::text, true);
    perform ${schema}.lock_slice(qualified, lower_bound, upper_bound);
    perform pg_catalog.set_config('lock_timeout', old_timeout, true);
  exception when lock_not_available then
    raise exception '% from % to % is being written by another run', qualified, ${schema}.iso(lower_bound), ${schema}.iso(upper_bound)
      using errcode = '55P03', hint = 'Nothing was written. Run the task again later, or raise lock_timeout.';
  end;
  if rows_of is null then
    rows_of := pg_catalog.format('%I >= %s and %I < %s', slice_column, ${schema}.bound_literal(lower_bound, type),
      slice_column, ${schema}.bound_literal(upper_bound, type));
  end if;
  rows_of := '(' || rows_of || E'\\n)';
  if own_key is null or exists (select from pg_catalog.unnest(own_key) k where not exists (
    select from pg_catalog.pg_attribute a where a.attrelid = target and a.attname = k and a.attnum > 0 and not a.attisdropped)) then
    own_key := (select u.columns from (
      select i.indisprimary, i.indexrelid, pg_catalog.array_agg(a.attname::text order by k.n) as columns, pg_catalog.bool_and(a.attnotnull) as filled
      from pg_catalog.pg_index i
      cross join pg_catalog.unnest(i.indkey::pg_catalog.int2[]) with ordinality k(attnum, n)
      join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where i.indrelid = target and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null and k.n <= i.indnkeyatts
      group by i.indisprimary, i.indexrelid) u
      where u.filled and not u.columns && left_out order by not u.indisprimary, u.indexrelid limit 1);
  end if;
  perform pg_catalog.set_config('${schema}.open_slice', pg_catalog.json_build_object(
    'transaction', pg_catalog.txid_current(), 'task', task, 'run', run,
    'unit', task || '@' || ${schema}.iso(interval_start), 'oid', target::oid, 'target', qualified, 'column', slice_column,
    'from', ${schema}.iso(lower_bound), 'to', ${schema}.iso(upper_bound), 'predicate', rows_of,
    'key', coalesce(own_key, '{}'), 'leftOut', left_out, 'beganAt', pg_catalog.clock_timestamp(),
    'path', caller_path, 'before', ${schema}.slice_figures(target, rows_of, own_key, left_out, caller_path))::text, true);
end $f$`;

/**
 * Writes a version into the ledger for a role that may not write there itself; everything comes as data, but for who it
 * was: the role that connected, which a function with its owner's rights still sees.
 */
const recordSliceSql = `
create function ${schema}.record_slice(slice json, after json, equal bool, columns text) returns void
language plpgsql volatile security definer ${settings} as $f$
declare
  run_id text := to_char(clock_timestamp() at time zone 'UTC', 'YYYYMMDD-HH24MISS') || '-' || substr(md5(random()::text || clock_timestamp()), 1, 10);
  by_whom text := (slice->>'run') || ' (' || session_user || ')';
  state text := case when equal then 'unchanged' else 'changed' end;
  took bigint := extract(epoch from clock_timestamp() - (slice->>'beganAt')::timestamptz) * 1000;
  same int := case when equal then 0 end;
  diff json := json_build_object('table', slice->'target', 'column', slice->'column', 'from', slice->'from', 'to', slice->'to',
    'before', slice->'before', 'after', after, 'added', same, 'removed', same, 'changed', same, 'columns', '[]'::json, 'samples', '[]'::json,
    'method', case when not equal then 'none' when json_array_length(slice->'key') > 0 then 'key' else 'multiset' end,
    'key', slice->'key', 'leftOut', slice->'leftOut', 'causes', '[]'::json);
begin
  insert into ${schema}.runs (run, title, created_at, created_by, document)
    values (run_id, (slice->>'task') || ' by its scheduler', (slice->>'beganAt')::timestamptz, by_whom, '${scheduledDocument}');
  insert into ${schema}.units (run, unit, position, state, attempts, duration_ms, slices)
    values (run_id, slice->>'unit', 0, state, 1, took, json_build_array(diff));
  insert into ${schema}.versions (run, unit, slice, task, target, slice_column, lower, upper, state, row_count, key_checksum,
      row_checksum, algorithm, schema_hash, code_hash, settings, inputs, diff, owner)
    values (run_id, slice->>'unit', concat_ws('|', slice->>'target', slice->>'column', slice->>'from', slice->>'to'), slice->>'task',
      slice->>'target', slice->>'column', (slice->>'from')::timestamptz, (slice->>'to')::timestamptz, state, (after->>'rows')::bigint,
      after->>'keyChecksum', after->>'rowChecksum', after->>'algorithm', md5(columns),
      '${scheduledCode}', '{}', 'null', diff, by_whom);
end $f$`;

/** Ends the slice that `begin_slice` opened: its new figures become a version in the ledger, in the caller's transaction. */
const commitSliceSql = `
create function ${schema}.commit_slice() returns void language plpgsql volatile ${settings} as $f$
declare
  kept text := nullif(pg_catalog.current_setting('${schema}.open_slice', true), '');
  slice json := kept; before json; after json;
begin
  if kept is null or (slice->>'transaction')::bigint <> pg_catalog.txid_current() then
    raise exception 'no slice is open in this transaction' using errcode = '55000',
      hint = 'begin_slice() and commit_slice() belong into one transaction, with the statements of the task between them.';
  end if;
  before := slice->'before';
  after := ${schema}.slice_figures((slice->>'oid')::oid, slice->>'predicate',
    array(select pg_catalog.json_array_elements_text(slice->'key')), array(select pg_catalog.json_array_elements_text(slice->'leftOut')), slice->>'path');
  perform ${schema}.record_slice(slice, after, after->>'rowChecksum' <> '' and before->>'rowChecksum' = after->>'rowChecksum'
    and before->>'rows' = after->>'rows' and before->>'algorithm' = after->>'algorithm',
    (select pg_catalog.string_agg(a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod)
        || case when a.attnotnull then ' not null' else '' end, ', ' order by a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = (slice->>'oid')::oid and a.attnum > 0 and not a.attisdropped));
  perform pg_catalog.set_config('${schema}.open_slice', '', true);
end $f$`;

/**
 * Functions by which a task that its scheduler runs joins the ledger and the lock. `begin_slice` and `commit_slice` run
 * with the caller's rights, so that nobody reads a table through them; only `slice_owner` and `record_slice` touch the
 * ledger, with the rights of the role that made it.
 */
export const sliceFunctionsSql: readonly string[] = [
  advisoryKeySql,
  lockSliceSql,
  sliceOwnerSql,
  stableValueSql,
  boundLiteralSql,
  sliceFiguresSql,
  isoSql,
  beginSliceSql,
  recordSliceSql,
  commitSliceSql,
  `revoke execute on all functions in schema ${schema} from public`,
];

/** What the role of a scheduler needs to run tasks that join the ledger; `role` as SQL. */
export const sliceGrants = (role: string): readonly string[] => [
  `GRANT USAGE ON SCHEMA ${schema} TO ${role};`,
  `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role};`,
];
