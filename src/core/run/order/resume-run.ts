import type { LedgerStore } from '../../ledger/ledger-store.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { Plan, PlanUnit, UnitId } from '../../plan/model/plan.ts';
import { parseInstant } from '../../time/zones/iso.ts';
import { writtenSlices } from '../jobs/slices/written-slices.ts';
import { decodeRunDocument } from '../stored/run-document.ts';
import type { RunResult } from '../unit/run-result.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { isCommitted } from '../unit/unit-results.ts';
import { runAgain } from './run-again.ts';
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
    const message = `there is no run ${run} in this target's ledger`;
    return refused(run, { code: 'unknown-run', message, remedy: 'list them with: backfill history' }, ports);
  }
  const decoded = decodeRunDocument(stored.document);
  if (!decoded.ok) {
    const units = (await ports.ledger.units(run)).flatMap(({ unit }) => unitNamed(unit) ?? []);
    const remedy = planAnew(run, 'its intervals', units, request);
    return refused(run, { code: 'unreadable-run', message: `run ${run}: ${decoded.reason}`, remedy }, ports);
  }
  const { plan, jobs, refused: refusals, options } = decoded.value;
  const leftOfIt = async () => {
    const records = new Map((await ports.ledger.units(run)).map((record) => [record.unit, record]));
    return plan.units.filter(({ id }) => !isCommitted(records.get(id)));
  };
  const changed = outOfDateTasks(plan, request.codeHashes);
  if (changed.length > 0) {
    const message = `out of date: the code of ${changed.join(', ')} has changed since the plan was made`;
    const left = await leftOfIt();
    const remedy = planAnew(run, 'what is left of it', left, request);
    return refused(run, { code: 'out-of-date', message, remedy, tasks: changed }, ports);
  }
  const by = await ports.ledger.undoneBy(run);
  if (by !== undefined) {
    const said =
      (await leftOfIt()).length === 0
        ? {
            message: `run ${by} has undone it, and nothing of it is left to run`,
            remedy: `to have the rows again that it made: backfill undo ${by}`,
          }
        : {
            message: `run ${by} has undone it: what is left of it would read rows that are taken back`,
            remedy: undoAnew(jobs) ?? planAnew(run, 'its intervals', plan.units, request),
          };
    return refused(run, { code: 'undone', ...said, by }, ports);
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

/** Of an undo: to undo the same run once more. */
function undoAnew(jobs: ReadonlyMap<UnitId, UnitJob>): string | undefined {
  const restored = [...jobs.values()].find(({ restores }) => restores !== undefined)?.restores?.run;
  return restored === undefined ? undefined : `take back anew what it took back: backfill undo ${restored}`;
}

/** What to do instead of going on with a run: its units anew, as far as the files still have their tasks. */
function planAnew(
  run: string,
  what: string,
  units: readonly Pick<PlanUnit, 'task' | 'start'>[],
  { codeHashes }: ResumeRequest,
): string {
  const commands = runAgain(units.filter(({ task }) => codeHashes.has(task)));
  if (commands.length === 0) return `see what it did: backfill history ${run}`;
  return `plan and run ${what} anew: ${commands.join('; then ')}`;
}

/** A unit of a run whose plan cannot be read, by its id. */
function unitNamed(id: UnitId): Pick<PlanUnit, 'task' | 'start'> | undefined {
  const at = id.lastIndexOf('@');
  const start = parseInstant(id.slice(at + 1), 'UTC');
  return at < 0 || start === undefined ? undefined : { task: id.slice(0, at), start };
}

/** Tasks of a plan whose code is not what was planned, in the plan's order. */
export function outOfDateTasks(plan: Plan, codeHashes: ReadonlyMap<TaskId, string>): readonly TaskId[] {
  return [...plan.codeHashes].filter(([task, hash]) => codeHashes.get(task) !== hash).map(([task]) => task);
}

const unguarded = (job: UnitJob): UnitJob => ({ ...job, options: { ...job.options, holdShrinkPercent: undefined } });
