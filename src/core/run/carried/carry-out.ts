import type { DagRun, Scheduler, TaskInstance } from '../../scheduler/port/scheduler.ts';
import { SchedulerError } from '../../scheduler/port/scheduler-error.ts';
import { executionMark, standingOf, stateInWords, type TaskStanding } from '../../scheduler/port/task-state.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { Clock } from '../unit/clock.ts';
import type { CarriedTask, UnitJob } from '../unit/unit-job.ts';
import type { CarriedHandle } from './runs/carried-handle.ts';
import { findRun, runInterval } from './runs/find-run.ts';
import { isUnsettled, unsettledNote } from './runs/run-note.ts';
import { settleRun } from './runs/settle-run.ts';
import { waitsFor } from './waits-for.ts';

/** A task that a scheduler was or will be given, and what watching it needs. */
export interface Carrying {
  readonly scheduler: Scheduler;
  readonly job: UnitJob;
  readonly carried: CarriedTask;
  readonly clock: Clock;
  readonly signal: CancelSignal;
  /** Who does it and why, for the note on the run. */
  readonly note: string;
  readonly report: (state: string) => void;
  /** Makes what is known durable; throws where the claim is gone. */
  readonly save: (handle: CarriedHandle) => Promise<void>;
  /** Throws where somebody else has the unit. */
  readonly check: () => void;
  /** Does what must not be done while somebody else of us makes the run. */
  readonly alone: (run: string, work: () => Promise<void>) => Promise<void>;
  /** Asked for several times between two looks at the task, where somebody wants to see what else goes on. */
  readonly glance?: (() => Promise<void>) | undefined;
}

/** How an execution ended, or that we were asked to stop waiting for it. */
export interface Ended {
  readonly standing: Exclude<TaskStanding, 'waiting' | 'active'> | 'not-run' | 'never' | 'stopping';
  readonly handle: CarriedHandle;
  readonly instances: readonly TaskInstance[];
  readonly notes: readonly string[];
}

const pollMs = 2000;
const glanceMs = 250;
/** A scheduler that cannot be reached is asked again for so long. */
const patienceMs = 300_000;
/** Looks at a run that may have ended and at a DAG that may be paused every so many polls. */
const everyPolls = 3;

/**
 * Has the task run, if that was not done, and waits until it has. What was started by an earlier process is found and waited for,
 * never started twice. Throws {@link SchedulerError}; `conflict`: somebody else has it run at this moment.
 */
export async function carryOut(carrying: Carrying, known: CarriedHandle): Promise<Ended> {
  let handle = known;
  let endedAtOnce = true;
  for (let again = 0; ; again++) {
    handle = await started(carrying, handle);
    const ended = await watched(carrying, handle);
    const { standing, instances } = ended;
    // Marked as a success before it ran. Or its run was just being ended when it was cleared, and the end overwrote that: nobody
    // would ever look at it again.
    if (standing !== 'not-run' && standing !== 'never') return ended;
    endedAtOnce &&= standing === 'not-run' && wereTried(handle, instances);
    // Nobody marks it each time: it is of a kind that the scheduler ends by itself, under a name of its own.
    if (again === 2 && endedAtOnce) return { ...ended, standing: 'success', notes: [...ended.notes, atOnce(carrying)] };
    if (again === 2) return ended;
    handle = { ...handle, phase: 'before', mark: executionMark(instances), tries: triesOf(instances) };
    await carrying.save(handle);
  }
}

const atOnce = ({ scheduler }: Carrying): string =>
  `${scheduler.description.name} ended it in the moment in which it began, each of three times: it does nothing there`;

