import type { TaskId } from '../../../pipeline/model/model.ts';
import type { TypeCache } from '../../../warehouse/catalog/describe-tables.ts';
import { readableLedgerSql } from '../../../warehouse/dialects/postgres/ledger/readable-ledger-sql.ts';
import { leftBehindSql } from '../../../warehouse/dialects/postgres/preview-sql.ts';
import type { Session, Warehouse } from '../../../warehouse/port/ports.ts';
import { unitSavepoint } from '../../../warehouse/port/transaction-control.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { Applied } from '../../record/applied.ts';
import { decide } from '../../record/decide.ts';
import { heldOutcome } from '../../record/held-outcome.ts';
import { type SliceMeasures, sliceMeasures } from '../../record/slice-measures.ts';
import { type Cancellable, cancellable } from '../../session/cancellable.ts';
import { renewSession } from '../../session/renew-session.ts';
import type { RelationalRunner } from '../../session/runner.ts';
import { enterTransaction, protectiveSettings } from '../../session/session-settings.ts';
import { stopSignal } from '../../session/stop-signal.ts';
import { isCancellation, isLost, noSessionErrorOf, unitErrorOf } from '../../session/unit-error.ts';
import { ledgerSlice, resolveTargets, type Target } from '../../tables/target.ts';
import type { CancelSignal } from '../../unit/cancel-signal.ts';
import { madeSqlInWords } from '../../unit/made-sql-in-words.ts';
import type { PreviewEnd, PreviewTraces } from '../../unit/preview-end.ts';
import type { UnitExecutor } from '../../unit/unit-executor.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import type { UnitOutcome } from '../../unit/unit-outcome.ts';
import { applyCertainly } from '../apply/apply-until-certain.ts';
import { refusedOutcome } from '../relational-executor.ts';
import { readPosition } from '../task/position.ts';
import { planTask } from '../task/task-plan.ts';
import { areIndependent } from './independent-units.ts';
import { applyShadow, beginShadow, type ShadowUnit } from './preview-by-query.ts';

/** A preview under way. Nothing of it is ever committed. */
export interface Preview {
  /** Runs units one at a time, in the order of a run; each sees what the ones before it wrote. */
  readonly executor: UnitExecutor;
  /** Rolls everything back, ends the session and tells what is left of it. May be called again. */
  end(): Promise<PreviewEnd>;
}

/**
 * Opens a preview: all units in one transaction that is rolled back at the end, so that a downstream task sees the new
 * rows of its parents. After `timeBoxMs` the running statement is stopped and the transaction ends. Where the server went away, the unit fails as one that may be tried again, and
 * the transaction is then begun anew with what was in it. A held unit's writes
 * are taken back, as a run would. Where `jobs` are all that will come and cannot see each other's rows, those whose
 * result can be told from their query write nothing.
 */
