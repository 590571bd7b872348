import { namedInWorkspace, readDatabase } from '../../core/run/preflight/read-database.ts';
import type { ConnectionConfig } from '../../core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../../core/warehouse/port/ports.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { resolveConnection } from '../../node/config/resolve-connection.ts';
import { type Workspace, withDatabase } from '../../node/load-workspace.ts';
import { refuseElsewhere } from '../../node/run-setup.ts';
import { missingDatabase, openWarehouse, servesOneProcess } from '../../warehouses/open.ts';
import { exitCodes, type Shell } from '../terminal/shell.ts';

/** A workspace with what its database has beside the files, as far as that could be asked. */
export interface JoinedWorkspace {
  readonly workspace: Workspace;
  /** False: the database did not answer, and that was said. */
  readonly reached: boolean;
}

/**
 * Joins the views and routines of a database to a workspace before a plan is made. An embedded database is not opened: it
 * serves one process.
 */
export async function joinDatabase(
  workspace: Workspace,
  connection: string | undefined,
  shell: Shell,
): Promise<JoinedWorkspace> {
  const resolved = resolveConnection(workspace.config, connection, workspace.root, shell.env);
  if ('problem' in resolved) return { workspace, reached: true };
  if (servesOneProcess(resolved.connection)) {
    const missing = await missingDatabase(resolved.connection);
    // A first run makes it, so that only one that another was meant for is worth a word.
    if (missing !== undefined && missing.beside.length > 0) {
      const { yellow, green } = shell.colors;
      shell.err(`${yellow('warning')} ${missing.error.message}\n  ${green('help')} ${missing.error.detail.hint}\n`);
    }
    return { workspace, reached: true };
  }
  try {
    const warehouse = await openWarehouse(resolved.connection);
    try {
      return {
        workspace: await joinWarehouse(workspace, { connection: resolved.connection, warehouse }, shell),
        reached: true,
      };
    } finally {
      await warehouse.close();
    }
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    const { yellow, green } = shell.colors;
    shell.err(`${yellow('warning')} the database was not asked about this plan: ${error.message}\n`);
    shell.err(`  ${green('help')} the run will ask; plan with --offline where there is no database to ask\n`);
    // One that is away may be there when the plan is run; one that does not let us in has answered.
    if (isTurnedAway(error)) shell.exit(exitCodes.findings);
    return { workspace, reached: false };
  }
}

/** The server refused the user, the password or the name of the database. */
const isTurnedAway = ({ detail: { sqlState } }: WarehouseError): boolean =>
  sqlState?.startsWith('28') === true || sqlState === '3D000';

/** As {@link joinDatabase}, over a database that is open; what it refuses to say is said, and no reason not to go on. */
export async function joinWarehouse(
  workspace: Workspace,
  { warehouse, connection }: { readonly warehouse: Warehouse; readonly connection: ConnectionConfig },
  shell: Shell,
): Promise<Workspace> {
  // What stands behind the names of files is in Spark's catalog, which is not asked for views and functions.
  if (warehouse.lake !== undefined) return workspace;
  const elsewhere = refuseElsewhere(workspace.config, connection.name, shell.env);
  const named = namedInWorkspace(workspace.facts, elsewhere);
  try {
    return withDatabase(workspace, await readDatabase(warehouse, named, connection.settings));
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.kind === 'connection') throw error;
    const { yellow } = shell.colors;
    shell.err(
      `${yellow('warning')} the views and functions of the database are not known to this plan: ${error.message}\n`,
    );
    return workspace;
  }
}