async function started(carrying: Carrying, known: CarriedHandle): Promise<CarriedHandle> {
  const { scheduler, carried, save, report, alone } = carrying;
  const { dag, task } = carried;
  let handle = known;
  if (handle.phase === 'started' || handle.phase === 'ended') return handle;
  if (handle.make && handle.inRange === true) {
    handle = await madeInRange(carrying, handle);
    await save(handle);
    if (handle.phase === 'started') return handle;
  }
  if (handle.make) {
    report(`making its run ${handle.run} in ${scheduler.description.name}`);
    await alone(handle.run, async () => {
      const made = (await scheduler.run(dag, handle.run)) ?? (await madeRun(carrying, handle.run));
      handle = { ...handle, run: made.id };
      // Nothing of ours is at work in it: whoever was to be has settled it first.
      if (isUnsettled(made)) await settleRun(scheduler, carrying.clock, dag, made.id);
    });
    const instances = await scheduler.instances(dag, handle.run, task);
    handle = { ...handle, make: false, mark: executionMark(instances), tries: triesOf(instances) };
    await save(handle);
  } else {
    const now = await scheduler.instances(dag, handle.run, task);
    if (handle.phase === 'before' && executionMark(now) !== handle.mark) {
      // It was started, and we did not live to write that down.
      handle = { ...handle, phase: 'started' };
      await save(handle);
      return handle;
    }
  }
  await scheduler.clear(dag, handle.run, task);
  handle = { ...handle, phase: 'started' };
  await save(handle);
  // Nothing depends on the note.
  await scheduler.note(dag, handle.run, carrying.note).catch(() => {});
  return handle;
}

/** Who made it, and that it is not settled, is on the run from its first moment. Another run of its date may be there by now. */
async function madeRun({ scheduler, job, carried, note }: Carrying, id: string): Promise<DagRun> {
  const interval = runInterval(job);
  const asked = { id, logicalDate: interval.start, interval, note: unsettledNote(note) };
  const made = await scheduler.createRun(carried.dag, asked);
  if (made.id !== id) await findRun(scheduler, carried, { interval });
  else if (!isUnsettled(made))
    throw new SchedulerError('refused', `The run ${id} of ${carried.dag} was made without its note.`, false);
  return made;
}

/** Whether its run was made with those of its range, which we did not live to write down; it may be about to be. */
async function madeInRange(carrying: Carrying, handle: CarriedHandle): Promise<CarriedHandle> {
  const { scheduler, job, carried, clock, signal, report, check } = carrying;
  const { name } = scheduler.description;
  for (const since = clock.now(); ; ) {
    const isUnderWay = carried.range !== undefined && (await scheduler.isBackfilling(carried.dag, carried.range));
    const { run } = await findRun(scheduler, carried, { interval: runInterval(job) });
    if (run !== undefined) return { ...handle, run: run.id, make: false, phase: 'started' };
    if (!isUnderWay) return { ...handle, inRange: undefined };
    report(`${name} is making the runs of its backfill`);
    check();
    if (signal.aborted || clock.now() - since > patienceMs)
      throw new SchedulerError('other', `${name} has not made all runs of its backfill of ${carried.dag} yet.`, true);
    await clock.sleep(pollMs, signal);
  }
}

export const triesOf = (instances: readonly TaskInstance[]): CarriedHandle['tries'] =>
  Object.fromEntries(instances.map(({ mapIndex, tryNumber }) => [String(mapIndex), tryNumber]));

async function watched(carrying: Carrying, handle: CarriedHandle): Promise<Ended> {
  const { scheduler, carried, signal, report, check } = carrying;
  const { dag, task } = carried;
  const notes = new Set<string>();
  let told = '';
  let hindered: string | undefined;
  let limit: number | undefined;
  let left = 0;
  for (let poll = 1; ; poll++) {
    check();
    const instances = await patiently(carrying, () => scheduler.instances(dag, handle.run, task));
    const standing = standingOf(instances);
    const most = Math.max(0, ...instances.map(({ maxTries }) => maxTries));
    if (limit !== undefined && most > limit)
      notes.add('somebody else had it run again meanwhile; its last execution counts');
    limit = most;
    const words = stateInWords(instances);
    if (words !== told) report(`${scheduler.description.name}: ${words}`);
    told = words;
    const end = { handle, instances, notes: [...notes] };
    if (signal.aborted) return { ...end, standing: 'stopping' };
    if (standing === 'success') return { ...end, standing: ran(carrying, handle, instances) ? 'success' : 'not-run' };
    if (standing !== 'waiting' && standing !== 'active') return { ...end, standing };
    if (poll % everyPolls === 0) {
      const over = standing === 'waiting' && (await isOver(carrying, handle.run));
      left = over ? left + 1 : 0;
      if (left >= 2) return { ...end, standing: 'never' };
      const why = await whyNotYet(carrying, handle.run, standing);
      if (why !== undefined && why !== hindered) report(`${scheduler.description.name}: ${words}; ${why}`);
      hindered = why;
    }
    await pause(carrying);
  }
}

