import { emptySliceSql } from '../../../warehouse/dialects/postgres/slice/left-over-sql.ts';
import { hasRowsSql } from '../../../warehouse/dialects/postgres/slice/stage-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import { type Target, tableSql } from '../../tables/target.ts';

/**
 * Takes all rows away from the slices that are a unit's alone, so that its statements find nothing of earlier runs. For
 * transactions that are rolled back. Throws {@link WarehouseError} where rows cannot be taken away, or stay.
 */
export async function emptySlices(session: Session, targets: readonly Target[]): Promise<void> {
  for (const { slice, relation } of targets) {
    if (slice.shared !== undefined || relation === undefined) continue;
    const { table, predicate } = relation;
    if (table.rowSecurity) throw kept(table.qualified, 'row security may hide some of them');
    await session.query(emptySliceSql(tableSql(table), predicate));
    const [left] = (await session.query(hasRowsSql(tableSql(table), predicate))).rows[0] ?? [];
    if (left === 't') throw kept(table.qualified, 'a trigger or a rule keeps some of them');
  }
}

const kept = (table: string, why: string): WarehouseError =>
  new WarehouseError('other', `The rows of ${table} cannot be taken away: ${why}.`, false, {});
