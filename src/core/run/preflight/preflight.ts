import type { Plan, PlanFinding, UnitId } from '../../plan/model/plan.ts';
import type { Warehouse } from '../../warehouse/port/ports.ts';
import { enterTransaction, protectiveSettings } from '../session/session-settings.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { missingPrevious } from './missing-previous.ts';
import { missingSnapshots } from './missing-snapshots.ts';
import { schemaChanges } from './schema-changes.ts';
import { untoldZone } from './untold-zone.ts';

/**
 * What the database has against a plan, asked before the first unit and under the settings that the units will have.
 * Reads only, in one transaction that is rolled back. Throws {@link WarehouseError}.
 */
export async function preflight(
  warehouse: Warehouse,
  plan: Plan,
  jobs: ReadonlyMap<UnitId, UnitJob>,
): Promise<readonly PlanFinding[]> {
  // Rows that are put back depend on nothing but themselves.
  const planned = plan.units.flatMap(({ id }) => jobs.get(id) ?? []).filter(({ restores }) => restores === undefined);
  const [first] = planned;
  if (first === undefined) return [];
  const session = await warehouse.connect('ledger');
  try {
    await session.query('begin isolation level read committed read only');
    await enterTransaction(session, first.options.settings, protectiveSettings(first.options));
    const found = [
      ...(await untoldZone(session, planned)),
      ...(await missingSnapshots(session, planned)),
      ...(await missingPrevious(session, plan.findings)),
      ...(await schemaChanges(session, plan, jobs)),
    ];
    await session.query('rollback');
    return found;
  } finally {
    await session.close();
  }
}