/** As long as a poll lasts, with short looks in between where they are asked for. */
async function pause({ clock, signal, glance }: Carrying): Promise<void> {
  if (glance === undefined) return clock.sleep(pollMs, signal);
  for (let waited = 0; waited < pollMs && !signal.aborted; waited += glanceMs) {
    await glance();
    await clock.sleep(glanceMs, signal);
  }
}

/**
 * A task that succeeded was tried once more than before, and took time: a try is counted when it is scheduled, and what was marked
 * as a success then has begun and ended in one moment. So has what only marks a place: the scheduler itself ends it. Of a skipped
 * one that is not asked.
 */
const ran = ({ carried }: Carrying, handle: CarriedHandle, instances: readonly TaskInstance[]): boolean =>
  wereTried(handle, instances) &&
  (carried.marks === true ||
    instances.every(
      ({ state, startedAt, endedAt }) => state !== 'success' || startedAt === undefined || startedAt !== endedAt,
    ));

const wereTried = ({ tries }: CarriedHandle, instances: readonly TaskInstance[]): boolean =>
  instances.every(
    ({ state, mapIndex, tryNumber }) => state !== 'success' || tryNumber > (tries[String(mapIndex)] ?? 0),
  );

async function isOver({ scheduler, carried }: Carrying, run: string): Promise<boolean> {
  const found = await scheduler.run(carried.dag, run).catch(() => undefined);
  return found !== undefined && (found.state === 'success' || found.state === 'failed');
}

async function whyNotYet(
  { scheduler, carried }: Carrying,
  run: string,
  standing: TaskStanding,
): Promise<string | undefined> {
  try {
    const deployed = await scheduler.dag(carried.dag);
    if (deployed?.paused === true) return 'its DAG was paused: it goes on when somebody unpauses it';
    if (!(await scheduler.health()).starts) return 'the scheduler starts nothing at the moment';
    return deployed === undefined || standing !== 'waiting'
      ? undefined
      : await waitsFor(scheduler, deployed, run, carried.task);
  } catch {
    return undefined;
  }
}

/** Asks again while the scheduler is away, as long as a run has patience. */
async function patiently<T>({ clock, signal, report, scheduler, check }: Carrying, ask: () => Promise<T>): Promise<T> {
  const since = clock.now();
  for (let told = false; ; ) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SchedulerError) || !error.retryable || signal.aborted) throw error;
      if (clock.now() - since > patienceMs) throw error;
      if (!told) report(`${scheduler.description.name} cannot be reached; asking again`);
      told = true;
      check();
      await clock.sleep(pollMs, signal);
    }
  }
}

const stopped = /killed|externally set|Terminating|terminated with exit code/i;

/**
 * Has the scheduler end the task, and looks whether that came about: at once where it had not started, else when its own log
 * says so.
 */
export async function stopCarried(
  { scheduler, carried, clock }: Pick<Carrying, 'scheduler' | 'carried' | 'clock'>,
  { run }: CarriedHandle,
  instances: readonly TaskInstance[],
): Promise<boolean> {
  const { dag, task } = carried;
  try {
    await scheduler.stop(dag, run, task);
    const running = instances.filter(({ state }) => state === 'running' || state === 'restarting');
    for (let tries = 0; tries < 20; tries++) {
      const now = await scheduler.instances(dag, run, task);
      const standing = standingOf(now);
      if (standing !== 'active' && standing !== 'waiting') {
        const logs = await Promise.all(running.map((instance) => scheduler.logTail(dag, run, instance, 20)));
        if (logs.every((lines) => lines.some((line) => stopped.test(line)))) return true;
      }
      await clock.sleep(1500);
    }
    return false;
  } catch {
    return false;
  }
}
