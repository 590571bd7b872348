import { ledgerSchema } from '../../../../sql/names/ledger-name.ts';
import { beginSliceSql, sliceFunctionsSql } from './slice-functions-sql.ts';

export { ledgerSchema };

export const ledgerVersion = 9;

/** Serialises the creation of the ledger; any constant that nobody else uses. */
export const ledgerCreationLock = '7236544182390117';

/** Rows of changed slices as they were before: one row of `before_images` a slice, its rows as text in `before_rows`. */
const beforeRowsSql: readonly string[] = [
  `create table ${ledgerSchema}.before_images (run text not null, unit text not null, slice text not null,
    row_count bigint not null, kept_at timestamptz not null default clock_timestamp(), primary key (run, unit, slice))`,
  `create table ${ledgerSchema}.before_rows (run text not null, unit text not null, slice text not null, line text)`,
  `create index on ${ledgerSchema}.before_rows (run, unit, slice)`,
];

/**
 * Where most rows of a slice stayed as they were: `key` tells its rows apart, and only the rows that went or became others
 * are kept as they were, beside those that were `added`. Null: all rows as they were.
 */
const partOfImagesSql: readonly string[] = [
  `alter table ${ledgerSchema}.before_images add column key json`,
  `alter table ${ledgerSchema}.before_rows add column added boolean not null default false`,
];

/** Units that a scheduler was given, so that whoever goes on with their run finds what was started for them. */
const carriedSql = `create table ${ledgerSchema}.carried (run text not null, unit text not null, handle json not null,
  begun_at timestamptz not null default clock_timestamp(), primary key (run, unit))`;

/** What was seen of tasks whose tables no file says, one row a run of one interval. */
const observationsSql = `create table ${ledgerSchema}.observations (run text not null, unit text not null, task text not null,
  seen json not null, observed_at timestamptz not null default clock_timestamp(), primary key (run, unit))`;

/** By it the newest version of every slice is found without a look at those before; by bytes, which compare fastest. */
const bySliceAndUnitSql = `create index on ${ledgerSchema}.versions
  (target collate "C", slice collate "C", unit collate "C", id desc)`;

/** What makes a ledger of each earlier version one of the next, by the version that it makes. */
export const upgradeLedgerSql: Readonly<Record<number, readonly string[]>> = {
  2: beforeRowsSql,
  3: [
    `alter table ${ledgerSchema}.versions
    add column statements_hash text, add column definitions_hash text`,
  ],
  4: sliceFunctionsSql,
  // Names with a dot in quotes.
  5: [beginSliceSql],
  6: [carriedSql],
  7: [observationsSql],
  8: partOfImagesSql,
  9: [bySliceAndUnitSql],
};

/**
 * The ledger's tables, one statement each. `claims` rows are never updated: a unit holds its own FOR UPDATE while its
 * transaction is open, so the lease that a heartbeat renews has a table of its own. `versions` is the record of every
 * slice that a unit committed, and at the same time the marker that it did.
 */
export const createLedgerSql: readonly string[] = [
  `create schema if not exists ${ledgerSchema}`,
  `create table ${ledgerSchema}.meta (version int primary key, created_at timestamptz not null default clock_timestamp())`,
  `create table ${ledgerSchema}.runs (
    run text primary key, title text not null, created_at timestamptz not null, created_by text not null,
    document text not null, owner text, alive_until timestamptz)`,
  `create table ${ledgerSchema}.run_slices (run text not null, target text not null, slice_column text,
    lower timestamptz not null, upper timestamptz not null)`,
  `create index on ${ledgerSchema}.run_slices (target, lower)`,
  `create table ${ledgerSchema}.units (
    run text not null, unit text not null, position int not null, state text not null, attempts int not null default 0,
    message text, duration_ms bigint, slices json not null default '[]',
    updated_at timestamptz not null default clock_timestamp(), primary key (run, unit))`,
  `create table ${ledgerSchema}.targets (target text primary key)`,
  `create sequence ${ledgerSchema}.fence`,
  `create table ${ledgerSchema}.claims (
    fence bigint primary key default nextval('${ledgerSchema}.fence'), run text not null, unit text not null,
    owner text not null, claimed_at timestamptz not null default clock_timestamp())`,
  `create table ${ledgerSchema}.claim_slices (fence bigint not null, target text not null, slice_column text,
    lower timestamptz not null, upper timestamptz not null)`,
  `create index on ${ledgerSchema}.claim_slices (target, lower)`,
  `create index on ${ledgerSchema}.claim_slices (fence)`,
  `create table ${ledgerSchema}.leases (fence bigint primary key, expires_at timestamptz not null)`,
  `create table ${ledgerSchema}.versions (
    run text not null, unit text not null, slice text not null, task text not null, target text not null,
    slice_column text, lower timestamptz not null, upper timestamptz not null, state text not null,
    row_count bigint, key_checksum text, row_checksum text, algorithm text, schema_hash text not null,
    statements_hash text, definitions_hash text, code_hash text not null, settings json not null, inputs json not null, diff json not null, owner text not null,
    id bigint generated always as identity, committed_at timestamptz not null default clock_timestamp(),
    primary key (run, unit, slice))`,
  `create index on ${ledgerSchema}.versions (target, lower, id)`,
  bySliceAndUnitSql,
  ...beforeRowsSql,
  ...partOfImagesSql,
  carriedSql,
  observationsSql,
  ...sliceFunctionsSql,
  `insert into ${ledgerSchema}.meta (version) values (${ledgerVersion})`,
];

/** What stands in the way of the ledger, told before anything is created. */
export const ledgerRightsSql = `
select pg_catalog.to_regclass('${ledgerSchema}.meta') is not null,
  pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'),
  pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMP'),
  pg_catalog.quote_ident(pg_catalog.current_database()), pg_catalog.quote_ident(current_user),
  coalesce(pg_catalog.has_schema_privilege(pg_catalog.to_regnamespace('${ledgerSchema}')::oid, 'USAGE'), true),
  pg_catalog.to_regnamespace('${ledgerSchema}') is not null`;

/**
 * Whether the ledger is there, asked after waiting for whoever makes it. It must read the catalog's rows: a name lookup
 * may answer from what this connection remembers.
 */
export const ledgerExistsSql = `
select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = '${ledgerSchema}' and c.relname = 'meta')`;

/** Ends every claim and lease, live or not. */
export const forgetLeasesSql: readonly string[] = [
  `delete from ${ledgerSchema}.claims`,
  `delete from ${ledgerSchema}.claim_slices`,
  `delete from ${ledgerSchema}.leases`,
  `update ${ledgerSchema}.runs set alive_until = null where alive_until is not null`,
];
