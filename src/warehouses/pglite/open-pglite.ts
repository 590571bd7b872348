import type { PgliteConnection } from '../../core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../../core/warehouse/port/ports.ts';
import { checkDirectory } from './check-directory.ts';
import { lockDirectory } from './directory-lock.ts';
import { diskFullError } from './disk-full.ts';
import { unpackInitialDirectory } from './initial-directory.ts';
import { PgliteEngine } from './pglite-engine.ts';
import { PgliteSession, PgliteTurns } from './pglite-session.ts';

/**
 * Opens the embedded database: one process, one session, no fsync. A sandbox, not a warehouse. Throws
 * {@link WarehouseError} where another process has the directory, its files are damaged, or they are others.
 */
export async function openPglite(connection: PgliteConnection): Promise<Warehouse> {
  checkDirectory(connection.directory);
  const unlock = lockDirectory(connection.directory);
  const engine = new PgliteEngine(connection.directory);
  try {
    await unpackInitialDirectory(connection.directory);
    await engine.start();
  } catch (error) {
    unlock();
    throw diskFullError(connection.directory, error) ?? error;
  }
  const turns = new PgliteTurns();
  const open = new Set<PgliteSession>();
  return {
    description: {
      engine: 'pglite',
      serverVersion: engine.serverVersion,
      target: `pglite:${connection.directory}`,
      protected: connection.protected,
    },
    maxSessions: 1,
    leases: 'exclusive',
    connect: async () => {
      const session = new PgliteSession(engine, turns, (closed) => open.delete(closed));
      open.add(session);
      return session;
    },
    close: async () => {
      await Promise.all([...open].map((session) => session.close()));
      await engine.close();
      unlock();
    },
  };
}
