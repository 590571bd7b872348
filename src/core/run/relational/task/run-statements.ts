import { catalogWritesSql } from '../../../warehouse/dialects/postgres/effects/lasting-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import { applySettings, protectiveSettings, settleStatement } from '../../session/session-settings.ts';
import { StatementFailure } from '../../session/statement-failure.ts';
import type { RenderedStatement, UnitJob } from '../../unit/unit-job.ts';
import type { Position } from './position.ts';

/** What sending a statement of a task needs to know of its unit. */
interface Sender {
  readonly session: Session;
  readonly job: UnitJob;
  readonly position: Position;
}

/**
 * Sends the task's statements in order, one a message, as the role that its operator names. After each the transaction
 * must still be the unit's own, and the protective settings are put back; after the last one `leaving` is set as well.
 * Tells whether they wrote to a catalog.
 */
export async function runStatements(
  unit: Sender & { readonly plan: { readonly statements: readonly RenderedStatement[] } },
  leaving: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { statements } = unit.plan;
  const { role } = unit.job;
  if (role !== undefined) await applySettings(unit.session, { role });
  const before = await readCatalogWrites(unit.session);
  let catalogWrites = before;
  for (const statement of statements) {
    const last = statement === statements.at(-1);
    ({ catalogWrites } = await runStatement(unit, statement, statement.text, last ? leaving : {}));
  }
  return catalogWrites !== before;
}

/** To be compared with what a statement tells of itself; own temporary tables count too, so it is read next to it. */
export const readCatalogWrites = async (session: Session): Promise<string> =>
  (await session.query(`select ${catalogWritesSql}`)).rows[0]?.[0] ?? '';

/** What came of one statement. */
interface Ran {
  /** Affected. */
  readonly rows: number | undefined;
  readonly catalogWrites: string;
}

/** Sends a statement as it is, or another text in its place. Throws {@link StatementFailure}. */
export async function runStatement(
  unit: Sender,
  statement: RenderedStatement,
  text: string,
  leaving: Readonly<Record<string, string>>,
): Promise<Ran> {
  const { session, job, position } = unit;
  const rows = await sendFor(unit, statement, text);
  const { transaction, catalogWrites } = await settleStatement(session, leaving, protectiveSettings(job.options));
  if (transaction !== position.transaction) {
    const error = new WarehouseError(
      'other',
      'The statement ended the transaction of its unit: what it wrote may be committed.',
      false,
      { hint: 'Take COMMIT and ROLLBACK out of the procedures that the task calls.' },
    );
    throw new StatementFailure(statement, error, true);
  }
  return { rows, catalogWrites };
}

/** Sends a text for a statement, which is what an error is said of; gives the rows affected. Throws {@link StatementFailure}. */
export async function sendFor(
  { session, job }: Omit<Sender, 'position'>,
  statement: RenderedStatement,
  text: string,
): Promise<number | undefined> {
  try {
    return (await session.query(text)).rowCount;
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    const endsTransaction = error.detail.sqlState?.startsWith('2D') || error.detail.sqlState === '25001';
    throw new StatementFailure(
      statement,
      endsTransaction ? withRemedy(error, job.task) : error,
      endsTransaction === true,
    );
  }
}

/** The server found out that a statement, or what it calls, cannot be part of a transaction. */
const withRemedy = (error: WarehouseError, task: string): WarehouseError =>
  new WarehouseError(error.kind, error.message, false, {
    ...error.detail,
    hint: `Take COMMIT and ROLLBACK out of what the task calls, or confirm that it is run without being one transaction: --not-atomic ${task}`,
  });
