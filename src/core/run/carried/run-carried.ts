import { executionMark, isActive, stateInWords } from '../../scheduler/port/task-state.ts';
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
import { decide } from '../record/decide.ts';
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
import { aloneInRun } from './runs/alone-in-run.ts';
import { type CarriedHandle, forgetHandle, readHandle, saveHandle } from './runs/carried-handle.ts';
import type { CarriedRun } from './runs/carried-run.ts';
import { type FoundRun, findRun, isHalfMade, ownRunId, runInterval } from './runs/find-run.ts';
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
  if (found.run?.id === ownRunId(interval)) found = await alone(found.run.id, find);
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
    if (found.instances.some(isActive)) {
      await raw.query('rollback');
      await leave(run, raw, fence);
      const owner = `${scheduler.description.name}, which runs it by itself (${stateInWords(found.instances)})`;
      return { state: 'busy', owner, durationMs: durationMs() };
    }
    handle = {
      run: found.run?.id ?? ownRunId(interval),
      make: found.run === undefined || isHalfMade(found, interval),
      phase: 'before',
      mark: executionMark(found.instances),
      tries: triesOf(found.instances),
      before: handle?.before ?? (await keepBefore(session, job, targets)),
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
    note: `Backfill Assistant, run ${job.run}, by ${env.owner}`,
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

/** What was made in one go and waited for a task that failed has not begun: only we start it now. */
function inItsRange(handle: CarriedHandle | undefined, { instances }: FoundRun): CarriedHandle | undefined {
  if (handle?.inRange !== true || handle.phase !== 'started') return handle;
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
  const skipped = ended.standing === 'skipped' ? [`${scheduler.description.name} skipped it`] : [];
  const looked = seen === undefined ? [] : [observedInWords(seen)];
  const notes = [
    ...compared.notes,
    ...ended.notes,
    ...skipped,
    ...looked,
    ...(missed === undefined ? [] : [`not compared: ${missed}`]),
  ];
  const inputs = await consumedInputs(cutoff, found, moment);
  const slices = compared.slices.map((slice) => withCauses(slice, job, marker, inputs, cutoff.unseen.unrecorded));
  const measures = await sliceMeasures(session, job, claim.targets);
  const decision = decide({ ...compared, slices, escape: { kind: 'none' } }, job, measures);
  const held =
    decision.kind === 'held'
      ? heldOutcome(decision, { ...compared, slices, escape: { kind: 'none' } }, job, durationMs())
      : undefined;
  const uncompared = slices.length === 0 && missed !== undefined;
  const reason = `run by ${scheduler.description.name}, not compared: ${missed}`;
  const state =
    held !== undefined ? 'held' : uncompared ? 'done' : decision.kind === 'unchanged' ? 'unchanged' : 'changed';
  await session.query(forgetHeldSql, [job.run, job.unit]);
  if (held === undefined) await forgetHandle(session, job);
  else await saveHandle(session, job, claim.fence, handle);
  await forgetUnchanged(session, job, slices);
  const message =
    held !== undefined
      ? heldMessage(held)
      : uncompared
        ? [reason, ...ended.notes, ...looked].join('\n')
        : notes.join('\n');
  const rested = { inputs, definitionsHash: marker.definitionsHash };
  const outcome = { state, message: message === '' ? undefined : message, slices, durationMs: durationMs() } as const;
  if (seen !== undefined) await saveObservation(session, seen);
  await recordOutcome(session, job, env, claim.fence, rested, outcome);
  await steps.commit();
  run.claim = undefined;
  if (held !== undefined) return held;
  if (uncompared)
    return { state: 'not-compared', reason, notes: [...ended.notes, ...looked], durationMs: durationMs() };
  const diffs = slices.map(({ diff }) => diff);
  return { state: state === 'unchanged' ? state : 'changed', slices: diffs, notes, durationMs: durationMs() };
}

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
