import { executionMark, isActive, standingOf, stateInWords } from '../../scheduler/port/task-state.ts';
import { forgetHeldSql } from '../../warehouse/dialects/postgres/ledger/carried-sql.ts';
import { deleteClaimSql } from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { type ClaimedUnit, withClaim } from '../claim/claimed-unit.ts';
import { holdFence, lockSlices, lostClaim } from '../claim/fence.ts';
import type { Observation } from '../observed/observation.ts';
import { observedInWords } from '../observed/observed-in-words.ts';
import { saveObservation } from '../observed/stored-observations.ts';
import { canWatch, takeWatch } from '../observed/watch.ts';
import { consumedInputs } from '../record/consumed-inputs.ts';
import { decide, isUnchanged } from '../record/decide.ts';
import { type DueUnit, dueUnit } from '../record/due-unit.ts';
import { heldOutcome } from '../record/held-outcome.ts';
import { recordOutcome } from '../record/record.ts';
import { withCauses } from '../record/slice-causes.ts';
import { sliceMeasures } from '../record/slice-measures.ts';
import type { Cancellable } from '../session/cancellable.ts';
import { enterTransaction, keepSettings, protectiveSettings } from '../session/session-settings.ts';
import { resolveTargets } from '../tables/target.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import { heldMessage } from '../unit/unit-results.ts';
import { type Carrying, carryOut, type Ended, stopCarried, triesOf } from './carry-out.ts';
import { endedBadly } from './ended-badly.ts';
import { leftOut } from './left-out.ts';
import { aloneInRun } from './runs/alone-in-run.ts';
import { type CarriedHandle, forgetHandle, readHandle, saveHandle } from './runs/carried-handle.ts';
import type { CarriedRun } from './runs/carried-run.ts';
import { type FoundRun, findRun, ownRunId, runInterval } from './runs/find-run.ts';
import { beganUnasked, isUnsettled, runNote } from './runs/run-note.ts';
import { compareWithBefore, forgetUnchanged, keepBefore } from './runs/slices-around.ts';
import { startObserving } from './start-observing.ts';

/**
 * The protocol of a unit that a scheduler carries out: claim, locks of the session, whether it is due, figures and rows of
 * before, both committed; then the task, there; then figures, the comparison and the record in a transaction of their own. Not
 * kept, as against our own engine: nothing is rolled back, so that what a guard finds is there already; and rows outside of the
 * slices are not looked for. Throws {@link WarehouseError} and {@link SchedulerError}.
 */
export const runCarried = (run: CarriedRun, raw: Session, steps: Cancellable): Promise<UnitOutcome> =>
  withClaim(run, raw, steps, (unit) => around(run, unit));

