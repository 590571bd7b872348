import { rowTriggersSql } from '../../../warehouse/dialects/postgres/slice/before-image-sql.ts';
import { unitSavepoint } from '../../../warehouse/port/transaction-control.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { Applied } from '../../record/applied.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { readPosition } from '../task/position.ts';
import { applyTask } from './apply-task.ts';
import { NotAsBefore } from './before-image.ts';

/**
 * Puts the rows of before back. They are what triggers had made of them, or were written without those, so where the triggers
 * of the table make others of them once more, it is done again without them. What a trigger refuses stays refused. Throws
 * {@link WarehouseError}, which names them where they may not be switched off.
 */
export async function putBack(unit: OpenUnit, left?: Applied['left']): Promise<Applied> {
  try {
    return await applyTask(unit, left);
  } catch (error) {
    if (!(error instanceof NotAsBefore)) throw error;
    const { session, plan, targets } = unit;
    await session.query(`rollback to savepoint ${unitSavepoint}`);
    const oids = targets.flatMap(({ relation }) => relation?.table.oid ?? []);
    const triggers = (await session.query(rowTriggersSql, [`{${oids.join(',')}}`])).rows;
    if (triggers.length === 0) throw error;
    const [off, on] = [1, 2].map((index) => triggers.map((row) => String(row[index])));
    if (off === undefined || on === undefined || triggers.some(([may]) => may !== 't'))
      throw withTriggers(error, off, on);
    for (const statement of off) await session.query(statement);
    const applied = await applyTask({ ...unit, position: await readPosition(session, plan.statements) }, left);
    for (const statement of on) await session.query(statement);
    return { ...applied, notes: [...applied.notes, withoutThem] };
  }
}

const withoutThem = 'Triggers of the table that would have made other rows of those put back did not run for them.';

const withTriggers = (
  { kind, message, detail }: WarehouseError,
  off: readonly string[] = [],
  on: readonly string[] = [],
) =>
  new WarehouseError(kind, message, false, {
    ...detail,
    hint: `Nothing was written. Have its owner switch triggers off, undo it, and on again: ${off.join('; ')} … ${on.join('; ')}`,
  });
