import { ledgerSchema as schema } from './ledger-schema-sql.ts';

/** $1: run, $2: unit. What is known of the unit since it was given to a scheduler. */
export const readCarriedSql = `select handle::text from ${schema}.carried where run = $1 and unit = $2`;

/** $1: run, $2: unit, $3: what is known, $4: fence. No row: the claim is gone, and somebody else has the unit. */
export const saveCarriedSql = `
insert into ${schema}.carried as c (run, unit, handle)
select $1, $2, $3::json from ${schema}.claims where fence = $4::bigint
on conflict (run, unit) do update set handle = excluded.handle
returning 1`;

/**
 * $1: run. Its units whose rows may be there already and have no record yet: those that a scheduler was given and has started, and
 * those on files that have begun to publish.
 */
export const begunSql = `
select c.unit from ${schema}.carried c
where c.run = $1 and (c.handle->>'phase' in ('started', 'ended') or c.handle->'publishing' is not null or c.handle->'earlier' is not null)
  and not exists (select from ${schema}.versions v where v.run = c.run and v.unit = c.unit)
order by c.unit`;

/** $1: run, $2: unit. */
export const forgetCarriedSql = `delete from ${schema}.carried where run = $1 and unit = $2`;

/** $1: run, $2: unit. Versions of rows that are there and were never let through: an outcome of the same unit takes their place. */
export const forgetHeldSql = `delete from ${schema}.versions where run = $1 and unit = $2 and state = 'held'`;

/** $1: run, $2: unit, $3: slice. */
export const forgetImageSql: readonly string[] = [
  `delete from ${schema}.before_images where run = $1 and unit = $2 and slice = $3`,
  `delete from ${schema}.before_rows where run = $1 and unit = $2 and slice = $3`,
];
