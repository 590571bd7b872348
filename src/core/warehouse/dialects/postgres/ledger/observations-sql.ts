import { ledgerSchema as schema } from './ledger-schema-sql.ts';

/** $1: run, $2: unit, $3: task, $4: what was seen. */
export const saveObservationSql = `
insert into ${schema}.observations as o (run, unit, task, seen) values ($1, $2, $3, $4::json)
on conflict (run, unit) do update set seen = excluded.seen, observed_at = clock_timestamp()`;

/** $1: task, $2: how many at most. The newest first. */
export const readObservationsSql = `
select seen::text from ${schema}.observations where task = $1 order by observed_at desc limit $2::int`;
