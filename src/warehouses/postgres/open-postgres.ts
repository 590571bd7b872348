import pg from 'pg';
import type { PostgresConnection } from '../../core/warehouse/port/connection-config.ts';
import type { Session, Warehouse } from '../../core/warehouse/port/ports.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { type ResolvedConnection, resolveConnection } from './client-options.ts';
import { driverError } from './driver-error.ts';
import { PostgresSession } from './postgres-session.ts';
import { fitToEncoding } from './server-encoding.ts';

/** Sessions beyond this are refused by most servers' defaults before they are useful. */
const maxSessions = 16;

/**
 * Set when the session starts, so that a task's RESET ALL falls back to them and not to "wait for ever", nor to a limit
 * that the server has for transactions of another kind. A server that does not know some of them is asked again without.
 */
const startupSettings = ['lock_timeout=30s', 'idle_in_transaction_session_timeout=10min', 'statement_timeout=0'];
const settingsSince14 = [...startupSettings, 'client_connection_check_interval=2s', 'idle_session_timeout=0'];
const settingsSince17 = [...settingsSince14, 'transaction_timeout=0'];
/** The most first. */
const settingsByServer = [settingsSince17, settingsSince14, startupSettings];

/** One session is opened first, for version and encoding, and to refuse a pooler in between. Throws {@link WarehouseError}. */
export async function openPostgres(connection: PostgresConnection): Promise<Warehouse> {
  const resolved = await resolveConnection(connection);
  const open = new Set<PostgresSession>();

  let known: readonly (readonly string[])[] = settingsByServer;
  let fit: ((value: string) => string) | undefined;
  const connect = async (): Promise<Session> => {
    const { client, settings } = await connectClient(resolved, known);
    known = [settings];
    const session = new PostgresSession(
      client,
      () => cancelBackend(resolved, client, settings),
      fit,
      (closed) => open.delete(closed),
    );
    open.add(session);
    return session;
  };

  const first = await connect();
  try {
    const pid = (await first.query('select pg_catalog.pg_backend_pid()')).rows[0]?.[0];
    const own = [...open][0]?.processId;
    if (own !== undefined && pid !== String(own)) throw poolerError();
    const told = "select pg_catalog.current_setting('server_version'), pg_catalog.current_setting('server_encoding')";
    const [version, encoding] = (await first.query(told)).rows[0] ?? [];
    fit = fitToEncoding(encoding ?? 'UTF8');
    return {
      description: {
        engine: 'postgres',
        serverVersion: version ?? 'unknown',
        target: resolved.target,
        protected: connection.protected,
      },
      maxSessions,
      leases: 'server',
      connect,
      close: async () => {
        await Promise.all([...open].map((session) => session.close()));
      },
    };
  } finally {
    await first.close();
  }
}

function poolerError(cause?: unknown): WarehouseError {
  return new WarehouseError(
    'connection',
    'A connection pooler (such as PgBouncer) answers at this address: it may hand the statements of one session to ' +
      'different server connections and hides them, so locks, session settings and cancelling do not hold.',
    false,
    { hint: 'Connect to the PostgreSQL server itself (often port 5432).', cause },
  );
}

async function connectClient(
  resolved: ResolvedConnection,
  known: readonly (readonly string[])[],
): Promise<{ readonly client: pg.Client; readonly settings: readonly string[] }> {
  const attempts: { settings: readonly string[]; ssl: NonNullable<pg.ClientConfig['ssl']> }[] = [];
  const tls = resolved.client.ssl ?? false;
  for (const settings of known) {
    attempts.push({ settings, ssl: tls });
    if (resolved.sslFallback) attempts.push({ settings, ssl: false });
  }
  let plainRefused: unknown;
  for (let index = 0; index < attempts.length; ) {
    const attempt = attempts[index];
    if (attempt === undefined) break;
    const client = new pg.Client({
      ...resolved.client,
      ssl: attempt.ssl,
      options: attempt.settings.map((setting) => `-c ${setting}`).join(' '),
    });
    try {
      await client.connect();
      return { client, settings: attempt.settings };
    } catch (error) {
      plainRefused = error;
      await client.end().catch(() => undefined);
      const next = nextAttempt(error, attempts, index);
      if (next === undefined) break;
      index = next;
    }
  }
  throw connectError(plainRefused);
}

/** Plain text after a server without TLS; fewer settings after one that does not know them; else nothing helps. */
function nextAttempt(
  error: unknown,
  attempts: readonly { settings: readonly string[]; ssl: unknown }[],
  index: number,
): number | undefined {
  const { code, message } = error as { code?: string; message?: string };
  const current = attempts[index];
  if (message?.includes('does not support SSL') && attempts[index + 1]?.ssl === false) return index + 1;
  if (code === '42704' || code === '22023') {
    const next = attempts.findIndex((attempt, at) => at > index && attempt.settings !== current?.settings);
    return next < 0 ? undefined : next;
  }
  return undefined;
}

function connectError(error: unknown): WarehouseError {
  const { code, message } = error as { code?: string; message?: string };
  // PgBouncer refuses what it cannot hand on.
  if (code === '08P01' && message?.includes('unsupported startup parameter')) return poolerError(error);
  return driverError(error);
}

/** Asks on a connection of its own; the answer that counts is how the cancelled statement ends. */
async function cancelBackend(
  resolved: ResolvedConnection,
  client: pg.Client,
  settings: readonly string[],
): Promise<void> {
  const { processID } = client as unknown as { processID: number };
  const { client: second } = await connectClient(resolved, [settings]);
  try {
    await second.query('select pg_catalog.pg_cancel_backend($1)', [processID]);
  } finally {
    await second.end().catch(() => undefined);
  }
}
