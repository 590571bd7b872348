import type { UnitRecord } from '../../ledger/ledger-store.ts';
import type { Plan, PlanUnit, UnitId } from '../../plan/model/plan.ts';
import type { Instant } from '../../time/zones/instant.ts';
import { slicesOverlap } from '../jobs/slices/slices-overlap.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { Clock } from '../unit/clock.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { RunEvent } from '../unit/run-event.ts';
import type { RunOptions } from '../unit/run-options.ts';
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
import { joinedPositions } from './joined-positions.ts';
import { lastCommits } from './last-commits.ts';
import { progressMeter, type Running } from './progress-meter.ts';
import { readyUnits } from './ready-units.ts';
import { retryDelays, type SettledOutcome } from './retry-delays.ts';
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
  /** Makes states of units durable; a rejection stops the run. Gives the units whose commit the server does not have. */
  readonly record: (records: readonly UnitRecord[]) => Promise<readonly UnitId[]>;
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
  const tries = retryDelays(options, clock);
  const waits = waitTracker(plan);
  /** Positions: a plan's units stand in the order they should run in. */
  const queue = readyUnits();
  /** Running units, each with the units that were put off because they write the same rows. */
  const running = new Map<number, number[]>();
  /** Units, or several of them in one go, that run side by side. */
  let works = 0;
  const together = joinedPositions(plan, input.jobs, executor.together);
  const places = tableSlots(plan, input.jobs);
  const commits = lastCommits([...input.before.values()].filter(isCommitted).map(({ unit }) => unit));
  const limit = Math.max(1, Math.min(options.concurrency, executor.maxConcurrency, connectionCap(input.jobs)));
  const tasksOf = plan.units.map(({ task }) => task);
  const meter = progressMeter(tasksOf, clock.now(), limit);
  /** When a running unit was begun. */
  const since = new Map<number, Instant>();
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
  const atWork = (): readonly Running[] =>
    [...running.keys()].map((position) => ({ task: unitAt(position).task, since: since.get(position) ?? clock.now() }));
  const report = (): void => emit({ kind: 'progress', progress: meter.read(atWork(), clock.now()) });

  let writes: Promise<unknown> = Promise.resolve();
  /** False: the server does not have a commit that was to be noted. */
  const write = (...records: readonly UnitRecord[]): Promise<boolean> => {
    const written = writes.then(async () => {
      if (problem !== undefined) return true;
      try {
        return (await input.record(records)).length === 0;
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
      if (state?.kind === 'ready') queue.put(position);
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
    tries.ended(position);
    meter.ended(result, unitAt(position).task);
  };

  /** The first of them took the place of all. */
  const release = (positions: readonly number[]): void => {
    const [first] = positions;
    const put = positions.flatMap((position) => running.get(position) ?? []);
    for (const position of [...put, ...(first === undefined ? [] : places.free(first))]) queue.put(position);
    for (const position of positions) running.delete(position);
    works -= 1;
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
    while (!stopped && works + (tries.isAway() ? sleeping : 0) < limit) {
      const position = queue.take();
      if (position === undefined) break;
      const inUse = rowsInUse(position);
      if (inUse === undefined && places.hasPlace(position)) {
        const isFree = (other: number) => (queue.has(other) || places.has(other)) && rowsInUse(other) === undefined;
        const positions = together.from(position, isFree);
        for (const one of positions) {
          queue.remove(one);
          places.remove(one);
          running.set(one, []);
        }
        places.take(position);
        works += 1;
        void run(positions);
        continue;
      }
      if (inUse !== undefined) running.get(inUse)?.push(position);
      for (const other of places.next(position)) queue.put(other);
    }
    report();
    if (running.size === 0 && sleeping === 0) end();
  };

  /** `positions`: one unit, or several in one go; the first stands for all. */
  const run = async (positions: readonly number[]): Promise<void> => {
    for (const position of positions) attempts[position] = tried(position) + 1;
    try {
      const jobs = positions.map(jobAt);
      await write(
        ...positions.map((position) => ({ ...notStarted(idAt(position), tried(position)), state: 'running' as const })),
      );
      if (problem !== undefined || signal.aborted) {
        await write(...positions.map(takenBack));
        release(positions);
        return pump();
      }
      for (const position of positions) {
        since.set(position, clock.now());
        emit({ kind: 'unit-started', unit: idAt(position), attempt: tried(position) });
      }
      const { mark, follows } = commits.begin();
      const outcomes = await execute(jobs, follows);
      if ('apart' in outcomes) {
        await write(...positions.map(takenBack));
        together.keepApart(positions, outcomes.always);
        for (const position of positions)
          emit({ kind: 'unit-reported', unit: idAt(position), state: `runs alone, because ${outcomes.apart}` });
        release(positions);
        for (const position of positions) queue.put(position);
        return pump();
      }
      const [outcome] = outcomes;
      if (outcome?.state === 'lost') return lose(positions);
      if (outcome?.state === 'full') {
        // They keep their place in this run, so that no more units ask than could be let in.
        const message = `waiting for ${outcome.reason}`;
        await write(...positions.map((position) => ({ ...takenBack(position), message })));
        return await untilPlace(positions, outcome.reason);
      }
      await settleAll(positions, outcomes as readonly SettledOutcome[], mark);
    } catch (error) {
      bug ??= { error };
      stopped = true;
      release(positions);
      const results = positions.map((position) => errorUnit(idAt(position), tried(position), error));
      await write(...results);
      for (const [index, result] of results.entries()) finish(positions[index] as number, result);
    }
    pump();
  };

  const tried = (position: number): number => attempts[position] ?? 0;

  const jobAt = (position: number): UnitJob => {
    const job = input.jobs.get(idAt(position));
    if (job === undefined) throw new Error(`no job was made for ${idAt(position)}`);
    return job;
  };

  /** As though it had not been tried. */
  const takenBack = (position: number): RunUnit => {
    attempts[position] = tried(position) - 1;
    return notStarted(idAt(position), tried(position));
  };

  const execute = async (
    jobs: readonly UnitJob[],
    follows: readonly UnitId[],
  ): Promise<readonly UnitOutcome[] | { readonly apart: string; readonly always: boolean }> => {
    const [job, ...others] = jobs;
    if (job === undefined) return [];
    if (others.length > 0 && executor.together !== undefined) return executor.together.execute(jobs, signal, follows);
    return [
      await executor.execute(job, signal, follows, (state) => emit({ kind: 'unit-reported', unit: job.unit, state })),
    ];
  };

  /** Ends the units, or has them tried again; those of one go were committed together. */
  const settleAll = async (
    positions: readonly number[],
    outcomes: readonly SettledOutcome[],
    mark: number,
  ): Promise<void> => {
    const delays = positions.map((position, index) => tries.next(position, outcomes[index] as SettledOutcome));
    const results = positions.map((position, index): RunUnit => {
      const [outcome, unit] = [outcomes[index] as SettledOutcome, idAt(position)];
      if (delays[index] !== undefined) {
        const message = outcome.state === 'busy' ? `waiting for ${outcome.owner}` : failureOf(outcome);
        return { ...notStarted(unit, tried(position)), message };
      }
      return outcome.state === 'busy'
        ? stuckBusy(unit, tried(position), outcome)
        : outcomeUnit(unit, tried(position), outcome);
    });
    if (!(await write(...results))) return lose(positions);
    release(positions);
    const committed = results.findLastIndex((result) => isCommitted(result));
    if (committed >= 0) {
      const found = outcomes[committed]?.state === 'done-before' ? 'before' : 'now';
      commits.committed(idAt(positions[committed] as number), mark, found);
    }
    const again: number[] = [];
    for (const [index, position] of positions.entries()) {
      const [result, outcome, delayMs] = [results[index] as RunUnit, outcomes[index], delays[index]];
      if (delayMs === undefined) finish(position, result);
      else {
        again.push(position);
        const isAway = outcome?.state === 'failed' && outcome.error.away === true;
        const reason = result.message ?? '';
        const retrying = { unit: result.unit, attempt: tried(position), delayMs, reason };
        emit({ kind: 'unit-retrying', ...retrying, ...(isAway && { away: true as const }) });
      }
    }
    const delayMs = Math.max(0, ...delays.map((delay) => delay ?? 0));
    if (again.length > 0) void retryLater(again, delayMs);
  };

  /** What the server does not have never ended, and what comes after it is not to begin. */
  const lose = (positions: readonly number[]): void => {
    lost = true;
    stopped = true;
    release(positions);
    pump();
  };

  /** Asks again after a short wait, for as long as it takes: a place comes free when any one of the others ends. */
  const untilPlace = async (positions: readonly number[], reason: string): Promise<void> => {
    const { delayMs, isFirst } = tries.full(positions[0] ?? 0);
    if (isFirst)
      for (const position of positions) {
        const attempt = tried(position) + 1;
        emit({ kind: 'unit-retrying', unit: idAt(position), attempt, delayMs, reason: `waiting for ${reason}` });
      }
    await clock.sleep(delayMs, signal);
    if (!stopped) return run(positions);
    release(positions);
    pump();
  };

  const retryLater = async (positions: readonly number[], delayMs: number): Promise<void> => {
    sleeping += 1;
    await clock.sleep(delayMs, signal);
    sleeping -= 1;
    for (const position of positions) queue.put(position);
    pump();
  };

  const onAbort = (): void => {
    stopped = true;
    emit({ kind: 'cancelling', running: [...running.keys()].map(idAt) });
  };
  signal.addEventListener('abort', onAbort, { once: true });

  for (const [position, result] of units.entries()) {
    if (result === undefined) continue;
    meter.before(unitAt(position).task);
    waits.settle(position, isCommitted(result));
  }
  // Only an estimate: nothing waits for it.
  const known = executor.usual?.(plan.units.flatMap(({ id }) => input.jobs.get(id) ?? [])).then(
    (usual) => meter.expect(usual),
    (error: unknown) => {
      bug ??= { error };
    },
  );
  executor.expect?.(plan.units.flatMap(({ id }, position) => (units[position] ? [] : (input.jobs.get(id) ?? []))));
  askAll(plan.units.map((_, position) => position).reverse());
  pump();
  await ended;
  await executor.end?.();
  await writes;
  await known;
  signal.removeEventListener('abort', onAbort);
  if (bug !== undefined) throw bug.error;
  return {
    units: units.map((result, position) => result ?? notStarted(idAt(position), attempts[position] ?? 0)),
    problem,
    lost,
    follows: commits.follows,
  };
}

/** Where units of a run are on several connections, the least that one of them takes. */
const connectionCap = (jobs: ReadonlyMap<UnitId, UnitJob>): number => {
  let least = Number.POSITIVE_INFINITY;
  for (const { options } of jobs.values()) least = Math.min(least, options.connectionConcurrency ?? least);
  return least;
};

const failureOf = (outcome: UnitOutcome): string =>
  outcome.state === 'failed' ? outcome.error.message : outcome.state;
