import type { Session } from '../../../warehouse/port/ports.ts';
import { WarehouseError, type WarehouseErrorKind } from '../../../warehouse/port/warehouse-error.ts';
import type { RenderedStatement } from '../../unit/unit-job.ts';

/** Calls that a plan of PostgreSQL shows by these names, whatever views they came through. */
const changing =
  /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|random_normal|gen_random_uuid|uuid_generate_v\w+|uuidv\d|nextval)\(|\b(CURRENT_DATE|CURRENT_TIME|CURRENT_TIMESTAMP|LOCALTIME|LOCALTIMESTAMP)\b/g;

const explainable = /^[\s(]*(?:insert|update|delete|merge|select|with|values)\b/i;

/** What has nothing to do with the statement: it might be planned another time. */
const passing: ReadonlySet<WarehouseErrorKind> = new Set(['connection', 'cancelled', 'timeout', 'conflict', 'storage']);

/** $1: names. Functions of the user's own among them that do not promise the same result for the same arguments. */
const changingFunctionsSql = `
select distinct p.proname from pg_catalog.pg_proc p
where p.oid >= 16384 and p.provolatile <> 'i' and p.proname = any($1::pg_catalog.text[]) order by p.proname`;

export interface PlannedCalls {
  /** Built-in calls whose result changes from run to run. */
  readonly changing: ReadonlySet<string>;
  /** Functions of the user's own that are called as they are, so that the planner does not see into them. */
  readonly functions: readonly string[];
}

/**
 * Names of calls whose result changes from run to run, as the planner sees the statements: also those inside views and
 * inlined functions. Nothing is run. Statements that cannot be planned on their own (they use a table that an earlier
 * one makes) are passed over; what keeps all from being planned (a lock, the connection, a cancel) is thrown. The
 * transaction must be one that is rolled back.
 */
export async function plannedCalls(session: Session, statements: readonly RenderedStatement[]): Promise<PlannedCalls> {
  const found = new Set<string>();
  const called = new Set<string>();
  for (const { text } of statements) {
    if (!explainable.test(text)) continue;
    await session.query('savepoint backfill_explain');
    try {
      const { rows } = await session.query(`explain (verbose, costs off) ${text}`);
      for (const [line] of rows) {
        // Literals are data: a text that reads like a call is none.
        const bare = (line ?? '').replace(/'(?:[^']|'')*'/g, "''");
        for (const [, call, word] of bare.matchAll(changing)) found.add((call ?? word ?? '').toLowerCase());
        for (const [, name] of bare.matchAll(/(\w+)"?\(/g)) called.add(name ?? '');
      }
    } catch (error) {
      if (!(error instanceof WarehouseError) || passing.has(error.kind)) throw error;
      await session.query('rollback to savepoint backfill_explain');
    }
    await session.query('release savepoint backfill_explain');
  }
  const { rows } = await session.query(changingFunctionsSql, [`{${[...called].join(',')}}`]);
  return { changing: found, functions: rows.map(([name]) => String(name)) };
}
