import { userInfo } from 'node:os';
import type { SparkConnection } from '../../core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../../core/warehouse/port/ports.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { ConnectClient } from './connect-client.ts';
import { parseConnectUrl } from './connect-url.ts';
import { SparkSession } from './spark-session.ts';
import { sparkTarget } from './spark-target.ts';

/** The first version whose statements and answers were tried. */
const oldest = 4;

/** Settings that decide what our own statements mean, whatever the server's defaults are. */
const ownSettings = ['set spark.sql.session.timeZone = UTC', 'set spark.sql.parser.escapedStringLiterals = false'];

/**
 * Opens a Spark Connect server, and with `openLedger` the database that has the claims and records of its units. Throws
 * {@link WarehouseError}.
 */
export async function openSpark(connection: SparkConnection, openLedger: () => Promise<Warehouse>): Promise<Warehouse> {
  const client = new ConnectClient(parseConnectUrl(connection.url), connection.token, userInfo().username);
  const open = new Set<SparkSession>();
  const connect = async (): Promise<SparkSession> => {
    const session = new SparkSession(client, (closed) => open.delete(closed));
    open.add(session);
    return session;
  };
  const close = async (): Promise<void> => {
    await Promise.all([...open].map((session) => session.close()));
    client.close();
  };
  try {
    const version = await versionOf(await connect());
    const ledger = await openLedger();
    const { description } = ledger;
    return {
      ...ledger,
      description: {
        ...description,
        target: sparkTarget(connection.url, description.target),
        protected: connection.protected,
      },
      lake: {
        serverVersion: version,
        connect: async (purpose) => {
          const session = await connect();
          if (purpose === 'own') for (const setting of ownSettings) await session.query(setting);
          return session;
        },
      },
      close: async () => {
        await close();
        await ledger.close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function versionOf(session: SparkSession): Promise<string> {
  try {
    const version = (await session.query('select version()')).rows[0]?.[0]?.split(' ')[0] ?? '';
    if (!(Number.parseInt(version, 10) >= oldest))
      throw new WarehouseError('other', `The server has Spark ${version || 'of no known version'}.`, false, {
        hint: `Runs go by what Spark ${oldest} does: use a server of that version or later.`,
      });
    return version;
  } finally {
    await session.close();
  }
}
