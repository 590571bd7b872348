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

/** $1: run, $2: unit. */
export const keptFoldersSql = `select line from ${schema}.before_rows where run = $1 and unit = $2`;
