import { warehouseErrorOf } from '../../core/warehouse/port/sql-state.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';

const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'No server listens there: check host and port, and that the server runs.',
  ENOTFOUND: 'The host name is not known: check the host of the connection.',
  EAI_AGAIN: 'The host name could not be looked up: check the network.',
  ETIMEDOUT: 'The server did not answer: check host, port and firewall.',
  ENOENT: 'There is no server socket at that path: check the host of the connection.',
};

/** Failures of TLS set-up: trying again changes nothing. */
const tlsCode = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO)/;

/** Sorts what the driver threw: a server message by SQLSTATE, a socket error by its code, the driver's own refusals. */
export function driverError(error: unknown): WarehouseError {
  if (error instanceof WarehouseError) return error;
  const { code, message } = describe(error);
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && isServerMessage(error)) {
    const { detail, hint, position } = error;
    return warehouseErrorOf({
      message,
      sqlState: code,
      detail,
      hint,
      position: position === undefined ? undefined : Number(position),
      catalogRace: isCatalogRace(code, error),
      cause: error,
    });
  }
  if (message.includes('client password must be a')) {
    return new WarehouseError('permission', 'The server asks for a password and none is set.', false, {
      // The driver gives up before the server can say so itself.
      sqlState: '28P01',
      hint: 'Set PGPASSWORD, a .pgpass line, or the password of the connection in backfill.yaml.',
      cause: error,
    });
  }
  if (message.includes('does not support SSL')) {
    return new WarehouseError('connection', message, false, {
      hint: 'Set sslmode to prefer or disable.',
      cause: error,
    });
  }
  if (code !== undefined && tlsCode.test(code)) {
    return new WarehouseError('connection', `TLS: ${message}`, false, {
      hint: 'Check sslmode and the root certificate (sslrootcert of the connection, or PGSSLROOTCERT).',
      cause: error,
    });
  }
  return new WarehouseError('connection', message, true, {
    hint: code === undefined ? undefined : remedies[code],
    cause: error,
  });
}

interface ServerMessage {
  readonly severity: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly position?: string;
  readonly schema?: string;
  /** The function of the server that raised it. */
  readonly routine?: string;
}

/** Connecting to several addresses at once fails with one error per address; the first says enough. */
function describe(error: unknown): { code: string | undefined; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  const { code } = error as { code?: unknown };
  return { code: typeof code === 'string' ? code : undefined, message: error.message };
}

function isServerMessage(error: unknown): error is ServerMessage {
  return typeof (error as { severity?: unknown }).severity === 'string';
}

/** The server says neither in a code of its own. */
const isCatalogRace = (code: string, { schema, routine }: ServerMessage): boolean =>
  (code === '23505' && schema === 'pg_catalog') ||
  (code === 'XX000' && (routine === 'simple_heap_update' || routine === 'simple_heap_delete'));
