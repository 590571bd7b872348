import { sqlLedgerStore } from '../../../src/core/ledger/sql-ledger-store.ts';
import { type StaleReason, staleInWords, staleSlices } from '../../../src/core/ledger/stale-slices.ts';
import type { Session, Warehouse } from '../../../src/core/warehouse/port/ports.ts';
import { hasUpserts } from '../random-pipelines/arbitrary.ts';
import type { ChangedCase } from '../random-pipelines/changed-case.ts';
import { realClock } from '../warehouse-fixture.ts';

/** What may not outlive a run, however it ended. Temporary tables of a server that crashed go when their place is used again. */
const leftSql = `
select 'claim of ' || run || ' ' || unit from backfill_ledger.claims
union all select 'lease ' || fence from backfill_ledger.leases
union all select 'slices of claim ' || fence from backfill_ledger.claim_slices
union all select 'prepared transaction ' || gid from pg_prepared_xacts
union all select 'transaction: ' || query from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and xact_start is not null
union all select 'temporary table ' || c.oid::regclass from pg_class c
  where c.relpersistence = 't' and c.relkind = 'r' and exists (
    select from pg_stat_get_backend_idset() b join pg_stat_activity a on a.pid = pg_stat_get_backend_pid(b)
    where pg_my_temp_schema() <> c.relnamespace and c.relnamespace::regnamespace::text = 'pg_temp_' || b)`;

/** What is left once the server has noticed who is gone. */
export async function leftBehind(session: Session): Promise<readonly string[]> {
  for (let tries = 0; ; tries++) {
    const found = (await session.query(leftSql)).rows.map(([what]) => String(what));
    if (found.length === 0 || tries > 100) return found;
    await realClock.sleep(100);
  }
}

/**
 * Slices of a case that the ledger calls stale although everything that had to be done again was. Where code was corrected
 * for a range, slices outside the range are stale by it, and so is what reads them. What rows an upsert writes the ledger does
 * not know.
 */
export async function staleUnits(warehouse: Warehouse, { runner, plan }: ChangedCase): Promise<readonly string[]> {
  if (hasUpserts(runner.model)) return [];
  const ledger = sqlLedgerStore(warehouse);
  const versions = (await ledger.newestVersions()).filter(({ target }) => target.startsWith(`${runner.model.schema}.`));
  await ledger.close();
  const hashes = new Map(runner.workspace.tasks.map(({ id, codeHash }) => [id, codeHash]));
  const corrected = runner.model.tasks.some(({ fix }) => fix !== undefined);
  const planned = new Set(plan?.units.map(({ id }) => id));
  const counts = (unit: string, { kind }: StaleReason): boolean =>
    !corrected || kind === 'input' || (planned.has(unit) && kind !== 'behind');
  return staleSlices(versions, hashes)
    .filter(({ version, reasons }) => reasons.some((reason) => counts(version.unit, reason)))
    .map(({ version, reasons }) => `${version.unit}: ${reasons.map(staleInWords).join('; ')}`);
}
