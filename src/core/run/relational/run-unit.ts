import type { Session } from '../../warehouse/port/ports.ts';
import { unitSavepoint } from '../../warehouse/port/transaction-control.ts';
import { beginClaimed } from '../claim/begin-claimed.ts';
import { type ClaimedUnit, type UnitRun, withClaim } from '../claim/claimed-unit.ts';
import { consumedInputs } from '../record/consumed-inputs.ts';
import { decide } from '../record/decide.ts';
import { dueUnit } from '../record/due-unit.ts';
import { heldOutcome } from '../record/held-outcome.ts';
import { knownFigures } from '../record/known-figures.ts';
import { readMarker } from '../record/marker.ts';
import { recordOutcome } from '../record/record.ts';
import { refuseRefilled } from '../record/refuse-refilled.ts';
import { withCauses } from '../record/slice-causes.ts';
import { sliceMeasures } from '../record/slice-measures.ts';
import type { Cancellable } from '../session/cancellable.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import { heldMessage } from '../unit/unit-results.ts';
import { applyCertainly } from './apply/apply-until-certain.ts';
import { keepImages } from './apply/before-image.ts';
import { withMadeTables } from './apply/made-table.ts';
import { readPosition } from './task/position.ts';
import type { TaskPlan } from './task/task-plan.ts';

/** A unit whose statements are sent by ourselves. */
export interface SentUnit extends UnitRun {
  readonly plan: TaskPlan & { readonly kind: 'ready' };
}

/** The protocol, step by step. Throws {@link WarehouseError} with the transaction still open; the caller cleans up. */
export const runUnit = (run: SentUnit, raw: Session, steps: Cancellable): Promise<UnitOutcome> =>
  withClaim(run, raw, steps, (unit) => inOneTransaction(run, unit));

async function inOneTransaction(run: SentUnit, unit: ClaimedUnit): Promise<UnitOutcome> {
  const { job, env, plan, types, warehouse } = run;
  const { claim, steps, durationMs } = unit;
  const { session } = steps;
  const { targets } = claim;
  const start = await beginClaimed(run, session, claim);
  const due = await dueUnit(run, unit);
  if ('outcome' in due) return due.outcome;
  const { marker, cutoff, found, moment } = due;
  const position = await readPosition(session, plan.statements);
  const server = warehouse.description;
  run.sent = true;
  const known = knownFigures(marker.previous, targets);
  const applied = await applyCertainly({ session, job, plan, targets, position, start, server, types, known });
  const decision = decide(applied, job, await sliceMeasures(session, job, targets));
  const commits = decision.kind === 'changed' || (decision.kind === 'unchanged' && decision.commits);
  if (!commits) await session.query(`rollback to savepoint ${unitSavepoint}`);
  if (job.filledBy !== undefined) refuseRefilled(job, (await readMarker(session, job, targets)).inputs);
  const inputs = await consumedInputs(cutoff, found, moment);
  const slices = applied.slices.map((slice) =>
    withCauses(slice, job, marker, inputs, cutoff.unseen.unrecorded, applied.again),
  );
  const versions = decision.kind === 'changed' ? await withMadeTables(session, slices) : slices;
  const changed = decision.kind === 'changed' ? slices.map((slice) => ({ job, slice })) : [];
  await keepImages(session, targets, changed);
  const { definitionsHash } = marker;
  const held = decision.kind === 'held' ? heldOutcome(decision, { ...applied, slices }, job, durationMs()) : undefined;
  await recordOutcome(
    session,
    job,
    env,
    claim.fence,
    { inputs, definitionsHash },
    {
      state: decision.kind,
      message: held === undefined ? applied.notes.join('\n') || undefined : heldMessage(held),
      slices: versions,
      durationMs: durationMs(),
    },
  );
  await steps.commit();
  run.claim = undefined;
  const diffs = slices.map(({ diff }) => diff);
  if (held !== undefined) return held;
  const state = decision.kind === 'changed' ? 'changed' : 'unchanged';
  return { state, slices: diffs, notes: applied.notes, durationMs: durationMs() };
}
