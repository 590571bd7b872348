import type { Session } from '../../warehouse/ports.ts';
import { WarehouseError } from '../../warehouse/warehouse-error.ts';
import type { RenderedStatement, UnitJob } from '../unit-job.ts';
import type { Position } from './marker.ts';
import { applySettings, protectiveSettings } from './session-settings.ts';

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

/**
 * Sends the task's statements in order, one a message. After each the transaction must still be the unit's own, and the
 * protective settings are put back; after the last one `leaving` is set as well.
 */
export async function runStatements(
  unit: {
    readonly session: Session;
    readonly job: UnitJob;
    readonly plan: { readonly statements: readonly RenderedStatement[] };
    readonly position: Position;
  },
  leaving: Readonly<Record<string, string>>,
): Promise<void> {
  const { session, job, plan, position } = unit;
  for (const statement of plan.statements) {
    try {
      await session.query(statement.text);
    } catch (error) {
      if (!(error instanceof WarehouseError)) throw error;
      const endsTransaction = error.detail.sqlState?.startsWith('2D') || error.detail.sqlState === '25001';
      throw new StatementFailure(statement, error, endsTransaction === true);
    }
    const last = statement === plan.statements.at(-1);
    const transaction = await applySettings(session, last ? leaving : {}, protectiveSettings(job.options));
    if (transaction !== position.transaction) {
      const error = new WarehouseError(
        'other',
        'The statement ended the transaction of its unit: what it wrote may be committed.',
        false,
        { hint: 'Take COMMIT and ROLLBACK out of the procedures that the task calls.' },
      );
      throw new StatementFailure(statement, error, true);
    }
  }
}
