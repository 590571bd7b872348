import { ensureLedger } from '../../ledger/ensure-ledger.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import type { TypeCache } from '../../warehouse/catalog/describe-tables.ts';
import { deleteClaimSql } from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import type { Session, Warehouse } from '../../warehouse/port/ports.ts';
import { joinUnits } from '../batch/join-units.ts';
import { mayJoin } from '../batch/may-join.ts';
import { isApart } from '../batch/varying-text.ts';
import type { UnitRun } from '../claim/claimed-unit.ts';
import { lostClaim } from '../claim/fence.ts';
import { startHeartbeat } from '../claim/heartbeat.ts';
import { outsideInWords } from '../irrevocable/outside-words.ts';
import { type Cancellable, cancellable } from '../session/cancellable.ts';
import type { RelationalRunner } from '../session/runner.ts';
import { isCancellation, noSessionErrorOf, unitErrorOf } from '../session/unit-error.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { JoiningExecutor, UnitExecutor } from '../unit/unit-executor.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitError, UnitOutcome } from '../unit/unit-outcome.ts';
import { lookFirst } from '../unit/unit-results.ts';
import { RunAlone } from './batch/run-alone.ts';
import { runTogether, type TogetherRun } from './batch/run-together.ts';
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

  /** A session that holds the ledger, or why there is none. */
  const openSession = async (): Promise<Session | UnitError> => {
    let session: Session | undefined;
    try {
      session = idle.pop() ?? (await warehouse.connect('unit'));
      await ensureLedger(warehouse, session);
      return session;
    } catch (error) {
      await session?.close();
      const failed = noSessionErrorOf(error);
      if (failed.kind === 'connection') await close();
      return failed;
    }
  };

  const keep = (session: Session): Promise<unknown> =>
    session.query('discard all').then(
      () => idle.push(session),
      () => session.close(),
    );

  /** What became of a try that ended with an error. */
  const failed = async (
    thrown: unknown,
    run: UnitRun,
    session: Session,
    steps: Cancellable,
    signal: CancelSignal,
  ): Promise<FailedTry> => {
    const confirmed = await steps.confirmed();
    const ended = await abandon(session, run);
    // Where one connection was lost, those that are kept may be as well.
    if (!ended) await close();
    if (signal.aborted && isCancellation(thrown)) return { state: 'cancelled', confirmed: confirmed && ended };
    const cause = run.claim?.lost === true && isCancellation(thrown) ? lostClaim() : thrown;
    return { state: 'failed', error: unitErrorOf(cause) };
  };

  const execute = async (job: UnitJob, signal: CancelSignal, follows: readonly UnitId[] = []): Promise<UnitOutcome> => {
    const startedAt = env.clock.now();
    const durationMs = () => env.clock.now() - startedAt;
    if (job.carried !== undefined) return notOurs(job.carried.scheduler);
    const parted = planParts(job);
    const plan = parted ?? planTask(job);
    if (plan.kind === 'refused') return refusedOutcome(plan, durationMs());
    if (signal.aborted) return { state: 'cancelled', confirmed: true, durationMs: 0 };
    const session = await openSession();
    if (isError(session)) return { state: 'failed', error: session, durationMs: durationMs() };
    const steps = cancellable(session, signal);
    const leave = heartbeat.attend(session, job.options.leaseMs);
    const parts = parted?.kind === 'ready' ? parted.parts : undefined;
    const around = { job, warehouse, env, types, heartbeat, atWork, follows, claim: undefined };
    const run: PartedRun = { ...around, plan, parts: parts ?? [], halfway: undefined };
    atWork.add(job);
    try {
      const outcome = await (parts === undefined ? runUnit : runParts)(run, session, steps);
      await keep(session);
      return outcome;
    } catch (thrown) {
      const end = await failed(thrown, run, session, steps, signal);
      if (run.halfway !== undefined) return halfwayOutcome(job, run.halfway, thrown, durationMs());
      if (end.state === 'cancelled') return { ...end, durationMs: durationMs() };
      const stays = run.sent === true ? job.outside : undefined;
      const error = stays === undefined ? end.error : doneOutside(end.error, stays, job);
      return { state: 'failed', error, durationMs: durationMs() };
    } finally {
      atWork.delete(job);
      leave();
      steps.release();
    }
  };

  const executeTogether: JoiningExecutor['execute'] = async (jobs, signal, follows) => {
    const startedAt = env.clock.now();
    const forAll = (end: UnitOutcome): readonly UnitOutcome[] => jobs.map(() => end);
    const share = () => Math.round((env.clock.now() - startedAt) / jobs.length);
    const units = joinUnits(jobs);
    if (isApart(units)) return { ...units, always: true };
    if (signal.aborted) return forAll({ state: 'cancelled', confirmed: true, durationMs: 0 });
    const session = await openSession();
    if (isError(session)) return forAll({ state: 'failed', error: session, durationMs: share() });
    const [first] = units.jobs as readonly [UnitJob, ...UnitJob[]];
    const job: UnitJob = { ...first, slices: units.jobs.flatMap(({ slices }) => slices) };
    const steps = cancellable(session, signal);
    const leave = heartbeat.attend(session, job.options.leaseMs);
    const run: TogetherRun = { job, warehouse, env, types, heartbeat, atWork, follows, claim: undefined, units };
    for (const one of units.jobs) atWork.add(one);
    try {
      const outcomes = await runTogether(run, session, steps);
      await keep(session);
      return 'state' in outcomes ? forAll({ ...outcomes, durationMs: share() }) : outcomes;
    } catch (thrown) {
      if (thrown instanceof RunAlone) {
        await abandon(session, run);
        return { apart: thrown.reason, always: thrown.always };
      }
      const end = await failed(thrown, run, session, steps, signal);
      if (end.state === 'cancelled') return forAll({ ...end, durationMs: share() });
      const { error } = end;
      if (error.retryable || error.kind === 'cancelled') return forAll({ state: 'failed', error, durationMs: share() });
      // One of them fails, or all do: each finds out by itself.
      return { apart: `together they fail: ${error.message}`, always: false };
    } finally {
      for (const one of units.jobs) atWork.delete(one);
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
  const together = { mayJoin, execute: executeTogether };
  return { execute, together, maxConcurrency: warehouse.maxSessions, tidy, close };
}

type FailedTry =
  | { readonly state: 'cancelled'; readonly confirmed: boolean }
  | { readonly state: 'failed'; readonly error: UnitError };

const isError = (opened: Session | UnitError): opened is UnitError => 'retryable' in opened;

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
