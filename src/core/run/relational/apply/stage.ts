import type { SliceRelation } from '../../../diff/slice-relation.ts';
import { quoteTableName } from '../../../warehouse/dialects/postgres/quote.ts';
import { hasRowsSql, stageColumnsSql, touchedSql } from '../../../warehouse/dialects/postgres/slice/stage-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { StatementFailure } from '../../session/statement-failure.ts';
import { tableSql } from '../../tables/target.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { type Position, readPosition } from '../task/position.ts';
import { readCatalogWrites, runStatement } from '../task/run-statements.ts';
import { fillSql, type SliceReplacement, sliceReplacement } from '../task/slice-replacement.ts';

/** The rows that a task would fill its slice with, in a temporary table. */
export interface Stage {
  readonly replacement: SliceReplacement;
  readonly relation: SliceRelation;
  /** Columns of the target that can be written to. */
  readonly writable: readonly string[];
  /** How many rows are staged, wherever they lie. */
  readonly rows: number;
  /** Whether the query wrote to a catalog, by the functions that it calls. */
  readonly catalogWritten: boolean;
}

export const stageTable = 'pg_temp.backfill_stage';

/**
 * Runs the query of a slice replacement into a table of its own, so that nothing is written where the slice holds these
 * rows already. No stage for any other task or for an empty slice, and none where the rows might depend on the slice or
 * the target does more with them than keep them: the task is then run as it is written. Whether the query reads the
 * target, itself or by way of views and functions, is told from the locks that it took. Leaves the position to count
 * from. Throws {@link StatementFailure}.
 */
export async function openStage(
  unit: OpenUnit,
  leaving: Readonly<Record<string, string>>,
): Promise<{ readonly stage: Stage | undefined; readonly position: Position }> {
  const { session, job, plan, targets, position } = unit;
  const none = { stage: undefined, position };
  const replacement = sliceReplacement(plan.statements, job.slices);
  const relation = targets[0]?.relation;
  // What another role sees and may is not what this one would find out, and what stays is done once.
  if (job.role !== undefined || job.outside !== undefined) return none;
  if (job.restores !== undefined || job.options.compare === 'none' || targets.length > 1) return none;
  if (replacement === undefined || relation === undefined) return none;
  const found = await stageColumns(session, relation, replacement);
  if (found === undefined) return none;
  await session.query('savepoint backfill_stage');
  const [filled] = (await session.query(hasRowsSql(tableSql(relation.table), relation.predicate))).rows[0] ?? [];
  // The lock of this look goes with it.
  await session.query('rollback to savepoint backfill_stage');
  if (filled !== 't') return none;
  const filledStage = await fill(unit, replacement, relation, found.columns, leaving);
  if (filledStage) return { stage: { replacement, relation, writable: found.writable, ...filledStage }, position };
  await session.query('rollback to savepoint backfill_stage');
  // What functions wrote meanwhile stays counted.
  return { stage: undefined, position: await readPosition(session, plan.statements) };
}

/**
 * Columns and checks, as SQL, of a table that takes the rows which a replacement would put into its target; `undefined`
 * where the target does more with rows than keep them, or the transaction has looked at it already.
 */
export async function stageColumns(
  session: Session,
  relation: SliceRelation,
  { clear, target }: SliceReplacement,
): Promise<{ readonly columns: string; readonly writable: readonly string[] } | undefined> {
  const right = /^\s*truncate\b/i.test(clear.text) ? 'TRUNCATE' : 'DELETE';
  const values = [relation.table.oid, oidsOf(relation), quoteTableName(target), right];
  const [columns, writable] = (await session.query(stageColumnsSql, values)).rows[0] ?? [];
  return columns && writable ? { columns, writable: JSON.parse(writable) as string[] } : undefined;
}

const oidsOf = ({ table }: SliceRelation): string => `{${table.storage.join(',')}}`;

/** Whether the transaction has looked at the target of a slice, or written to it, in whatever way. */
export const hasTouched = async (session: Session, relation: SliceRelation): Promise<boolean> =>
  (await session.query(touchedSql, [oidsOf(relation)])).rows[0]?.[0] !== 'f';

/** `undefined` where the rows do not fit, or may not be those that the emptied slice would be filled with. */
async function fill(
  unit: OpenUnit,
  replacement: SliceReplacement,
  relation: SliceRelation,
  columns: string,
  leaving: Readonly<Record<string, string>>,
): Promise<Pick<Stage, 'rows' | 'catalogWritten'> | undefined> {
  const { session } = unit;
  let ran: Awaited<ReturnType<typeof runStatement>>;
  let before: string;
  try {
    await session.query(`create temporary table ${stageTable} (${columns}) on commit drop`);
    before = await readCatalogWrites(session);
    ran = await runStatement(unit, replacement.fill, fillSql(stageTable, replacement), leaving);
  } catch (error) {
    if (!(error instanceof StatementFailure) || error.refused || error.error.retryable) throw error;
    if (error.error.kind === 'cancelled' || error.error.kind === 'connection') throw error;
    return undefined;
  }
  const { rows, catalogWrites } = ran;
  if (rows === undefined || (await hasTouched(session, relation))) return undefined;
  return { rows, catalogWritten: catalogWrites !== before };
}
