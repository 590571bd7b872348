import { ensureLedger } from '../../ledger/ensure-ledger.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import type { TypeCache } from '../../warehouse/catalog/describe-tables.ts';
import { deleteClaimSql } from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import type { Session, Warehouse } from '../../warehouse/port/ports.ts';
import type { UnitRun } from '../claim/claimed-unit.ts';
import { lostClaim } from '../claim/fence.ts';
import { startHeartbeat } from '../claim/heartbeat.ts';
import { outsideInWords } from '../irrevocable/outside-words.ts';
import { cancellable } from '../session/cancellable.ts';
import type { RelationalRunner } from '../session/runner.ts';
import { isCancellation, unitErrorOf } from '../session/unit-error.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { UnitExecutor } from '../unit/unit-executor.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitError, UnitOutcome } from '../unit/unit-outcome.ts';
import { lookFirst } from '../unit/unit-results.ts';
import { type PartedRun, runParts } from './run-parts.ts';
import { runUnit } from './run-unit.ts';
import { planParts } from './task/task-parts.ts';
import { planTask, type TaskPlan } from './task/task-plan.ts';
import { vacuumAfter } from './vacuum-after.ts';

export interface RelationalExecutor extends UnitExecutor {
  /** Ends the sessions that are kept for the next unit; closing the warehouse does too. */
  close(): Promise<void>;
}

/** Runs units on a relational target, each in one transaction that also holds its record. Sessions are used again. */
export function relationalExecutor(warehouse: Warehouse, env: RelationalRunner): RelationalExecutor {
  const idle: Session[] = [];
  const types: TypeCache = new Map();
  const heartbeat = startHeartbeat(warehouse, env.clock);
  const atWork = new Set<UnitJob>();

  const execute = async (job: UnitJob, signal: CancelSignal, follows: readonly UnitId[] = []): Promise<UnitOutcome> => {
    const startedAt = env.clock.now();
    const durationMs = () => env.clock.now() - startedAt;
    if (job.carried !== undefined) return notOurs(job.carried.scheduler);
    const parted = planParts(job);
    const plan = parted ?? planTask(job);
    if (plan.kind === 'refused') return refusedOutcome(plan, durationMs());
    if (signal.aborted) return { state: 'cancelled', confirmed: true, durationMs: 0 };
    let session: Session | undefined;
    try {
      session = idle.pop() ?? (await warehouse.connect('unit'));
      await ensureLedger(warehouse, session);
    } catch (error) {
      await session?.close();
      const failed = unitErrorOf(error);
      if (failed.kind === 'connection') await close();
      const away = failed.retryable && failed.kind === 'connection' ? ({ away: true } as const) : {};
      return { state: 'failed', error: { ...failed, ...away }, durationMs: durationMs() };
    }
    const steps = cancellable(session, signal);
    const leave = heartbeat.attend(session, job.options.leaseMs);
    const parts = parted?.kind === 'ready' ? parted.parts : undefined;
    const run: PartedRun = {
      job,
      plan,
      warehouse,
      env,
      types,
      heartbeat,
      atWork,
      follows,
      claim: undefined,
      parts: parts ?? [],
      halfway: undefined,
    };
    atWork.add(job);
    try {
      const outcome = await (parts === undefined ? runUnit : runParts)(run, session, steps);
      await session.query('discard all').then(
        () => idle.push(session),
        () => session.close(),
      );
      return outcome;
    } catch (thrown) {
      const confirmed = await steps.confirmed();
      const ended = await abandon(session, run);
      // Where one connection was lost, those that are kept may be as well.
      if (!ended) await close();
      if (run.halfway !== undefined) return halfwayOutcome(job, run.halfway, thrown, durationMs());
      if (signal.aborted && isCancellation(thrown)) {
        return { state: 'cancelled', confirmed: confirmed && ended, durationMs: durationMs() };
      }
      const cause = run.claim?.lost === true && isCancellation(thrown) ? lostClaim() : thrown;
      const error = unitErrorOf(cause);
      const stays = run.sent === true ? job.outside : undefined;
      return {
        state: 'failed',
        error: stays === undefined ? error : doneOutside(error, stays, job),
        durationMs: durationMs(),
      };
    } finally {
      atWork.delete(job);
      leave();
      steps.release();
    }
  };

  const close = async (): Promise<void> => {
    await Promise.all(idle.splice(0).map((session) => session.close()));
  };
  const tidy: UnitExecutor['tidy'] = async (jobs, vacuum, signal) => {
    // The server counts what a session did when it ends, if not before.
    await close();
    return vacuumAfter(warehouse, jobs, vacuum, signal);
  };
  return { execute, maxConcurrency: warehouse.maxSessions, tidy, close };
}

/** What cannot be taken back may be done already, so that only a person can say whether to do it again. */
const doneOutside = (error: UnitError, outside: readonly string[], { run }: UnitJob): UnitError => ({
  ...error,
  retryable: false,
  message: `${error.message} It ${outsideInWords(outside)}. That may be done already.`,
  remedy: error.remedy ?? `look at its tables first; if it is to be run again: backfill resume ${run}`,
});

/** It has no statements, so that sending them would say of it that it ran. */
const notOurs = (scheduler: string): UnitOutcome => ({
  state: 'failed',
  durationMs: 0,
  error: {
    kind: 'refused',
    message: `It is carried out by the scheduler ${scheduler}, which is not asked from here.`,
    remedy: 'go on with its run on the command line: backfill resume',
    retryable: false,
    sqlState: undefined,
    statement: undefined,
  },
});

/** What a unit that is not atomic has done stays, and so does what its last statement may have done. */
function halfwayOutcome(job: UnitJob, halfway: string, thrown: unknown, durationMs: number): UnitOutcome {
  const error = unitErrorOf(thrown);
  const message = `${halfway}: ${error.message}`;
  const remedy = lookFirst(job.unit, job.run);
  return { state: 'unknown', error: { ...error, message, remedy, retryable: false }, durationMs };
}

/** A task that cannot be carried out in one transaction, found before anything was sent. */
export const refusedOutcome = (plan: TaskPlan & { readonly kind: 'refused' }, durationMs: number): UnitOutcome => ({
  state: 'failed',
  error: {
    kind: 'refused',
    message: plan.reason,
    remedy: plan.remedy,
    retryable: false,
    sqlState: undefined,
    statement: plan.statement.text,
  },
  durationMs,
});

/** Rolls back, gives the claim up and ends the session; true when the server answered to the end. */
async function abandon(session: Session, run: UnitRun): Promise<boolean> {
  try {
    await session.query('rollback');
    if (run.claim !== undefined) await session.query(deleteClaimSql, [run.claim.fence]);
    return true;
  } catch {
    // The connection is gone: the server rolls back by itself, and the claim ends with the next one of this run, or with its lease.
    return false;
  } finally {
    await session.close();
  }
}
