import { userInfo } from 'node:os';
import type { LakeConnection, SparkConnection } from '../../core/warehouse/port/connection-config.ts';
import type { Lake, Warehouse } from '../../core/warehouse/port/ports.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { ConnectClient } from './connect-client.ts';
import { parseConnectUrl } from './connect-url.ts';
import { SparkSession } from './spark-session.ts';
import { sparkTarget } from './spark-target.ts';

/** The first version whose statements and answers were tried. */
const oldest = 4;

/** Settings that decide what our own statements mean, whatever the server's defaults are. */
const ownSettings = ['set spark.sql.session.timeZone = UTC', 'set spark.sql.parser.escapedStringLiterals = false'];

/** A Spark that is reached; closing it ends the sessions that are left. */
export interface OpenLake extends Lake {
  close(): Promise<void>;
}

/**
 * Opens a Spark Connect server, and with `openLedger` the database that has the claims and records of its units. Throws
 * {@link WarehouseError}.
 */
export async function openSpark(connection: SparkConnection, openLedger: () => Promise<Warehouse>): Promise<Warehouse> {
  const lake = await openLake(connection);
  try {
    const ledger = await openLedger();
    const { description } = ledger;
    const target = sparkTarget(connection.url, description.target);
    return {
      ...ledger,
      description: { ...description, target, protected: connection.protected },
      lake,
      lakes: new Map([...(ledger.lakes ?? []), [connection.name, { open: async () => lake }]]),
      close: async () => {
        await lake.close();
        await ledger.close();
      },
    };
  } catch (error) {
    await lake.close();
    throw error;
  }
}

/** Throws {@link WarehouseError}. */
export async function openLake(connection: LakeConnection): Promise<OpenLake> {
  const { missing = [], name } = connection;
  if (missing.length > 0)
    throw new WarehouseError(
      'other',
      `Connection ${name} needs the environment variable ${missing.join(', ')}, which is not set.`,
      false,
    );
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
    return {
      serverVersion: await versionOf(await connect()),
      connect: async (purpose) => {
        const session = await connect();
        if (purpose === 'own') for (const setting of ownSettings) await session.query(setting);
        return session;
      },
      close,
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
