import type { RecordedInput } from '../../../ledger/recorded-input.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { unitSavepoint } from '../../../warehouse/port/transaction-control.ts';
import type { JoinedUnits } from '../../batch/join-units.ts';
import { beginClaimed } from '../../claim/begin-claimed.ts';
import { type ClaimedUnit, type UnitRun, withClaim } from '../../claim/claimed-unit.ts';
import { unseenReads } from '../../hidden-inputs/unseen-reads.ts';
import type { AppliedSlice } from '../../record/applied.ts';
import { consumedInputs, readMoment } from '../../record/consumed-inputs.ts';
import { decide } from '../../record/decide.ts';
import { type CutoffUnit, readInputsOf, whyUpToDate } from '../../record/early-cutoff.ts';
import { heldOutcome } from '../../record/held-outcome.ts';
import { knownFigures } from '../../record/known-figures.ts';
import { type Marker, readMarkers } from '../../record/marker.ts';
import { type RecordedUnit, recordOutcomes } from '../../record/record.ts';
import { withCauses } from '../../record/slice-causes.ts';
import type { Cancellable } from '../../session/cancellable.ts';
import type { Target } from '../../tables/target.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import type { UnitOutcome } from '../../unit/unit-outcome.ts';
import { heldMessage } from '../../unit/unit-results.ts';
import { keepImages } from '../apply/before-image.ts';
import { readPosition } from '../task/position.ts';
import { applyTogether } from './apply-together.ts';
import { RunAlone } from './run-alone.ts';

/** Several units in one try. `job` has the slices of all of them, and the name of the first. */
export interface TogetherRun extends UnitRun {
  readonly units: JoinedUnits;
}

/** What one unit found before its task, as it would alone. */
interface DueUnit {
  readonly job: UnitJob;
  readonly marker: Marker;
  readonly cutoff: CutoffUnit;
  readonly found: readonly RecordedInput[];
  readonly moment: string | undefined;
}

/**
 * The protocol of a unit for several of them: one claim, one transaction with the locks of all slices, a marker and a record
 * for each. Throws {@link RunAlone} where one of them would not come out as it does alone, with the transaction still open, and
 * `WarehouseError`.
 */
export const runTogether = (
  run: TogetherRun,
  raw: Session,
  steps: Cancellable,
): Promise<readonly UnitOutcome[] | Extract<UnitOutcome, { state: 'busy' | 'full' }>> =>
  withClaim(run, raw, steps, (unit) => inOneTransaction(run, unit));

async function inOneTransaction(run: TogetherRun, unit: ClaimedUnit): Promise<readonly UnitOutcome[]> {
  const { units, env, types, warehouse } = run;
  const { claim, steps, durationMs } = unit;
  const { session } = steps;
  const { targets } = claim;
  // A slice that another one is named like would be one target for both.
  if (targets.length !== units.jobs.length) throw new RunAlone('its slices are not told apart');
  const start = await beginClaimed(run, session, claim);
  const due = await dueUnits(run, session, targets);
  const position = await readPosition(session, units.plan.statements);
  run.sent = true;
  const server = warehouse.description;
  const known = due.flatMap(({ marker }, index) => knownFigures(marker.previous, targets.slice(index, index + 1)));
  const open = { session, job: run.job, plan: units.plan, targets, position, start, server, types, known };
  const slices = await applyTogether(open, units);
  const decided = slices.applied.map((applied, index) => {
    const { job, marker, cutoff } = due[index] as DueUnit;
    return {
      applied,
      decision: decide({ slices: [applied], notes: [], escape: { kind: 'none' } }, job),
      job,
      marker,
      cutoff,
    };
  });
  const written = decided.flatMap(({ decision }, index) => (decision.kind === 'changed' ? [index] : []));
  const now = written.length > 0 ? await slices.publish(written) : [];
  const all: (AppliedSlice & { readonly inputs: Awaited<ReturnType<typeof consumedInputs>> })[] = [];
  for (const [index, { applied: compared, job, marker, cutoff }] of decided.entries()) {
    const after = now[index];
    const applied = after === undefined ? compared : { ...compared, taken: { ...compared.taken, after } };
    const { found, moment } = due[index] as DueUnit;
    const inputs = await consumedInputs(cutoff, found, moment);
    all.push({ ...withCauses(applied, job, marker, inputs, cutoff.unseen.unrecorded), inputs });
  }
  const changed = decided.flatMap(({ decision, job }, index) => {
    const slice = all[index];
    return decision.kind === 'changed' && slice !== undefined ? [{ job, slice }] : [];
  });
  await keepImages(session, targets, changed);
  // Nothing of it is kept where no slice is other than it was.
  if (written.length === 0) await session.query(`rollback to savepoint ${unitSavepoint}`);
  const share = Math.round(durationMs() / decided.length);
  const outcomes: UnitOutcome[] = [];
  const records: RecordedUnit[] = [];
  for (const [index, { decision, job, marker }] of decided.entries()) {
    const { inputs, ...slice } = all[index] as (typeof all)[number];
    const applied = { slices: [slice], notes: slices.notes, escape: { kind: 'none' } } as const;
    const held = decision.kind === 'held' ? heldOutcome(decision, applied, job, share) : undefined;
    const message = held === undefined ? slices.notes.join('\n') || undefined : heldMessage(held);
    const { definitionsHash } = marker;
    records.push({ job, inputs, definitionsHash, state: decision.kind, message, slices: [slice], durationMs: share });
    const state = decision.kind === 'changed' ? 'changed' : 'unchanged';
    outcomes.push(held ?? { state, slices: [slice.diff], notes: slices.notes, durationMs: share });
  }
  await recordOutcomes(session, env, claim.fence, records);
  await steps.commit();
  run.claim = undefined;
  return outcomes;
}

/** What each unit finds; none of them may have been done before, or have nothing to do. Sets the savepoint of all. */
async function dueUnits(
  { units, follows, types, warehouse }: TogetherRun,
  session: Session,
  targets: readonly Target[],
): Promise<readonly DueUnit[]> {
  const server = warehouse.description;
  const [first] = units.jobs;
  if (first === undefined) return [];
  // Statements of the same words name the same objects, whatever the interval.
  const unseen = await unseenReads(session, first, targets.slice(0, 1), server);
  if (unseen.inputs.some(({ except }) => except !== undefined))
    throw new RunAlone('its key finds rows of other slices');
  const asked = units.jobs.map((job, index) => ({
    job: { ...job, inputs: [...job.inputs, ...unseen.inputs] },
    targets: targets.slice(index, index + 1),
  }));
  const markers = await readMarkers(session, asked, follows, unseen.views);
  const due = asked.map(({ job, targets: own }, index) => {
    const marker = markers[index] as Marker;
    if (marker.committed !== undefined) throw new RunAlone('one of its intervals is done');
    if (marker.lost.length > 0) throw new RunAlone('the server lost commits');
    return { job, marker, cutoff: { session, job, targets: own, server, types, unseen } };
  });
  await session.query(`savepoint ${unitSavepoint}`);
  const [{ cutoff }] = due as [(typeof due)[number]];
  const moment = await readMoment(cutoff);
  const inputs = await readInputsOf(due);
  const looked: DueUnit[] = [];
  for (const [index, one] of due.entries()) {
    const found = inputs[index] as DueUnit['found'];
    if ((await whyUpToDate(one.cutoff, one.marker, found)) !== undefined)
      throw new RunAlone('one of its intervals has nothing to do');
    looked.push({ ...one, found, moment });
  }
  return looked;
}
