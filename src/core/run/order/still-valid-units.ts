import type { LedgerStore, UnitRecord } from '../../ledger/ledger-store.ts';
import type { Plan, UnitId } from '../../plan/model/plan.ts';
import { isCommitted, notStarted } from '../unit/unit-results.ts';
import { waitTracker } from './wait-tracker.ts';

/**
 * What is left of a run by its ledger. A unit stands only where all stand that it waited for: one that a server lost takes
 * along what was made from it, and the ledger is told to forget the commits of both.
 */
export async function standingUnits(run: string, plan: Plan, ledger: LedgerStore): Promise<Map<UnitId, UnitRecord>> {
  const byUnit = new Map((await ledger.units(run)).map((record) => [record.unit, record]));
  const waits = waitTracker(plan);
  const fallen: UnitId[] = [];
  for (const [position, { id }] of plan.units.entries()) {
    const record = byUnit.get(id);
    const isLost = record?.lost === true;
    // What was done elsewhere is so because somebody said it, whatever this run did.
    const stands = isCommitted(record) && (record.state === 'done' || waits.ask(position).kind === 'ready');
    waits.settle(position, stands);
    if (record === undefined || stands || !(isLost || isCommitted(record))) continue;
    fallen.push(id);
    byUnit.set(id, notStarted(id, record.attempts));
  }
  await ledger.reopen(run, fallen);
  return byUnit;
}
