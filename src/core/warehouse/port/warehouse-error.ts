export type WarehouseErrorKind =
  | 'connection'
  | 'permission'
  | 'timeout'
  | 'conflict'
  | 'syntax'
  | 'missing'
  | 'storage'
  | 'constraint'
  | 'cancelled'
  | 'other';

/** The world failed: what the engine said, sorted by what can be done about it. Thrown by sessions, caught at the edge of a unit. */
export class WarehouseError extends Error {
  override readonly name = 'WarehouseError';
  constructor(
    readonly kind: WarehouseErrorKind,
    message: string,
    /** Trying the same again may succeed (lost connection, deadlock, lock time-out); never for a cancelled statement. */
    readonly retryable: boolean,
    readonly detail: {
      readonly sqlState?: string | undefined;
      readonly hint?: string | undefined;
      /** 1-based character position in the statement, as Postgres reports it. */
      readonly position?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: detail.cause });
  }
}
