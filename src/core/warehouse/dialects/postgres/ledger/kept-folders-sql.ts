import { ledgerSchema as schema } from './ledger-schema-sql.ts';

/**
 * Keeps where the rows of a slice were, a line of JSON for each partition, in the place of the rows themselves, and of what an
 * earlier try of the unit kept: its folders beside these would be a slice that never was. $1: run, $2: unit, $3: slice, $4: rows of
 * the slice, $5: the lines as a JSON array.
 */
export const keepFoldersSql = `
with image as (insert into ${schema}.before_images (run, unit, slice, row_count) values ($1::text, $2::text, $3::text, $4::bigint)
  on conflict (run, unit, slice) do update set row_count = excluded.row_count, kept_at = excluded.kept_at),
earlier as (delete from ${schema}.before_rows where run = $1::text and unit = $2::text and slice = $3::text)
insert into ${schema}.before_rows (run, unit, slice, line, added)
select $1::text, $2::text, $3::text, line, false from pg_catalog.json_array_elements_text($5::json) line`;

/**
 * $1: age in days. Forgets folders that were kept longer ago, not rows of tables: of each the target and its line. Folders that an undo
 * has begun to publish are locked by it.
 */
export const forgetFoldersSql = `
with old as (delete from ${schema}.before_images i
  where i.kept_at < pg_catalog.clock_timestamp() - $1::float8 * interval '1 day' and exists (
    select from ${schema}.before_rows r where (r.run, r.unit, r.slice) = (i.run, i.unit, i.slice) and r.line like '{"fixed":%')
  returning run, unit, slice),
gone as (delete from ${schema}.before_rows r using old where (r.run, r.unit, r.slice) = (old.run, old.unit, old.slice)
  returning r.run, r.unit, r.slice, r.line)
select (select v.target from ${schema}.versions v where (v.run, v.unit, v.slice) = (gone.run, gone.unit, gone.slice)), gone.line
from gone where gone.line like '{"spec":%'`;

/** $1: folders as a JSON array. Those that an undo may still need, or a unit under way. */
export const foldersInUseSql = `
select f.folder from pg_catalog.json_array_elements_text($1::json) f(folder)
where exists (select from ${schema}.before_rows r
    where r.line like '{"spec":%' and pg_catalog.strpos(r.line, pg_catalog.to_json(f.folder)::text) > 0)
  or exists (select from ${schema}.carried c where pg_catalog.strpos(c.handle::text, pg_catalog.to_json(f.folder)::text) > 0)`;

/** $1: run, $2: unit. The folders of before of a unit stay until the transaction ends; no row: they are forgotten. */
export const holdFoldersSql = `select 1 from ${schema}.before_images where run = $1 and unit = $2 for key share`;

/** $1: run, $2: unit. */
export const keptFoldersSql = `select line from ${schema}.before_rows where run = $1 and unit = $2`;
