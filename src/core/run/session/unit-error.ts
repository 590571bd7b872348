import { isNotServing } from '../../warehouse/port/sql-state.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { UnitError } from '../unit/unit-outcome.ts';
import { StatementFailure } from './statement-failure.ts';

/** What the world did, as the outcome of a unit; anything else is a bug and goes on as it is. */
export function unitErrorOf(thrown: unknown): UnitError {
  if (thrown instanceof StatementFailure) {
    const { error, statement, refused } = thrown;
    return {
      ...ofWarehouse(error),
      ...(refused ? { kind: 'refused' as const, retryable: false } : {}),
      statement: statement.text,
    };
  }
  if (thrown instanceof WarehouseError) return ofWarehouse(thrown);
  throw thrown;
}

/** As {@link unitErrorOf}, of what came in the place of a session: nothing of the unit has begun, and a server may come back. */
export function noSessionErrorOf(thrown: unknown): UnitError {
  const error = unitErrorOf(thrown);
  return isLost(error) ? { ...error, away: true } : error;
}

/** The connection was lost, or there was none, and another one may be had. */
export const isLost = ({ kind, retryable }: Pick<UnitError, 'kind' | 'retryable'>): boolean =>
  retryable && kind === 'connection';

function ofWarehouse(error: WarehouseError): UnitError {
  const timedOut = error.kind === 'cancelled';
  return {
    kind: timedOut ? 'timeout' : error.kind,
    message: error.message,
    remedy: error.detail.hint ?? (timedOut ? 'Raise the statement time-out, or look who cancelled it.' : undefined),
    retryable: error.retryable,
    ...(error.retryable && isNotServing(error.detail.sqlState) ? { away: true } : {}),
    sqlState: error.detail.sqlState,
    statement: undefined,
  };
}

/** The statement was stopped, or the next one not sent; not: it ran out of its own time. */
export function isCancellation(thrown: unknown): boolean {
  const error = thrown instanceof StatementFailure ? thrown.error : thrown;
  return error instanceof WarehouseError && error.kind === 'cancelled';
}
