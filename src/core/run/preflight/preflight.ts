import type { Plan, PlanFinding, UnitId } from '../../plan/model/plan.ts';
import type { Warehouse } from '../../warehouse/port/ports.ts';
import { enterTransaction, protectiveSettings } from '../session/session-settings.ts';
import { bySettings } from '../unit/jobs-by-settings.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { alteredWrites } from './again/altered-writes.ts';
import { runBefore } from './again/run-before.ts';
import { triedTwice } from './again/tried-twice.ts';
import { cascades } from './cascades.ts';
import { looseCommits } from './loose-commits.ts';
import { missingPrevious } from './missing-previous.ts';
import { missingSnapshots } from './missing-snapshots.ts';
import { schemaChanges } from './schema-changes.ts';
import { slicedByZone } from './sliced-by-zone.ts';
import { unsayableSlices } from './unsayable-slices.ts';
import { untoldZone } from './untold-zone.ts';
import { writtenTables } from './written-tables.ts';

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
  if (planned.length === 0) return [];
  const session = await warehouse.connect('ledger');
  try {
    const found: PlanFinding[] = [];
    for (const [first, alike] of bySettings(planned)) {
      await session.query('begin isolation level read committed read only');
      await enterTransaction(session, first.options.settings, protectiveSettings(first.options));
      const tasks = new Set(alike.map(({ task }) => task));
      const own = new Map([...jobs].filter(([, { task }]) => tasks.has(task)));
      found.push(
        ...(found.some(({ code }) => code === 'loose-commits') ? [] : await looseCommits(session)),
        ...(await writtenTables(session, alike)),
        ...(await unsayableSlices(session, alike)),
        ...(await cascades(session, alike)),
        ...(await alteredWrites(session, alike)),
        ...(await triedTwice(session, alike)),
        ...(await runBefore(session, alike)),
        ...(await untoldZone(session, alike)),
        ...(await slicedByZone(session, alike)),
        ...(await missingSnapshots(session, alike, planned)),
        ...(await missingPrevious(
          session,
          plan.findings.filter(({ task }) => task !== undefined && tasks.has(task)),
          alike,
        )),
        ...(await schemaChanges(session, plan, own)),
      );
      await session.query('rollback');
    }
    return found;
  } finally {
    await session.close();
  }
}
