import { keepsWhatItIsGivenSql } from '../../../warehouse/dialects/postgres/altered-writes-sql.ts';
import { probedSql, probeSql, sliceProbeSql } from '../../../warehouse/dialects/postgres/slice/shadow-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import { tableSql } from '../../tables/target.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { sliceReplacement } from '../task/slice-replacement.ts';

/**
 * Whether a second run surely leaves as many rows: the unit empties exactly its slice and fills it with the rows of one
 * query that does not see them, in a table that does nothing else with them. Rows outside of the slice are looked for elsewhere.
 */
export async function isRepeatable({ session, plan, job, targets }: OpenUnit): Promise<boolean> {
  const replacement = sliceReplacement(plan.statements, job.slices);
  const relation = targets[0]?.relation;
  if (replacement === undefined || relation === undefined) return false;
  const { table, predicate } = relation;
  const [keeps] = (await session.query(keepsWhatItIsGivenSql, [`{${table.storage.join(',')}}`])).rows[0] ?? [];
  if (keeps !== 't') return false;
  await session.query('savepoint backfill_probe');
  const seesItself = await looksAt(session, table.oid, [
    probeSql(replacement.select),
    sliceProbeSql(tableSql(table), predicate),
  ]);
  await session.query('rollback to savepoint backfill_probe');
  await session.query('release savepoint backfill_probe');
  return !seesItself;
}

/** Whether these probes look at a table; one that fails may. Throws where the unit ends with the failure. */
async function looksAt(session: Session, table: string, probes: readonly string[]): Promise<boolean> {
  try {
    for (const probe of probes) await session.query(probe);
    return (await session.query(probedSql, [table])).rows[0]?.[0] !== 'f';
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.retryable || error.kind === 'cancelled') throw error;
    return true;
  }
}
