import { activeRuns } from '../core/ledger/active-overlaps.ts';
import type { LedgerSlice } from '../core/ledger/ledger-store.ts';
import { overlapping } from '../core/run/run-plan.ts';
import type { RunRefusal } from '../core/run/run-result.ts';
import { WarehouseError } from '../core/warehouse/warehouse-error.ts';
import { resolveConnection } from '../node/config/resolve-connection.ts';
import type { Workspace } from '../node/load-workspace.ts';
import { openWarehouse, servesOneProcess } from '../warehouses/open.ts';
import type { Shell } from './shell.ts';

/**
 * Whether another run works on the slices of a plan, by the ledger of the connection that it would run on. A plan can be
 * made without its database: where that cannot be asked, a warning says so. An embedded database is not opened: it
 * serves one process, and a run of another one is named when it is tried.
 */
export async function askActiveRuns(
  workspace: Workspace,
  connection: string | undefined,
  slices: readonly LedgerSlice[],
  shell: Shell,
): Promise<RunRefusal | undefined> {
  if (slices.length === 0) return undefined;
  const resolved = resolveConnection(workspace.config, connection, workspace.root, shell.env);
  if ('problem' in resolved || servesOneProcess(resolved.connection)) return undefined;
  try {
    const warehouse = await openWarehouse(resolved.connection);
    try {
      return await overlapping(activeRuns(warehouse), '', slices);
    } finally {
      await warehouse.close();
    }
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    const { yellow, green } = shell.colors;
    shell.err(`${yellow('warning')} not asked whether another run works on these slices: ${error.message}\n`);
    shell.err(`  ${green('help')} the run will ask; plan with --offline where there is no database to ask\n`);
    return undefined;
  }
}
