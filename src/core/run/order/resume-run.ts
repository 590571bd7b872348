import type { LedgerStore } from '../../ledger/ledger-store.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { Plan, UnitId } from '../../plan/model/plan.ts';
import { writtenSlices } from '../jobs/slices/written-slices.ts';
import { decodeRunDocument } from '../stored/run-document.ts';
import type { RunResult } from '../unit/run-result.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { beginning, carryOut, type RunPorts, refused } from './run-plan.ts';
import { standingUnits } from './still-valid-units.ts';

export interface ResumeRequest {
  readonly run: string;
  /** Code hashes of today; a task that is gone is missing. */
  readonly codeHashes: ReadonlyMap<TaskId, string>;
  /**
   * Held units that are let through, all or these: their empty or shrunk results were looked at and are right. Never
   * lets escapes through.
   */
  readonly acceptHeld: boolean | readonly UnitId[];
  /** Tasks whose units that stopped halfway are run again from their beginning: their tables were looked at. */
  readonly notAtomic?: readonly TaskId[];
}

/**
 * Runs what an earlier run left: the intervals, statements and options of then, never today's. Committed units are not
 * run again. Refused when the run was undone, and when the code of a task has changed since, because the stored plan is then not what a person
 * looking at the files would expect to run.
 */
export async function resumeRun(
  request: ResumeRequest,
  ports: RunPorts & { readonly ledger: LedgerStore },
): Promise<RunResult> {
  const { run } = request;
  const stored = await ports.ledger.loadRun(run);
  if (stored === undefined) {
    return refused(run, { code: 'unknown-run', message: `there is no run ${run} in this target's ledger` }, ports);
  }
  const decoded = decodeRunDocument(stored.document);
  if (!decoded.ok) {
    return refused(run, { code: 'unreadable-run', message: `run ${run}: ${decoded.reason}` }, ports);
  }
  const { plan, jobs, refused: refusals, options } = decoded.value;
  const changed = outOfDateTasks(plan, request.codeHashes);
  if (changed.length > 0) {
    const message = `out of date: the code of ${changed.join(', ')} has changed since the plan was made; plan again`;
    return refused(run, { code: 'out-of-date', message, tasks: changed }, ports);
  }
  const by = await ports.ledger.undoneBy(run);
  if (by !== undefined) {
    const message = `run ${by} has undone it: what is left of it would read rows that are taken back; plan its intervals again`;
    return refused(run, { code: 'undone', message, by }, ports);
  }
  const slices = writtenSlices(plan, jobs);
  const overlap = await beginning(ports.ledger, { run, jobs }, slices);
  if (overlap !== undefined) return refused(run, overlap, ports);
  const before = await standingUnits(run, plan, ports.ledger);
  const { acceptHeld, notAtomic = [] } = request;
  for (const [unit, { state }] of before) {
    if (state === 'unknown' && notAtomic.includes(jobs.get(unit)?.task ?? '')) before.delete(unit);
  }
  const isAccepted = (unit: UnitId): boolean =>
    before.get(unit)?.state === 'held' && (typeof acceptHeld === 'boolean' ? acceptHeld : acceptHeld.includes(unit));
  const accepted = new Map([...jobs].map(([unit, job]) => [unit, isAccepted(unit) ? unguarded(job) : job]));
  const ids = plan.units.map(({ id }) => id);
  const save = () => ports.ledger.saveRun(stored, ids, slices);
  return carryOut({ run, plan, jobs: accepted, refused: refusals, options }, before, ports, save);
}

/** Tasks of a plan whose code is not what was planned, in the plan's order. */
export function outOfDateTasks(plan: Plan, codeHashes: ReadonlyMap<TaskId, string>): readonly TaskId[] {
  return [...plan.codeHashes].filter(([task, hash]) => codeHashes.get(task) !== hash).map(([task]) => task);
}

const unguarded = (job: UnitJob): UnitJob => ({ ...job, options: { ...job.options, holdShrinkPercent: undefined } });
