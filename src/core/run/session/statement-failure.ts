import type { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { RenderedStatement } from '../unit/unit-job.ts';

/** A statement of the user's task failed; keeps which one. */
export class StatementFailure extends Error {
  override readonly name = 'StatementFailure';
  constructor(
    readonly statement: RenderedStatement,
    readonly error: WarehouseError,
    /** The statement cannot be carried out in this way at all. */
    readonly refused: boolean,
  ) {
    super(error.message, { cause: error });
  }
}
