import type { ConnectionConfig } from '../core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../core/warehouse/port/ports.ts';

/** Opens the engine of a connection; its driver is loaded only then. Throws {@link WarehouseError}. */
export async function openWarehouse(connection: ConnectionConfig): Promise<Warehouse> {
  switch (connection.engine) {
    case 'postgres':
      return (await import('./postgres/open-postgres.ts')).openPostgres(connection);
    case 'pglite':
      return (await import('./pglite/open-pglite.ts')).openPglite(connection);
  }
}

/** Where a connection leads, as its warehouse will say it, without connecting and without secrets. Throws as {@link openWarehouse}. */
export async function targetOf(connection: ConnectionConfig): Promise<string> {
  switch (connection.engine) {
    case 'postgres':
      return (await (await import('./postgres/client-options.ts')).resolveConnection(connection)).target;
    case 'pglite':
      return `pglite:${connection.directory}`;
  }
}

/** Whether the engine lets one process in at a time, so that asking it while somebody else has it is in vain. */
export const servesOneProcess = ({ engine }: ConnectionConfig): boolean => engine === 'pglite';