async function around(run: CarriedRun, unit: ClaimedUnit): Promise<UnitOutcome> {
  const { scheduler, carried, reached, warehouse, env, signal } = run;
  const { job } = reached;
  const { claim, raw, steps, durationMs } = unit;
  const { session } = steps;
  const { fence } = claim;
  const interval = runInterval(job);
  const alone = <T>(of: string, work: () => Promise<T>): Promise<T> =>
    aloneInRun({ session: raw, warehouse, clock: env.clock, signal }, carried.dag, of, work);
  const find = (): Promise<FoundRun> => findRun(scheduler, carried, { interval });
  let found = await find();
  // What is just being made is not as it looks.
  if (found.run !== undefined && isUnsettled(found.run)) found = await alone(found.run.id, find);
  const unmade = found.run === undefined || isUnsettled(found.run);
  await keepSettings(session, job.options.settings, protectiveSettings(job.options));
  if (warehouse.leases === 'server') await lockSlices(session, claim.targets, 'session end');
  await begin(session, job, fence);
  const targets = await resolveTargets(session, job, warehouse.description, run.types);
  const due = await dueUnit({ ...run, job }, { ...unit, claim: { ...claim, targets } });
  if ('outcome' in due) {
    run.claim = undefined;
    return due.outcome;
  }
  let handle = inItsRange(await readHandle(session, job), found);
  if (handle === undefined || handle.phase === 'over') {
    // What began by itself in a run that nobody has settled is ended before it is our turn.
    if (!unmade && found.instances.some(isActive)) {
      await raw.query('rollback');
      await leave(run, raw, fence);
      const owner = `${scheduler.description.name}, which runs it by itself (${stateInWords(found.instances)})`;
      return { state: 'busy', owner, durationMs: durationMs() };
    }
    handle = {
      run: found.run?.id ?? ownRunId(interval),
      make: unmade,
      phase: 'before',
      mark: executionMark(found.instances),
      tries: triesOf(found.instances),
      before: handle?.before ?? (await keepBefore(session, job, targets)),
      ahead: handle?.before === undefined ? found.run === undefined : handle.ahead,
      watch: reached.missed !== undefined && canWatch(warehouse) ? await takeWatch(session) : undefined,
    };
    await saveHandle(session, job, fence, handle);
  }
  await session.query('commit');
  const observing = startObserving(run, raw, handle);
  const carrying: Carrying = {
    scheduler,
    job,
    carried,
    clock: env.clock,
    signal,
    note: runNote(job.run, env.owner),
    report: run.report,
    // Also while stopping: what is known must not be lost.
    save: (known) => saveHandle(raw, job, fence, known),
    check: () => {
      if (run.claim?.lost === true) throw lostClaim();
    },
    alone,
    glance: observing?.glance,
  };
  for (let known = handle; ; ) {
    const ended = await carryOut(carrying, known);
    if (ended.standing === 'stopping') return stop(run, carrying, ended, unit);
    if (ended.standing !== 'success' && ended.standing !== 'skipped') {
      const outcome = await endedBadly(carrying, ended, durationMs());
      await carrying.save({ ...ended.handle, phase: 'over' });
      await leave(run, raw, fence);
      return outcome;
    }
    known = { ...ended.handle, phase: 'ended' };
    const seen = await observing?.end();
    const outcome = await settle(run, unit, due, ended, known, seen);
    if (outcome !== 'run again') return outcome;
    run.report('somebody has it run again; waiting for that');
  }
}

/**
 * What was made in one go and waited for a task that failed has not begun: only we start it now. Nor has what was ended with its run,
 * which is not settled since.
 */
function inItsRange(handle: CarriedHandle | undefined, { run, instances }: FoundRun): CarriedHandle | undefined {
  if (handle?.inRange !== true || handle.phase !== 'started') return handle;
  if (isUnsettled(run) && standingOf(instances) !== 'success') return { ...handle, phase: 'over' };
  const isLeftOut = instances.length > 0 && instances.every(({ state }) => state === 'upstream_failed');
  return isLeftOut ? { ...handle, phase: 'over' } : handle;
}

