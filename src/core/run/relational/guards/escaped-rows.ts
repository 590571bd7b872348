import { unitSavepoint } from '../../../warehouse/port/transaction-control.ts';
import type { Applied } from '../../record/applied.ts';
import { applySettings, unhidden } from '../../session/session-settings.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { byTable, lostOutside, type OutsideSlice, outsideCounts, writtenOutside } from './outside-rows.ts';

/**
 * Says which rows outside its slices a task wrote and took away, where it is known only that they are not what they
 * were. The rows of before are looked at after the task was taken back, which what is held is anyway.
 */
export async function escapedRows(unit: OpenUnit, applied: Applied): Promise<Applied> {
  const { session, targets, position } = unit;
  if (applied.escape.kind !== 'escaped' || applied.escape.lost !== true) return applied;
  const tables = byTable(
    targets.flatMap(({ relation, slice }): OutsideSlice[] => (relation ? [{ relation, column: slice.column }] : [])),
  );
  const written: (string | undefined)[] = [];
  const after: Awaited<ReturnType<typeof outsideCounts>>[] = [];
  for (const group of tables) {
    written.push(await writtenOutside(session, group, position));
    after.push(await outsideCounts(session, group));
  }
  await session.query(`rollback to savepoint ${unitSavepoint}`);
  if (targets.some(({ relation }) => relation?.table.rowSecurity)) await applySettings(session, unhidden);
  const reasons: string[] = [];
  for (const [index, group] of tables.entries()) {
    const left = after[index];
    const before = left && (await outsideCounts(session, group));
    const lost = left && before && lostOutside(group, before, left);
    reasons.push(...[written[index], lost].filter((reason) => reason !== undefined));
  }
  return reasons.length === 0 ? applied : { ...applied, escape: { ...applied.escape, reason: reasons.join(' ') } };
}
