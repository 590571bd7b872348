import type { ConnectionConfig } from '../core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../core/warehouse/port/ports.ts';
import type { WarehouseError } from '../core/warehouse/port/warehouse-error.ts';
import { sparkTarget } from './spark/spark-target.ts';

/**
 * Opens the engine of a connection; its driver is loaded only then. `makes`: an embedded database that is not there is made. Throws
 * {@link WarehouseError}.
 */
export async function openWarehouse(connection: ConnectionConfig, makes = true): Promise<Warehouse> {
  if (!makes) {
    const missing = await missingDatabase(connection);
    if (missing !== undefined) throw missing.error;
  }
  switch (connection.engine) {
    case 'postgres':
      return (await import('./postgres/open-postgres.ts')).openPostgres(connection);
    case 'pglite':
      return (await import('./pglite/open-pglite.ts')).openPglite(connection);
    case 'spark':
      return (await import('./spark/open-spark.ts')).openSpark(connection, () => openWarehouse(connection.ledger));
  }
}

/** Where a connection leads, as its warehouse will say it, without connecting and without secrets. Throws as {@link openWarehouse}. */
export async function targetOf(connection: ConnectionConfig): Promise<string> {
  switch (connection.engine) {
    case 'postgres':
      return (await (await import('./postgres/client-options.ts')).resolveConnection(connection)).target;
    case 'pglite':
      return `pglite:${connection.directory}`;
    case 'spark':
      return sparkTarget(connection.url, await targetOf(connection.ledger));
  }
}

/** Whether the engine lets one process in at a time, so that asking it while somebody else has it is in vain. */
export const servesOneProcess = (connection: ConnectionConfig): boolean =>
  connection.engine === 'spark' ? servesOneProcess(connection.ledger) : connection.engine === 'pglite';

/** That there is no database where a connection leads, as far as that can be seen without connecting, and which are `beside` it. */
export async function missingDatabase(
  connection: ConnectionConfig,
): Promise<{ readonly error: WarehouseError; readonly beside: readonly string[] } | undefined> {
  if (connection.engine !== 'pglite') return undefined;
  return (await import('./pglite/missing-directory.ts')).missingDirectory(connection.directory);
}