/** Compares and records, unless the task was started anew while that was done. */
async function settle(
  run: CarriedRun,
  unit: ClaimedUnit,
  { marker, cutoff, found, moment }: DueUnit,
  ended: Ended,
  handle: CarriedHandle,
  seen: Observation | undefined,
): Promise<UnitOutcome | 'run again'> {
  const { scheduler, carried, reached, env, warehouse } = run;
  const { job, missed } = reached;
  const { claim, steps, durationMs } = unit;
  const { session } = steps;
  await begin(session, job, claim.fence);
  const compared = await compareWithBefore(session, job, handle, warehouse);
  const now = await scheduler.instances(carried.dag, handle.run, carried.task);
  if (executionMark(now) !== executionMark(ended.instances)) {
    await session.query('rollback');
    return 'run again';
  }
  const made = await scheduler.run(carried.dag, handle.run).catch(() => undefined);
  const { name } = scheduler.description;
  const inputs = await consumedInputs(cutoff, found, moment);
  const slices = compared.slices.map((slice) => withCauses(slice, job, marker, inputs, cutoff.unseen.unrecorded));
  const skipped = ended.standing === 'skipped' ? await leftOut(scheduler, carried, ended) : undefined;
  const isLeftOut = skipped !== undefined && slices.every(isUnchanged);
  const uncompared = slices.length === 0 && missed !== undefined;
  const aside = [
    ...ended.notes,
    ...(skipped === undefined || isLeftOut ? [] : [`${skipped}; its rows are others than before all the same`]),
    ...(handle.ahead !== true && beganUnasked(made, job.run) ? [beganInWords(name)] : []),
    ...(seen === undefined ? [] : [observedInWords(seen)]),
  ];
  const notes = [...compared.notes, ...aside, ...(missed === undefined ? [] : [`not compared: ${missed}`])];
  const applied = { ...compared, slices, escape: { kind: 'none' } } as const;
  const measures = await sliceMeasures(session, job, claim.targets);
  // What was not run has neither emptied nor shrunk anything.
  const decision = isLeftOut ? undefined : decide(applied, job, measures);
  const held = decision?.kind === 'held' ? heldOutcome(decision, applied, job, durationMs()) : undefined;
  const asWere = slices.length === 0 ? '' : '; its rows are as they were';
  const reason = isLeftOut
    ? uncompared
      ? `${skipped}; not compared: ${missed}`
      : `${skipped}${asWere}`
    : `run by ${name}, not compared: ${missed}`;
  const state =
    held !== undefined
      ? 'held'
      : isLeftOut
        ? 'skipped'
        : uncompared
          ? 'done'
          : decision?.kind === 'unchanged'
            ? 'unchanged'
            : 'changed';
  await session.query(forgetHeldSql, [job.run, job.unit]);
  if (held === undefined) await forgetHandle(session, job);
  else await saveHandle(session, job, claim.fence, handle);
  await forgetUnchanged(session, job, slices);
  const told = isLeftOut || uncompared ? [reason, ...aside] : notes;
  const message = held !== undefined ? heldMessage(held) : told.join('\n');
  const rested = { inputs, definitionsHash: marker.definitionsHash };
  const outcome = { state, message: message === '' ? undefined : message, slices, durationMs: durationMs() } as const;
  if (seen !== undefined) await saveObservation(session, seen);
  await recordOutcome(session, job, env, claim.fence, rested, outcome);
  await steps.commit();
  run.claim = undefined;
  if (held !== undefined) return held;
  const diffs = slices.map(({ diff }) => diff);
  if (isLeftOut) return { state: 'left-out', reason, slices: diffs, notes: aside, durationMs: durationMs() };
  if (uncompared) return { state: 'not-compared', reason, notes: aside, durationMs: durationMs() };
  return { state: state === 'unchanged' ? state : 'changed', slices: diffs, notes, durationMs: durationMs() };
}

const beganInWords = (scheduler: string): string =>
  `${scheduler} had begun its run by itself before its tasks were set aside; what they had done by then may be missing from these figures`;

async function stop(run: CarriedRun, carrying: Carrying, ended: Ended, unit: ClaimedUnit): Promise<UnitOutcome> {
  run.report(`asking ${run.scheduler.description.name} to stop it`);
  const confirmed = await stopCarried(carrying, ended.handle, ended.instances);
  // Where it is not known to have stopped, it is found and waited for.
  if (confirmed) await carrying.save({ ...ended.handle, phase: 'over' });
  await leave(run, unit.raw, unit.claim.fence);
  return { state: 'cancelled', confirmed, durationMs: unit.durationMs() };
}

async function leave(run: CarriedRun, raw: Session, fence: string): Promise<void> {
  await raw.query(deleteClaimSql, [fence]);
  run.claim = undefined;
}

async function begin(session: Session, job: UnitJob, fence: string): Promise<void> {
  await session.query('begin isolation level read committed');
  await enterTransaction(session, job.options.settings, protectiveSettings(job.options));
  await holdFence(session, fence);
}
