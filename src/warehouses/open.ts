import type { ConnectionConfig, DatabaseConnection, LakeConnection } from '../core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../core/warehouse/port/ports.ts';
import type { WarehouseError } from '../core/warehouse/port/warehouse-error.ts';
import type { OpenLake } from './spark/open-spark.ts';
import { sparkAddress, sparkTarget } from './spark/spark-target.ts';

export { sparkAddress };

/**
 * Opens the engine of a connection; its driver is loaded only then. `makes`: an embedded database that is not there is made. Throws
 * {@link WarehouseError}.
 */
export async function openWarehouse(connection: ConnectionConfig, makes = true): Promise<Warehouse> {
  if (!makes) {
    const missing = await missingDatabase(connection);
    if (missing !== undefined) throw missing.error;
  }
  if (connection.engine === 'spark')
    return (await import('./spark/open-spark.ts')).openSpark(connection, () => openWarehouse(connection.ledger));
  return withLakes(await openDatabase(connection), connection.lakes ?? []);
}

const openDatabase = async (connection: DatabaseConnection): Promise<Warehouse> =>
  connection.engine === 'postgres'
    ? (await import('./postgres/open-postgres.ts')).openPostgres(connection)
    : (await import('./pglite/open-pglite.ts')).openPglite(connection);

/** With the lakes whose ledger it is, each reached when a unit asks for it. */
function withLakes(warehouse: Warehouse, connections: readonly LakeConnection[]): Warehouse {
  if (connections.length === 0) return warehouse;
  const opened = new Map<string, Promise<OpenLake>>();
  const open = (connection: LakeConnection): Promise<OpenLake> => {
    const { name } = connection;
    const known = opened.get(name) ?? import('./spark/open-spark.ts').then(({ openLake }) => openLake(connection));
    opened.set(name, known);
    // One that was away is asked again.
    known.catch(() => opened.delete(name));
    return known;
  };
  return {
    ...warehouse,
    lakes: new Map(connections.map((connection) => [connection.name, { open: () => open(connection) }] as const)),
    close: async () => {
      for (const lake of opened.values()) await (await lake.catch(() => undefined))?.close();
      await warehouse.close();
    },
  };
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
