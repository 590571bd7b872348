import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureLedger } from '../../../src/core/ledger/ensure-ledger.ts';
import type { PostgresConnection } from '../../../src/core/warehouse/port/connection-config.ts';
import type { Session, Warehouse } from '../../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../../src/warehouses/open.ts';
import { asSuperuser, type PostgresServer, startPostgres } from '../postgres-server.ts';
import { buildCli, type CliProcess, startCli } from './cli-process.ts';
import { type CommittedEffects, readEffects } from './committed-effects.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { steadySession } from './steady-session.ts';
import { leaseMs, lockTimeoutMs } from './strike.ts';

/** A server that may be broken in any way, all that watches it, and the command line that works on it. */
export interface Theatre {
  readonly server: PostgresServer;
  /** Past the proxy. */
  readonly warehouse: Warehouse;
  readonly session: Session;
  readonly effects: CommittedEffects;
  readonly disk: SmallDisk | undefined;
  readonly root: string;
  /** As a runner reaches it that connects to another port. */
  readonly through: (port: number) => Promise<Warehouse>;
  /** The workspace's command line as a process, connected to a port. */
  readonly cli: (port: number, words: readonly string[], settings: CliSettings) => CliProcess;
  close(): Promise<void>;
}

export async function openTheatre(): Promise<Theatre> {
  const disk = await mountSmallDisk();
  const server = await startPostgres([
    'max_connections=40',
    'deadlock_timeout=200ms',
    'wal_level=logical',
    // What is killed here are processes, never the machine.
    'fsync=off',
  ]);
  if (disk !== undefined) await asSuperuser(server, 'postgres', `create tablespace small location '${disk.directory}'`);
  const database = 'faults';
  await asSuperuser(server, 'postgres', `create database ${database}${disk === undefined ? '' : ' tablespace small'}`);
  const { host, port, user, password } = server;
  const connection: PostgresConnection = {
    name: 'here',
    engine: 'postgres',
    protected: false,
    settings: {},
    airflowIds: [],
    host,
    port,
    user,
    password,
    database,
    service: undefined,
    sslmode: 'disable',
  };
  const warehouse = await openWarehouse(connection);
  const session = steadySession(warehouse);
  await ensureLedger(warehouse, session);
  const effects = await readEffects(session);
  const { folder, program } = await buildCli();
  const root = mkdtempSync(join(tmpdir(), 'backfill-faults-'));
  return {
    server,
    warehouse,
    session,
    effects,
    disk,
    root,
    through: (other) => openWarehouse({ ...connection, port: other }),
    cli: (other, words, settings) => {
      writeFileSync(join(root, 'backfill.yaml'), yamlOf(settings));
      return startCli(program, words, {
        cwd: root,
        env: {
          PGHOST: host,
          PGPORT: String(other),
          PGUSER: user,
          PGPASSWORD: password,
          PGDATABASE: database,
          PGSSLMODE: 'disable',
        },
      });
    },
    close: async () => {
      await warehouse.close();
      await server.stop();
      await disk?.close();
      for (const one of [folder, root]) rmSync(one, { recursive: true, force: true });
    },
  };
}

export interface CliSettings {
  readonly timezone: string;
  readonly lockTable: boolean;
}

const yamlOf = ({ timezone, lockTable }: CliSettings): string => `version: 1
connections:
  here: { engine: postgres, airflowIds: [warehouse], settings: { timezone: ${timezone} } }
airflow: { version: 2 }
run: { concurrency: 3, hold: false, lease: ${leaseMs}ms, lockTimeout: ${lockTimeoutMs}ms, lockTable: ${lockTable} }
`;
