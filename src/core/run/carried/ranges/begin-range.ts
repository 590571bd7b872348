import { ensureLedger } from '../../../ledger/ensure-ledger.ts';
import type { UnitId } from '../../../plan/model/plan.ts';
import { SchedulerError } from '../../../scheduler/port/scheduler-error.ts';
import { executionMark } from '../../../scheduler/port/task-state.ts';
import { deleteClaimSql } from '../../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { claimSlices } from '../../claim/claim.ts';
import { holdFence } from '../../claim/fence.ts';
import { enterTransaction, protectiveSettings } from '../../session/session-settings.ts';
import { resolveTargets } from '../../tables/target.ts';
import type { CarriedRange, UnitJob } from '../../unit/unit-job.ts';
import { type CarriedHandle, forgetHandle, readHandle, saveHandle } from '../runs/carried-handle.ts';
import type { CarriedRun } from '../runs/carried-run.ts';
import { ownRunId, runInterval } from '../runs/find-run.ts';
import { runNote } from '../runs/run-note.ts';
import { keepBefore, reachedSlices } from '../runs/slices-around.ts';

/** What beginning a range needs; its units are `jobs`. */
export interface RangeRun
  extends Pick<CarriedRun, 'scheduler' | 'warehouse' | 'env' | 'types' | 'heartbeat' | 'atWork' | 'signal' | 'report'> {
  readonly dag: string;
  readonly range: CarriedRange;
  readonly jobs: readonly UnitJob[];
}

/** A unit whose run was made with the others of its range, and which nobody has gone on with yet. */
export interface BegunUnit {
  readonly job: UnitJob;
  readonly fence: string;
  readonly handle: CarriedHandle;
  /** Lets its lease run out. */
  readonly unwatch: () => void;
}

/** `because`: nothing was begun, and each unit is to be carried out by itself; `undefined`: it was begun before. */
export type RangeBegin = { readonly units: ReadonlyMap<UnitId, BegunUnit> } | { readonly because: string | undefined };

/**
 * Makes all runs of a range in one go, when the slices of all of its units are claimed and what is in them is written down: as for
 * one unit, that is committed before anything starts, so that whoever goes on finds it. Throws {@link WarehouseError} and
 * {@link SchedulerError}.
 */
export async function beginRange(run: RangeRun): Promise<RangeBegin> {
  const { scheduler, dag, range, warehouse, signal } = run;
  const session = await warehouse.connect('unit');
  const begun: BegunUnit[] = [];
  try {
    await ensureLedger(warehouse, session);
    if (await wasBegun(run, session)) return { because: undefined };
    const because = (await otherDates(run)) ?? (await writeDownAll(run, session, begun));
    if (because !== undefined || signal.aborted) {
      await giveUp(session, begun);
      return { because: because ?? 'it was cancelled' };
    }
    run.report(`making ${scheduler.description.name}'s backfill of ${dag}`);
    try {
      await scheduler.backfill(dag, range, range.maxActiveRuns);
    } catch (error) {
      // It may have been made: then each unit finds its run there. What was refused was not.
      if (error instanceof SchedulerError && !error.retryable) {
        await giveUp(session, begun);
        return { because: error.message };
      }
      throw error;
    }
    return { units: new Map((await writeDownRuns(run, session, begun)).map((unit) => [unit.job.unit, unit])) };
  } catch (error) {
    await release(session, begun).catch(() => {});
    throw error;
  } finally {
    await session.close();
  }

  async function giveUp(on: Session, units: readonly BegunUnit[]): Promise<void> {
    for (const { job } of units) await forgetHandle(on, job);
    await release(on, units);
  }
}

async function wasBegun({ jobs, range }: RangeRun, session: Session): Promise<boolean> {
  if (jobs.length !== range.units) return true;
  for (const job of jobs) if ((await readHandle(session, job)) !== undefined) return true;
  return false;
}

/** Somebody may have made runs since the plan was shown. */
async function otherDates({ scheduler, dag, range, jobs }: RangeRun): Promise<string | undefined> {
  const dates = await scheduler.backfillDates(dag, range);
  const wanted = new Set(jobs.map((job) => runInterval(job).start));
  const isSame = dates?.length === wanted.size && dates.every((date) => wanted.has(date));
  return isSame ? undefined : 'some of its runs are there by now';
}

/** Gives the claims of units up that nobody went on with. */
export async function release(session: Session, units: Iterable<BegunUnit>): Promise<void> {
  for (const { fence, unwatch } of units) {
    unwatch();
    await session.query(deleteClaimSql, [fence]);
  }
}

/** Fills `begun`; gives why the units are to be carried out one by one instead. */
async function writeDownAll(run: RangeRun, session: Session, begun: BegunUnit[]): Promise<string | undefined> {
  const { warehouse, env, types, atWork, heartbeat } = run;
  for (const asked of run.jobs) {
    const { job } = await reachedSlices(session, asked, warehouse);
    const claim = await claimSlices(session, { job, warehouse, env, types, atWork });
    if (claim.kind !== 'claimed') return `${job.unit} is claimed by ${claim.kind === 'busy' ? claim.owner : 'others'}`;
    const unwatch = heartbeat.watch(claim.fence, job.run, job.options.leaseMs, () => {});
    await session.query('begin isolation level read committed');
    await enterTransaction(session, job.options.settings, protectiveSettings(job.options));
    await holdFence(session, claim.fence);
    const targets = await resolveTargets(session, job, warehouse.description, types);
    const before = await keepBefore(session, job, targets);
    const handle: CarriedHandle = {
      run: ownRunId(runInterval(job)),
      make: true,
      phase: 'before',
      inRange: true,
      mark: executionMark([]),
      tries: {},
      before,
      ahead: true,
    };
    begun.push({ job, fence: claim.fence, handle, unwatch });
    await saveHandle(session, job, claim.fence, handle);
    await session.query('commit');
    // Such rows a guard may hold, and what comes after them in their run would not be kept back.
    const rows = Object.values(before).reduce((sum, { taken }) => sum + (taken?.figures.rows ?? 0), 0);
    if (rows > 0 && job.options.holdShrinkPercent !== undefined) return `there are rows of ${job.unit} already`;
  }
  return undefined;
}

/** What was made is known by its dates. */
async function writeDownRuns(
  { scheduler, dag, range, env }: RangeRun,
  session: Session,
  begun: readonly BegunUnit[],
): Promise<readonly BegunUnit[]> {
  const runs = await scheduler.runs(dag, range.first, range.last);
  const started: BegunUnit[] = [];
  for (const unit of begun) {
    const { job, fence, handle } = unit;
    const found = runs.find(({ logicalDate }) => logicalDate === runInterval(job).start);
    const known: CarriedHandle =
      found === undefined
        ? { ...handle, inRange: undefined }
        : { ...handle, run: found.id, make: false, phase: 'started' };
    await saveHandle(session, job, fence, known);
    started.push({ ...unit, handle: known });
  }
  const [first] = begun;
  const note = runNote(first?.job.run ?? '', env.owner);
  // Nothing depends on the note.
  for (const { id } of runs) await scheduler.note(dag, id, note).catch(() => {});
  return started;
}
