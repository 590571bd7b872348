import type { Session } from '../../warehouse/port/ports.ts';
import { enterTransaction, protectiveSettings, type StartSettings } from '../session/session-settings.ts';
import type { Claim } from './claim.ts';
import type { UnitRun } from './claimed-unit.ts';
import { holdFence, lockSlices, lockTables } from './fence.ts';

/** BEGIN, fence, lock: from here on the slices are this transaction's alone. */
export async function beginClaimed(
  { job, warehouse }: UnitRun,
  session: Session,
  { fence, targets }: Extract<Claim, { kind: 'claimed' }>,
): Promise<StartSettings> {
  await session.query('begin isolation level read committed');
  const start = await enterTransaction(session, job.options.settings, protectiveSettings(job.options));
  await holdFence(session, fence);
  if (warehouse.leases === 'server') await lockSlices(session, targets);
  if (job.options.lockTable) await lockTables(session, targets);
  return start;
}
