import { activeRuns } from '../../core/ledger/active-overlaps.ts';
import type { Plan, PlanFinding } from '../../core/plan/model/plan.ts';
import { engineOf } from '../../core/run/engine/engine-of.ts';
import type { PreparedJobs } from '../../core/run/jobs/prepare-jobs.ts';
import { writtenSlices } from '../../core/run/jobs/slices/written-slices.ts';
import { overlapFinding, overlapping } from '../../core/run/order/run-plan.ts';
import type { Warehouse } from '../../core/warehouse/port/ports.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { resolveConnection } from '../../node/config/resolve-connection.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { openWarehouse, servesOneProcess } from '../../warehouses/open.ts';
import { onConnection } from '../reporters/run/on-connection.ts';
import type { Shell } from '../terminal/shell.ts';
import { toName } from './target.ts';

/**
 * What the database that a plan would run on has against it: another run on its slices, snapshots that are missing. A
 * plan can be made without its database: where that cannot be asked, a warning says so. An embedded database is not
 * opened: it serves one process, and the run will ask.
 */
export async function askDatabase(
  workspace: Workspace,
  connection: string | undefined,
  plan: Plan,
  { jobs }: PreparedJobs,
  shell: Shell,
): Promise<readonly PlanFinding[]> {
  if (jobs.size === 0) return [];
  const resolved = resolveConnection(workspace.config, connection, workspace.root, shell.env);
  if ('problem' in resolved || servesOneProcess(resolved.connection)) return [];
  try {
    const warehouse = await openWarehouse(resolved.connection);
    try {
      return await askWarehouse(warehouse, plan, jobs, toName(workspace, resolved.connection));
    } finally {
      await warehouse.close();
    }
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    const { yellow, green } = shell.colors;
    shell.err(`${yellow('warning')} the database was not asked about this plan: ${error.message}\n`);
    shell.err(`  ${green('help')} the run will ask; plan with --offline where there is no database to ask\n`);
    return [];
  }
}

/** As {@link askDatabase}, over a database that is open; `connection`: its name where commands have to say it. Throws {@link WarehouseError}. */
export async function askWarehouse(
  warehouse: Warehouse,
  plan: Plan,
  jobs: PreparedJobs['jobs'],
  connection: string | undefined,
): Promise<readonly PlanFinding[]> {
  const overlap = await overlapping(activeRuns(warehouse), '', writtenSlices(plan, jobs));
  const found = await engineOf(warehouse).preflight(plan, jobs);
  return [...(overlap === undefined ? [] : [overlapFinding(onConnection(overlap, connection))]), ...found];
}
