import { readFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import type { PostgresConnection } from '../../core/warehouse/connection-config.ts';
import { passwordFromFile } from './password-file.ts';
import { readService } from './service-file.ts';

type SslMode = NonNullable<PostgresConnection['sslmode']>;

/** Everything needed to connect, resolved in libpq's order: the connection, its service, the PG* environment, defaults. */
export interface ResolvedConnection {
  readonly client: ClientConfig;
  /** Where this leads, without any secret. */
  readonly target: string;
  /** TLS is tried first and plain text second. */
  readonly sslFallback: boolean;
}

export async function resolveConnection(
  connection: PostgresConnection,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ResolvedConnection> {
  const serviceName = connection.service ?? (connection.host === undefined ? env.PGSERVICE : undefined);
  const service = serviceName === undefined ? new Map<string, string>() : await readService(serviceName, env);
  const host = connection.host ?? service.get('host') ?? env.PGHOST ?? 'localhost';
  const port = connection.port ?? Number(service.get('port') ?? env.PGPORT ?? 5432);
  const user = connection.user ?? service.get('user') ?? env.PGUSER ?? userInfo().username;
  const database = connection.database ?? service.get('dbname') ?? env.PGDATABASE ?? user;
  const password =
    connection.password ??
    service.get('password') ??
    env.PGPASSWORD ??
    (await passwordFromFile({ host, port, database, user }, env));
  const socket = host.startsWith('/');
  const sslmode = socket ? 'disable' : (connection.sslmode ?? sslModeOf(service.get('sslmode') ?? env.PGSSLMODE));
  return {
    client: {
      host,
      port,
      user,
      database,
      // Given as a function, so that the driver does not look for one by itself.
      password: () => password ?? '',
      ssl: await tlsOf(sslmode, service.get('sslrootcert') ?? env.PGSSLROOTCERT),
      application_name: 'backfill-assistant',
      connectionTimeoutMillis: Number(env.PGCONNECT_TIMEOUT ?? 15) * 1000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
    },
    target: `postgres://${user}@${socket ? `[${host}]` : host}:${port}/${database}`,
    sslFallback: sslmode === 'prefer',
  };
}

function sslModeOf(text: string | undefined): SslMode {
  switch (text) {
    case 'disable':
    case 'require':
    case 'verify-ca':
    case 'verify-full':
      return text;
    default:
      return 'prefer';
  }
}

async function tlsOf(mode: SslMode, rootCertificate: string | undefined): Promise<NonNullable<ClientConfig['ssl']>> {
  if (mode === 'disable') return false;
  if (mode === 'prefer' || mode === 'require') return { rejectUnauthorized: false };
  const file = rootCertificate ?? join(homedir(), '.postgresql', 'root.crt');
  const ca = file === 'system' ? undefined : await readFile(file, 'utf8').catch(() => undefined);
  return {
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    // verify-ca trusts the chain and not the name.
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  };
}
