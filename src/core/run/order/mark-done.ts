import type { LedgerStore, UnitRecord } from '../../ledger/ledger-store.ts';
import type { PlanUnit, UnitId } from '../../plan/model/plan.ts';
import { decodeRunDocument } from '../stored/run-document.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { isCommitted } from '../unit/unit-results.ts';

/** Units of a run that are to be recorded as done elsewhere. */
export interface UnitsToMark {
  readonly units: readonly { readonly unit: PlanUnit; readonly job: UnitJob | undefined }[];
}

export interface MarkRefusal {
  readonly message: string;
  readonly remedy: string;
}

/**
 * Finds units of a stored run by their ids; a task stands for all of its units that are not done. Refused as a whole where one
 * is not in the run or is at its end already.
 */
export async function unitsToMark(
  run: string,
  names: readonly string[],
  ledger: LedgerStore,
): Promise<UnitsToMark | MarkRefusal> {
  const stored = await ledger.loadRun(run);
  if (stored === undefined) {
    return { message: `there is no run ${run} in this database`, remedy: 'list them with: backfill history' };
  }
  const decoded = decodeRunDocument(stored.document);
  if (!decoded.ok) return { message: `run ${run}: ${decoded.reason}`, remedy: 'list runs with: backfill history' };
  const { plan, jobs } = decoded.value;
  const records = new Map((await ledger.units(run)).map((record) => [record.unit, record]));
  const found = new Map<UnitId, PlanUnit>();
  for (const name of names) {
    const named = plan.units.filter(({ id, task }) => id === name || task === name);
    if (named.length === 0) {
      return { message: `${name} is no unit or task of run ${run}`, remedy: `see: backfill history ${run}` };
    }
    const open = named.filter(({ id }) => !isCommitted(records.get(id)));
    if (open.length === 0) return atItsEnd(run, name, records.get(named[0]?.id ?? ''));
    for (const unit of open) found.set(unit.id, unit);
  }
  return { units: [...found.values()].map((unit) => ({ unit, job: jobs.get(unit.id) })) };
}

export const isMarkRefusal = (found: UnitsToMark | MarkRefusal): found is MarkRefusal => 'remedy' in found;

const atItsEnd = (run: string, name: string, record: UnitRecord | undefined): MarkRefusal => ({
  message: `${name} is at its end already${record === undefined ? '' : `: ${record.state}`}`,
  remedy: `see: backfill history ${run}`,
});
