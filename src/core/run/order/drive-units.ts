import type { UnitRecord } from '../../ledger/ledger-store.ts';
import type { Plan, PlanUnit, UnitId } from '../../plan/model/plan.ts';
import { minHeap } from '../../plan/units/min-heap.ts';
import { slicesOverlap } from '../jobs/slices/slices-overlap.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { Clock } from '../unit/clock.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { RunEvent } from '../unit/run-event.ts';
import { awayDelay, backoffDelay, type RunOptions } from '../unit/run-options.ts';
import type { RunUnit } from '../unit/run-result.ts';
import type { UnitExecutor } from '../unit/unit-executor.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import {
  blockedUnit,
  errorUnit,
  finishedBefore,
  isCommitted,
  notStarted,
  outcomeUnit,
  stuckBusy,
} from '../unit/unit-results.ts';
import { lastCommits } from './last-commits.ts';
import { progressMeter } from './progress-meter.ts';
import { tableSlots } from './table-slots.ts';
import { waitTracker } from './wait-tracker.ts';

export interface DriveInput {
  /** Its id, by which what is left halfway is gone on with. */
  readonly run: string;
  readonly plan: Plan;
  readonly jobs: ReadonlyMap<UnitId, UnitJob>;
  /** Units that cannot be run from here; what waits for them is blocked. */
  readonly refused: ReadonlyMap<UnitId, JobRefusal>;
  /** What earlier runs of this plan left behind; committed units are not run again. */
  readonly before: ReadonlyMap<UnitId, UnitRecord>;
  readonly options: RunOptions;
  readonly executor: UnitExecutor;
  /** Makes a unit's state durable; a rejection stops the run. `lost`: the server does not have the unit's commit. */
  readonly record: (record: UnitRecord) => Promise<'recorded' | 'lost'>;
  readonly clock: Clock;
  readonly signal: CancelSignal;
  readonly onEvent: (event: RunEvent) => void;
}

export interface Driven {
  readonly units: readonly RunUnit[];
  /** Set when the ledger could not be written; nothing was started after that. */
  readonly problem: string | undefined;
  /**
   * The server turned out not to have commits that it had confirmed; nothing was started after that. What is done is to be
   * asked of the ledger again.
   */
  readonly lost: boolean;
  /** Commits that have to stand in the ledger: where they do, so do all others. */
  readonly follows: readonly UnitId[];
}

/**
 * Takes every unit of a plan to its end: in the plan's order, side by side up to the limits, each one only after all
 * that it waits for, never two at once that write the same rows. Retries what may be retried. Rejects only for a bug
 * of the executor, after the units that were running have ended.
 */