export function openPreview(
  warehouse: Warehouse,
  env: RelationalRunner,
  timeBoxMs: number,
  jobs: readonly UnitJob[] = [],
): Preview {
  const types: TypeCache = new Map();
  const apart = areIndependent(jobs);
  /** Units that were previewed and are not in the transaction: one begins with them, whatever the reason that it is needed. */
  const looked: ShadowUnit[] = [];
  /** Those that are in it: after a server that went away it is begun anew. */
  const inside: ShadowUnit[] = [];
  const stays = new Set<TaskId>();
  const found: FoundRows = new Map();
  let ending: PreviewEnd = { way: 'query', traces: { deadRows: [], sequences: [] } };
  /** Row versions by table that the server counted before the transaction wrote any. */
  let started: DeadRows | undefined;
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

  const close = async (): Promise<void> => {
    const open = session;
    session = undefined;
    if (open === undefined) return;
    if (started !== undefined) {
      const done = stays.size === 0 ? {} : { stays: [...stays] };
      ending = { way: 'transaction', traces: await tracesOf(open, started), ...done };
    }
    await open.query('rollback').catch(() => undefined);
    await open.close();
  };
  /** The transaction is gone with all that was in it, and nothing of it is to be asked: the next unit begins another. */
  const beginAnew = async (): Promise<void> => {
    const lost = session;
    [session, started] = [undefined, undefined];
    found.clear();
    looked.unshift(...inside.splice(0));
    await lost?.close().catch(() => undefined);
  };
  const end = async (): Promise<PreviewEnd> => {
    over.abort();
    await close();
    const notLookedAt = madeSqlInWords(jobs);
    return notLookedAt.length === 0 ? ending : { ...ending, notLookedAt };
  };

  /** What the unit's query alone tells; `undefined` where the unit has to be run. */
  const lookAt = async (unit: ShadowUnit, signal: CancelSignal, durationMs: () => number) => {
    session ??= await warehouse.connect('unit');
    running = cancellable(session, signal);
    if (timedOut) running.stop();
    try {
      const outcome = await shadowOutcome(running.session, unit, jobs.length > 1, durationMs);
      await running.session.query('rollback');
      return outcome;
    } catch (error) {
      if (isCancellation(error) || !(error instanceof WarehouseError) || error.kind === 'connection') throw error;
      return undefined;
    }
  };

  const execute = async (job: UnitJob, signal: CancelSignal): Promise<UnitOutcome> => {
    const unitStartedAt = env.clock.now();
    const durationMs = () => env.clock.now() - unitStartedAt;
    if (ended !== undefined) return ended;
    const plan = planTask(job);
    if (plan.kind === 'refused') return refusedOutcome(plan, durationMs());
    try {
      if (timedOut) throw outOfTime(timeBoxMs);
      const unit: ShadowUnit = { job, plan, server: warehouse.description, types };
      if (apart && started === undefined && job.outside === undefined) {
        const outcome = await lookAt(unit, signal, durationMs);
        if (outcome !== undefined) {
          looked.push(unit);
          return outcome;
        }
        running?.release();
        await close();
        if (timedOut) throw outOfTime(timeBoxMs);
      }
      session ??= await begin(warehouse);
      running = cancellable(session, signal);
      if (timedOut) running.stop();
      started ??= (await leftBehind(running.session)).deadRows;
      for (let before = looked[0]; before !== undefined; before = looked[0]) {
        await previewAgain(running.session, before, found, durationMs);
        inside.push(before);
        looked.shift();
      }
      if (job.outside !== undefined) stays.add(job.task);
      const outcome = await previewUnit(running.session, unit, found, durationMs);
      if (outcome.state === 'previewed') inside.push(unit);
      return outcome;
    } catch (error) {
      const confirmed = (await running?.confirmed()) ?? true;
      if (signal.aborted && isCancellation(error)) {
        await end();
        ended = { state: 'cancelled', confirmed, durationMs: durationMs() };
        return ended;
      }
      const cause = timedOut && isCancellation(error) ? outOfTime(timeBoxMs) : error;
      const problem = session === undefined ? noSessionErrorOf(cause) : unitErrorOf(cause);
      const failed: UnitOutcome = { state: 'failed', error: problem, durationMs: durationMs() };
      // What no rollback takes back is not done once more.
      if (isLost(problem) && stays.size === 0) {
        await beginAnew();
        return failed;
      }
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
  { job, plan, server, types }: ShadowUnit,
  found: FoundRows,
  durationMs: () => number,
): Promise<UnitOutcome> {
  await session.query(`savepoint ${unitSavepoint}`);
  const start = await enterTransaction(session, job.options.settings, protectiveSettings(job.options));
  const targets = await resolveTargets(session, job, server, types);
  const position = await readPosition(session, plan.statements);
  const applied = await applyCertainly(
    {
      session,
      job,
      plan,
      targets,
      position,
      start,
      server,
      types,
    },
    true,
  );
  const outcome = outcomeOf(applied, job, durationMs, await previewMeasures(session, job, targets, found));
  if (outcome.state === 'held') {
    await session.query(`rollback to savepoint ${unitSavepoint}`);
    return outcome;
  }
  for (const { target, diff } of applied.slices) {
    const { slice } = ledgerSlice(target);
    if (target.slice.turn === 'passing' && !found.has(slice)) found.set(slice, diff.before?.rows ?? 0);
  }
  // A run's next unit finds none of these either: each has a session as new.
  await renewSession(session);
  await session.query(`release savepoint ${unitSavepoint}`);
  return outcome;
}

/** A unit that was previewed before, for those after it to see. */
async function previewAgain(session: Session, unit: ShadowUnit, ...rest: [FoundRows, () => number]): Promise<void> {
  try {
    const outcome = await previewUnit(session, unit, ...rest);
    if (outcome.state === 'held') throw new WarehouseError('other', outcome.reason, false);
  } catch (error) {
    const { kind, message, retryable } = unitErrorOf(error);
    if (isCancellation(error) || isLost({ kind, retryable })) throw error;
    const why = `${unit.job.unit}, which comes before it, could not be run again: ${message}`;
    throw new WarehouseError('other', why, false);
  }
}

async function shadowOutcome(
  session: Session,
  unit: ShadowUnit,
  amongOthers: boolean,
  durationMs: () => number,
): Promise<UnitOutcome | undefined> {
  const task = await beginShadow(session, unit, amongOthers);
  const applied = task && (await applyShadow(session, unit, task));
  return applied && outcomeOf(applied, unit.job, durationMs);
}

/** By slice: the rows that the first of several units which replace it found. Nothing of a preview is in the ledger. */
type FoundRows = Map<string, number>;

async function previewMeasures(
  session: Session,
  job: UnitJob,
  targets: readonly Target[],
  found: FoundRows,
): Promise<SliceMeasures> {
  const own = targets.filter(({ slice }) => slice.turn === 'passing');
  const last = targets.filter(({ slice }) => slice.turn === 'last').map((target) => ledgerSlice(target).slice);
  const before = [...found].filter(([slice]) => last.includes(slice));
  if (own.length === 0) return new Map(before);
  const isReadable = (await session.query(readableLedgerSql('versions'))).rows[0]?.[0] === 't';
  return new Map([...(isReadable ? await sliceMeasures(session, job, own) : []), ...before]);
}

function outcomeOf(applied: Applied, job: UnitJob, durationMs: () => number, measures?: SliceMeasures): UnitOutcome {
  const decision = decide(applied, job, measures);
  const slices = applied.slices.map(({ diff }) => diff);
  if (decision.kind === 'held') return heldOutcome(decision, applied, job, durationMs());
  return {
    state: 'previewed',
    changed: decision.kind === 'changed',
    slices,
    notes: applied.notes,
    uncounted: applied.uncounted,
    durationMs: durationMs(),
  };
}

type DeadRows = PreviewTraces['deadRows'];

/** Asked for in the transaction, after its writes were taken back: a statement that failed must not keep it silent. */
async function tracesOf(session: Session, before: DeadRows): Promise<PreviewTraces | undefined> {
  try {
    await session.query(`rollback to savepoint ${unitSavepoint}`);
    const { deadRows, sequences } = await leftBehind(session);
    const counted = new Map(before.map(({ table, rows }) => [table, rows]));
    const own = deadRows.map(({ table, rows }) => ({ table, rows: rows - (counted.get(table) ?? 0) }));
    return { deadRows: own.filter(({ rows }) => rows > 0), sequences };
  } catch {
    return undefined;
  }
}

/** The server counts for the session: what transactions before this one did may still be among it. */
async function leftBehind(session: Session): Promise<PreviewTraces> {
  const { rows } = await session.query(leftBehindSql);
  const named = (kind: string) => rows.filter(([found]) => found === kind);
  return {
    deadRows: named('dead-rows').map(([, table, count]) => ({ table: String(table), rows: Number(count) })),
    sequences: named('sequence').map(([, name]) => String(name)),
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
  env: RelationalRunner,
  jobs: readonly UnitJob[],
  options: {
    readonly signal: CancelSignal;
    readonly timeBoxMs: number;
    readonly onOutcome?: (job: UnitJob, outcome: UnitOutcome) => void;
  },
): Promise<readonly UnitOutcome[]> {
  const preview = openPreview(warehouse, env, options.timeBoxMs, jobs);
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
