import { status } from '@grpc/grpc-js';
import { warehouseErrorOf } from '../../core/warehouse/port/sql-state.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';

/** What a gRPC call ends with. */
interface CallError {
  readonly code?: number;
  readonly details?: string;
  readonly message?: string;
}

/** What Spark or the network said, sorted. `authority`: where it was asked. */
export function connectError(error: unknown, authority: string): WarehouseError {
  if (error instanceof WarehouseError) return error;
  const { code, details, message: raw = String(error) } = error as CallError;
  const said = (details ?? raw).trim();
  const cause = { cause: error };
  switch (code) {
    case status.UNAVAILABLE:
      return new WarehouseError('connection', `Spark at ${authority} cannot be reached: ${firstLine(said)}`, true, {
        ...cause,
        hint: 'Look whether its Connect server runs (start-connect-server.sh) and whether host, port and use_ssl are right.',
      });
    case status.UNIMPLEMENTED:
      return new WarehouseError('connection', `What answers at ${authority} is no Spark Connect server.`, false, {
        ...cause,
        hint: 'Name the port of the Connect server (15002 by default), not that of Thrift, of the master or of the pages.',
      });
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
      return new WarehouseError('permission', `Spark at ${authority} refuses this user: ${firstLine(said)}`, false, {
        ...cause,
        hint: 'Look at token and user_id of the connection.',
      });
    case status.CANCELLED:
      return cancelled(cause.cause);
  }
  if (code === status.INTERNAL && /RST_STREAM|connection (?:dropped|closed|reset)/i.test(said))
    return new WarehouseError(
      'connection',
      `The connection to Spark at ${authority} was lost: ${firstLine(said)}`,
      true,
      cause,
    );
  if (/OPERATION_CANCELED|was cancelled|\bcancelled because\b/i.test(said) || errorClass(said) === 'OPERATION_CANCELED')
    return cancelled(error);
  if (/INVALID_HANDLE\.(?:SESSION|OPERATION)/.test(said))
    return new WarehouseError('connection', `Spark has closed the session: ${firstLine(said)}`, true, {
      ...cause,
      hint: 'Spark was started anew, or ended the session because it had been idle for long.',
    });
  const sqlState = /SQLSTATE: ([0-9A-Z]{5})/.exec(said)?.[1];
  const message = sparkMessage(said);
  if (sqlState === undefined) {
    // Without a code of its own it is the statement that failed, not the connection.
    return new WarehouseError(/^\[PARSE/.test(said) ? 'syntax' : 'other', message, false, cause);
  }
  const sorted = warehouseErrorOf({ message, sqlState, cause: error });
  // The remedies of a code are those of PostgreSQL, and Spark's 08* and 57* are no lost connections.
  return new WarehouseError(sorted.kind === 'connection' ? 'other' : sorted.kind, message, false, {
    sqlState,
    cause: error,
  });
}

const cancelled = (cause: unknown): WarehouseError =>
  new WarehouseError('cancelled', 'The statement was cancelled.', false, { sqlState: '57014', cause });

const errorClass = (said: string): string | undefined => /\[([A-Z_0-9.]+)\]/.exec(said)?.[1];

/** gRPC puts a note behind, which may be empty: then what comes before it is all that is known. */
const firstLine = (said: string): string => (said.split('\n')[0] ?? said).replace(/[.\s]*Resolution note:\s*$/, '');

/** Without the name of the Java class in front, the plan behind, and a call stack. */
function sparkMessage(said: string): string {
  const own = said.replace(/^\(?(?:[\w$]+\.)+[\w$]+\)?:?\s*/, '');
  const lines = own.split('\n');
  const end = lines.findIndex(
    (line) => /^(?:== SQL|'?[A-Z]\w+ |\s+at |JVM stacktrace|\+- )/.test(line.trimEnd()) && line !== lines[0],
  );
  return (end < 0 ? lines : lines.slice(0, end)).join('\n').trim();
}
