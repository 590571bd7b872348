import { unitSavepoint } from '../../warehouse/transaction-control.ts';
import { type Applied, applyTask, type OpenUnit } from './apply-task.ts';

/** Where the counters leave a doubt, the task is rolled back and done again with the rest of the table compared. */
export async function applyCertainly(unit: OpenUnit): Promise<Applied> {
  const applied = await applyTask(unit);
  if (applied.escape.kind !== 'doubt') return applied;
  await unit.session.query(`rollback to savepoint ${unitSavepoint}`);
  return applyTask(unit, applied.left ?? []);
}
