import type { TypeCache } from '../../warehouse/describe-tables.ts';
import type { Session, Warehouse } from '../../warehouse/ports.ts';
import { unitSavepoint } from '../../warehouse/transaction-control.ts';
import { WarehouseError } from '../../warehouse/warehouse-error.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { UnitExecutor } from '../unit-executor.ts';
import type { UnitJob } from '../unit-job.ts';
import type { UnitOutcome } from '../unit-outcome.ts';
import { applyCertainly } from './apply-certainly.ts';
import { asNew } from './as-new.ts';
import { type Cancellable, cancellable } from './cancellable.ts';
import { decide } from './decide.ts';
import { readPosition } from './marker.ts';
import type { RelationalEnv } from './relational-env.ts';
import { refusedOutcome } from './relational-executor.ts';
import { enterTransaction, protectiveSettings } from './session-settings.ts';
import { stopSignal } from './stop-signal.ts';
import { resolveTargets } from './target.ts';
import { planTask } from './task-plan.ts';
import { isCancellation, unitErrorOf } from './unit-error.ts';

/** A preview under way. Nothing of it is ever committed. */
export interface Preview {
  /** Runs units one at a time, in the order of a run; each sees what the ones before it wrote. */
  readonly executor: UnitExecutor;
  /** Rolls everything back and ends the session. */
  end(): Promise<void>;
}

/** Said once with every preview: what it leaves behind although it is rolled back. */
const previewNote =
  'A preview is rolled back, but leaves dead rows behind (VACUUM the targets after large ones) and advances sequences; ' +
  'while it runs, changes of the same rows wait.';

/**
 * Opens a preview: all units in one transaction that is rolled back at the end, so that a downstream task sees the new
 * rows of its parents. After `timeBoxMs` the running statement is stopped and the transaction ends. A held unit's writes
 * are taken back, as a run would.
 */
export function openPreview(warehouse: Warehouse, env: RelationalEnv, timeBoxMs: number): Preview {
  const types: TypeCache = new Map();
  let session: Session | undefined;
  let ended: UnitOutcome | undefined;
  let running: Cancellable | undefined;
  let timedOut = false;
  const over = stopSignal();
  void env.clock.sleep(timeBoxMs, over).then(() => {
    if (over.aborted) return;
    timedOut = true;
    running?.stop();
  });

  const end = async (): Promise<void> => {
    const open = session;
    session = undefined;
    over.abort();
    await open?.query('rollback').catch(() => undefined);
    await open?.close();
  };

  const execute = async (job: UnitJob, signal: CancelSignal): Promise<UnitOutcome> => {
    const unitStartedAt = env.clock.now();
    const durationMs = () => env.clock.now() - unitStartedAt;
    if (ended !== undefined) return ended;
    const plan = planTask(job);
    if (plan.kind === 'refused') return refusedOutcome(plan, durationMs());
    try {
      if (timedOut) throw outOfTime(timeBoxMs);
      const first = session === undefined;
      session ??= await begin(warehouse);
      const own = session;
      running = cancellable(own, signal);
      const outcome = await previewUnit(running.session, job, plan, warehouse, types, durationMs);
      return first && outcome.state === 'previewed' ? { ...outcome, notes: [...outcome.notes, previewNote] } : outcome;
    } catch (error) {
      const confirmed = (await running?.confirmed()) ?? true;
      if (signal.aborted && isCancellation(error)) {
        await end();
        ended = { state: 'cancelled', confirmed, durationMs: durationMs() };
        return ended;
      }
      const cause = timedOut && isCancellation(error) ? outOfTime(timeBoxMs) : error;
      const failed: UnitOutcome = { state: 'failed', error: unitErrorOf(cause), durationMs: durationMs() };
      // Without its transaction the rest would not see what came before.
      const usable =
        session &&
        (await session.query(`rollback to savepoint ${unitSavepoint}`).then(
          () => true,
          () => false,
        ));
      if (!usable) {
        await end();
        ended = failed;
      }
      return failed;
    } finally {
      running?.release();
      running = undefined;
    }
  };

  return { executor: { execute, maxConcurrency: 1 }, end };
}

async function begin(warehouse: Warehouse): Promise<Session> {
  const session = await warehouse.connect('unit');
  try {
    await session.query('begin isolation level read committed');
    await session.query(`savepoint ${unitSavepoint}`);
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function previewUnit(
  session: Session,
  job: UnitJob,
  plan: ReturnType<typeof planTask> & { readonly kind: 'ready' },
  warehouse: Warehouse,
  types: TypeCache,
  durationMs: () => number,
): Promise<UnitOutcome> {
  await session.query(`savepoint ${unitSavepoint}`);
  const start = await enterTransaction(session, job.options.settings, protectiveSettings(job.options));
  const targets = await resolveTargets(session, job, warehouse.description, types);
  const position = await readPosition(session);
  const applied = await applyCertainly({
    session,
    job,
    plan,
    targets,
    position,
    start,
    server: warehouse.description,
    types,
  });
  const decision = decide(applied, job.options);
  const slices = applied.slices.map(({ diff }) => diff);
  if (decision.kind === 'held') {
    await session.query(`rollback to savepoint ${unitSavepoint}`);
    return { state: 'held', code: decision.code, reason: decision.reason, slices, durationMs: durationMs() };
  }
  // A run's next unit finds none of these either: each has a session as new.
  for (const statement of asNew) await session.query(statement);
  await session.query(`release savepoint ${unitSavepoint}`);
  return {
    state: 'previewed',
    changed: decision.kind === 'changed',
    slices,
    notes: applied.notes,
    durationMs: durationMs(),
  };
}

const outOfTime = (timeBoxMs: number): WarehouseError =>
  new WarehouseError(
    'timeout',
    `The preview took longer than ${Math.round(timeBoxMs / 1000)} s and was stopped.`,
    false,
    {
      hint: 'Preview fewer intervals, or allow it more time.',
    },
  );

/** Previews jobs in order, all of one database; the outcomes come in the same order. Nothing is held after it. */
export async function previewRun(
  warehouse: Warehouse,
  env: RelationalEnv,
  jobs: readonly UnitJob[],
  options: {
    readonly signal: CancelSignal;
    readonly timeBoxMs: number;
    readonly onOutcome?: (job: UnitJob, outcome: UnitOutcome) => void;
  },
): Promise<readonly UnitOutcome[]> {
  const preview = openPreview(warehouse, env, options.timeBoxMs);
  const outcomes: UnitOutcome[] = [];
  try {
    for (const job of jobs) {
      const outcome = await preview.executor.execute(job, options.signal);
      options.onOutcome?.(job, outcome);
      outcomes.push(outcome);
    }
    return outcomes;
  } finally {
    await preview.end();
  }
}
