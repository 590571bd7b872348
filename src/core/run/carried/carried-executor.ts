import { ensureLedger } from '../../ledger/ensure-ledger.ts';
import type { Scheduler } from '../../scheduler/port/scheduler.ts';
import { SchedulerError } from '../../scheduler/port/scheduler-error.ts';
import type { TypeCache } from '../../warehouse/catalog/describe-tables.ts';
import { deleteClaimSql } from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import type { Session, Warehouse } from '../../warehouse/port/ports.ts';
import { lostClaim } from '../claim/fence.ts';
import { startHeartbeat } from '../claim/heartbeat.ts';
import { cancellable } from '../session/cancellable.ts';
import type { RelationalRunner } from '../session/runner.ts';
import { isCancellation, unitErrorOf } from '../session/unit-error.ts';
import type { UnitExecutor } from '../unit/unit-executor.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { schedulerUnitError } from './ended-badly.ts';
import { carriedRanges } from './ranges/carried-ranges.ts';
import { runCarried } from './run-carried.ts';
import type { CarriedRun } from './runs/carried-run.ts';
import { reachedSlices } from './runs/slices-around.ts';
import { usualDurations } from './usual-durations.ts';

/**
 * Gives units to a scheduler; `here` runs the others. Claims, figures, rows and the record of both are in one warehouse, so that
 * a plan may mix them in one order.
 */
export function carriedExecutor(
  scheduler: Scheduler,
  warehouse: Warehouse,
  env: RelationalRunner,
  here: UnitExecutor,
): UnitExecutor {
  const types: TypeCache = new Map();
  const heartbeat = startHeartbeat(warehouse, env.clock);
  const atWork = new Set<UnitJob>();
  const ranges = carriedRanges({ scheduler, warehouse, env, types, heartbeat, atWork });

  const execute: UnitExecutor['execute'] = async (asked, signal, follows = [], report = () => {}) => {
    const { carried } = asked;
    if (carried === undefined) return here.execute(asked, signal, follows, report);
    const startedAt = env.clock.now();
    const durationMs = () => env.clock.now() - startedAt;
    if (signal.aborted) return { state: 'cancelled', confirmed: true, durationMs: 0 };
    let session: Session | undefined;
    let run: CarriedRun | undefined;
    try {
      await ranges.begin(asked, { signal, report });
      session = await warehouse.connect('unit');
      await ensureLedger(warehouse, session);
      const reached = await reachedSlices(session, asked, warehouse);
      const job = carried.locksItself === true ? { ...reached.job, slices: [] } : reached.job;
      run = {
        job,
        warehouse,
        env,
        types,
        heartbeat,
        atWork,
        follows,
        claim: undefined,
        scheduler,
        carried,
        reached,
        signal,
        report,
      };
      atWork.add(job);
      // Its own statements go on when a cancel is asked for: they are short, and what is known has to be written down.
      const steps = cancellable(session, never);
      return await runCarried(run, session, steps);
    } catch (thrown) {
      const ended = await abandon(session, run);
      if (signal.aborted && isCancellation(thrown))
        return { state: 'cancelled', confirmed: ended, durationMs: durationMs() };
      if (thrown instanceof SchedulerError && thrown.kind === 'conflict')
        return {
          state: 'busy',
          owner: `${scheduler.description.name}, which runs it by itself`,
          durationMs: durationMs(),
        };
      if (thrown instanceof SchedulerError)
        return { state: 'failed', error: schedulerUnitError(thrown), durationMs: durationMs() };
      const error = unitErrorOf(run?.claim?.lost === true && isCancellation(thrown) ? lostClaim() : thrown);
      return { state: 'failed', error, durationMs: durationMs() };
    } finally {
      if (run !== undefined) atWork.delete(run.job);
      // The locks of the session end with it.
      await session?.close();
    }
  };
  const tidy: UnitExecutor['tidy'] = async (jobs, vacuum, signal) =>
    (await here.tidy?.(
      jobs.filter(({ carried }) => carried === undefined),
      vacuum,
      signal,
    )) ?? [];
  const usual: UnitExecutor['usual'] = (jobs) => usualDurations(scheduler, jobs);
  const { forget } = here;
  const { expect, end } = ranges;
  const maxConcurrency = warehouse.maxSessions === 1 ? 1 : here.maxConcurrency;
  return { execute, maxConcurrency, tidy, usual, expect, end, ...(forget && { forget }) };
}

const never: Parameters<typeof cancellable>[1] = {
  aborted: false,
  addEventListener: () => {},
  removeEventListener: () => {},
};

/** Rolls back and gives the claim up; true when the server answered to the end. */
async function abandon(session: Session | undefined, run: CarriedRun | undefined): Promise<boolean> {
  try {
    await session?.query('rollback');
    if (run?.claim !== undefined) await session?.query(deleteClaimSql, [run.claim.fence]);
    return true;
  } catch {
    // The connection is gone: the claim ends with its lease, or with the next one of this run.
    return false;
  }
}
