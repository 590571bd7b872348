import { readFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { applicationName, type PostgresConnection } from '../../core/warehouse/port/connection-config.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
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
      ssl: await tlsOf(sslmode, connection.sslrootcert ?? service.get('sslrootcert') ?? env.PGSSLROOTCERT),
      application_name: applicationName,
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

/**
 * As libpq: `require` checks the chain as soon as root certificates are named. One difference: where none are named and
 * the usual file is missing, the machine's own are taken.
 */
async function tlsOf(mode: SslMode, named: string | undefined): Promise<NonNullable<ClientConfig['ssl']>> {
  if (mode === 'disable') return false;
  if (mode === 'prefer' || (mode === 'require' && named === undefined)) return { rejectUnauthorized: false };
  const ca = named === 'system' ? undefined : await rootCertificates(named);
  return {
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    // Only verify-full holds the server to its name, and a root that anyone can get a certificate from demands it.
    ...(mode === 'verify-full' || named === 'system' ? {} : { checkServerIdentity: () => undefined }),
  };
}

/** The text of the named file, which must be there; else of libpq's usual one, if it is. */
async function rootCertificates(named: string | undefined): Promise<string | undefined> {
  try {
    return await readFile(named ?? join(homedir(), '.postgresql', 'root.crt'), 'utf8');
  } catch (error) {
    if (named === undefined) return undefined;
    throw new WarehouseError('missing', `The root certificate ${named} cannot be read.`, false, {
      hint: 'Check sslrootcert of the connection or its service, or PGSSLROOTCERT.',
      cause: error,
    });
  }
}
