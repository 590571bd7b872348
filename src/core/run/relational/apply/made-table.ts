import {
  dropTableSql,
  madeTableSql,
  rowsBesideSql,
} from '../../../warehouse/dialects/postgres/effects/made-table-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { AppliedSlice } from '../../record/applied.ts';
import { type Target, tableSql } from '../../tables/target.ts';

/** The slices with what their tables are, where the unit made these: an undo drops a table that is still the same. */
export async function withMadeTables(
  session: Session,
  slices: readonly AppliedSlice[],
): Promise<readonly AppliedSlice[]> {
  const found: AppliedSlice[] = [];
  for (const slice of slices) {
    const isMade = slice.diff.before === undefined && slice.table.materialized === undefined;
    found.push(isMade ? { ...slice, made: await madeTable(session, slice.table.oid) } : slice);
  }
  return found;
}

const madeTable = async (session: Session, oid: string): Promise<string | undefined> =>
  (await session.query(madeTableSql, [oid])).rows[0]?.[0] ?? undefined;

/**
 * Drops the table of a slice that a unit made, which holds just the rows that it left. Gives why it is not the unit's
 * alone to drop, in words; `undefined`: it is gone.
 */
export async function dropMadeTable(
  session: Session,
  { relation }: Target,
  made: string | null | undefined,
): Promise<string | undefined> {
  if (relation === undefined) return 'the table is gone';
  const { table, predicate } = relation;
  if (made === null || made === undefined) return 'the unit made the table, and what it was like was not kept';
  if ((await madeTable(session, table.oid)) !== made)
    return 'the unit made the table, and it was made or altered anew since (its columns, indexes, rights, triggers or comments)';
  const [beside] = (await session.query(rowsBesideSql(tableSql(table), predicate))).rows[0] ?? [];
  if (beside === 't') return 'the unit made the table, and it holds rows of others by now';
  await session.query('savepoint backfill_drop');
  try {
    await session.query(dropTableSql(tableSql(table)));
    return undefined;
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.detail.sqlState !== '2BP01') throw error;
    await session.query('rollback to savepoint backfill_drop');
    return `the unit made the table, and other objects depend on it by now: ${error.message}`;
  }
}
