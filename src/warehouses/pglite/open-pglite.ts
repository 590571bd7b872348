import type { PgliteConnection } from '../../core/warehouse/connection-config.ts';
import type { Warehouse } from '../../core/warehouse/ports.ts';
export async function openPglite(connection: PgliteConnection): Promise<Warehouse> {
  throw new Error(connection.directory);
}