export async function driveUnits(input: DriveInput): Promise<Driven> {
  const { plan, options, executor, clock, signal } = input;
  const units: (RunUnit | undefined)[] = plan.units.map((unit) => finishedBefore(input.before.get(unit.id), input.run));
  const attempts = plan.units.map((unit) => input.before.get(unit.id)?.attempts ?? 0);
  const tries = new Map<number, Tries>();
  /** Since when no unit had an answer of a server that takes work. */
  let awaySince: number | undefined;
  const waits = waitTracker(plan);
  /** Positions: a plan's units stand in the order they should run in. */
  const queue = minHeap<number>((a, b) => a - b);
  /** Running units, each with the units that were put off because they write the same rows. */
  const running = new Map<number, number[]>();
  const meter = progressMeter(plan.units.length, clock.now());
  const places = tableSlots(plan, input.jobs);
  const commits = lastCommits([...input.before.values()].filter(isCommitted).map(({ unit }) => unit));
  const limit = Math.max(1, Math.min(options.concurrency, executor.maxConcurrency, connectionCap(input.jobs)));
  let sleeping = 0;
  let stopped = signal.aborted;
  let problem: string | undefined;
  let lost = false;
  let bug: { readonly error: unknown } | undefined;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  /** A listener that throws is a bug of its shell: it must not leave the run hanging. */
  const emit = (event: RunEvent): void => {
    try {
      input.onEvent(event);
    } catch (error) {
      bug ??= { error };
      stopped = true;
    }
  };
  const unitAt = (position: number): PlanUnit => plan.units[position] as PlanUnit;
  const idAt = (position: number): UnitId => unitAt(position).id;
  const report = (): void => emit({ kind: 'progress', progress: meter.read(running.size, clock.now()) });

  let writes: Promise<unknown> = Promise.resolve();
  /** False: the server does not have the commit that was to be noted. */
  const write = (record: UnitRecord): Promise<boolean> => {
    const written = writes.then(async () => {
      if (problem !== undefined) return true;
      try {
        return (await input.record(record)) === 'recorded';
      } catch (error) {
        problem = `the ledger could not be written: ${error instanceof Error ? error.message : String(error)}`;
        stopped = true;
        return true;
      }
    });
    writes = written;
    return written;
  };

  /** Asks the given units whether they may start, and follows every block to what waits behind it. */
  const askAll = (positions: readonly number[]): void => {
    const open = [...positions];
    for (let position = open.pop(); position !== undefined; position = open.pop()) {
      if (units[position] !== undefined) continue;
      const refusal = input.refused.get(idAt(position));
      const state = refusal === undefined ? waits.ask(position) : undefined;
      if (state?.kind === 'ready') queue.push(position);
      else if (state?.kind !== 'waiting') {
        const by = state === undefined ? undefined : units[state.by];
        const result = blockedUnit(idAt(position), attempts[position] ?? 0, refusal, by);
        settle(position, result);
        void write(result);
        emit({ kind: 'unit-blocked', unit: result.unit, result });
        open.push(...waits.settle(position, false));
      }
    }
  };

  const settle = (position: number, result: RunUnit): void => {
    units[position] = result;
    tries.delete(position);
    meter.ended(result);
  };

  const release = (position: number): void => {
    for (const put of [...(running.get(position) ?? []), ...places.free(position)]) queue.push(put);
    running.delete(position);
  };

  const finish = (position: number, result: RunUnit): void => {
    settle(position, result);
    emit({ kind: 'unit-finished', unit: result.unit, result });
    const good = isCommitted(result);
    if (!good && options.stopAtFirstFailure) stopped = true;
    askAll(waits.settle(position, good));
  };

  const rowsInUse = (position: number): number | undefined => {
    const { slices } = unitAt(position);
    for (const other of running.keys()) if (slicesOverlap(slices, unitAt(other).slices)) return other;
    return undefined;
  };

  const pump = (): void => {
    while (!stopped && running.size + (awaySince === undefined ? 0 : sleeping) < limit) {
      const position = queue.pop();
      if (position === undefined) break;
      const inUse = rowsInUse(position);
      if (inUse === undefined && places.hasPlace(position)) {
        running.set(position, []);
        places.take(position);
        void run(position);
        continue;
      }
      if (inUse !== undefined) running.get(inUse)?.push(position);
      for (const other of places.next(position)) queue.push(other);
    }
    report();
    if (running.size === 0 && sleeping === 0) end();
  };

  const run = async (position: number): Promise<void> => {
    const unit = idAt(position);
    const attempt = (attempts[position] ?? 0) + 1;
    attempts[position] = attempt;
    try {
      const job = input.jobs.get(unit);
      if (job === undefined) throw new Error(`no job was made for ${unit}`);
      await write({ ...notStarted(unit, attempt), state: 'running' });
      if (problem !== undefined || signal.aborted) {
        attempts[position] = attempt - 1;
        await write(notStarted(unit, attempt - 1));
        release(position);
        return pump();
      }
      emit({ kind: 'unit-started', unit, attempt });
      const { mark, follows } = commits.begin();
      const outcome = await executor.execute(job, signal, follows, (state) =>
        emit({ kind: 'unit-reported', unit, state }),
      );
      if (outcome.state === 'lost') return lose(position, attempt);
      if (outcome.state === 'full') {
        // It keeps its place in this run, so that no more units ask than could be let in.
        attempts[position] = attempt - 1;
        await write({ ...notStarted(unit, attempt - 1), message: `waiting for ${outcome.reason}` });
        return await untilPlace(position, attempt, outcome.reason);
      }
      const delayMs = retryDelay(position, outcome);
      if (delayMs === undefined) {
        const result =
          outcome.state === 'busy' ? stuckBusy(unit, attempt, outcome) : outcomeUnit(unit, attempt, outcome);
        if (!(await write(result))) return lose(position, attempt);
        release(position);
        if (isCommitted(result)) commits.committed(unit, mark, outcome.state === 'done-before' ? 'before' : 'now');
        finish(position, result);
      } else {
        const reason = outcome.state === 'busy' ? `waiting for ${outcome.owner}` : failureOf(outcome);
        await write({ ...notStarted(unit, attempt), message: reason });
        release(position);
        const isAway = outcome.state === 'failed' && outcome.error.away === true;
        emit({ kind: 'unit-retrying', unit, attempt, delayMs, reason, ...(isAway && { away: true as const }) });
        void retryLater(position, delayMs);
      }
    } catch (error) {
      bug ??= { error };
      stopped = true;
      release(position);
      const result = errorUnit(unit, attempt, error);
      await write(result);
      finish(position, result);
    }
    pump();
  };

  /** What the server does not have never ended, and what comes after it is not to begin. */
  const lose = (position: number, attempt: number): void => {
    lost = true;
    stopped = true;
    attempts[position] = attempt;
    release(position);
    pump();
  };

  /** The wait before the next try; `undefined` when this outcome is the last word. */
  const retryDelay = (
    position: number,
    outcome: Exclude<UnitOutcome, { state: 'full' | 'lost' }>,
  ): number | undefined => {
    const tried = tries.get(position) ?? { ...noTries };
    tries.set(position, tried);
    if (outcome.state === 'failed' && outcome.error.away) {
      tried.away += 1;
      awaySince ??= clock.now();
      return awayDelay(options, tried.away, clock.now() - awaySince);
    }
    awaySince = undefined;
    if (outcome.state === 'busy') {
      tried.busy += 1;
      return tried.busy < options.maxBusyAttempts ? backoffDelay(options, tried.busy) : undefined;
    }
    if (outcome.state !== 'failed' || !outcome.error.retryable || outcome.error.kind === 'cancelled') return undefined;
    tried.errors += 1;
    return tried.errors < options.maxAttempts ? backoffDelay(options, tried.errors) : undefined;
  };

  /** Asks again after a short wait, for as long as it takes: a place comes free when any one of the others ends. */
  const untilPlace = async (position: number, attempt: number, reason: string): Promise<void> => {
    awaySince = undefined;
    const tried = tries.get(position) ?? noTries;
    tries.set(position, { ...tried, full: tried.full + 1 });
    const delayMs = backoffDelay(options, Math.min(3, tried.full + 1));
    if (tried.full === 0)
      emit({ kind: 'unit-retrying', unit: idAt(position), attempt, delayMs, reason: `waiting for ${reason}` });
    await clock.sleep(delayMs, signal);
    if (!stopped) return run(position);
    release(position);
    pump();
  };

  const retryLater = async (position: number, delayMs: number): Promise<void> => {
    sleeping += 1;
    await clock.sleep(delayMs, signal);
    sleeping -= 1;
    queue.push(position);
    pump();
  };

  const onAbort = (): void => {
    stopped = true;
    emit({ kind: 'cancelling', running: [...running.keys()].map(idAt) });
  };
  signal.addEventListener('abort', onAbort, { once: true });

  for (const [position, result] of units.entries()) {
    if (result === undefined) continue;
    meter.before();
    waits.settle(position, isCommitted(result));
  }
  askAll(plan.units.map((_, position) => position).reverse());
  pump();
  await ended;
  await writes;
  signal.removeEventListener('abort', onAbort);
  if (bug !== undefined) throw bug.error;
  return {
    units: units.map((result, position) => result ?? notStarted(idAt(position), attempts[position] ?? 0)),
    problem,
    lost,
    follows: commits.follows,
  };
}

interface Tries {
  errors: number;
  busy: number;
  full: number;
  away: number;
}
const noTries: Readonly<Tries> = { errors: 0, busy: 0, full: 0, away: 0 };

/** All units of a run are on one connection. */
const connectionCap = (jobs: ReadonlyMap<UnitId, UnitJob>): number => {
  const [job] = jobs.values();
  return job?.options.connectionConcurrency ?? Number.POSITIVE_INFINITY;
};

const failureOf = (outcome: UnitOutcome): string =>
  outcome.state === 'failed' ? outcome.error.message : outcome.state;
