import type { RecordedInput } from '../../ledger/recorded-input.ts';
import type { TypeCache } from '../../warehouse/describe-tables.ts';
import { deleteClaimSql } from '../../warehouse/dialects/postgres/claim-sql.ts';
import type { Session, Warehouse } from '../../warehouse/ports.ts';
import { unitSavepoint } from '../../warehouse/transaction-control.ts';
import type { UnitJob } from '../unit-job.ts';
import type { UnitOutcome } from '../unit-outcome.ts';
import type { Cancellable } from './cancellable.ts';
import { type Claim, claimSlices } from './claim.ts';
import { readMoment } from './consumed-inputs.ts';
import { type CutoffUnit, readInputs, whyUpToDate } from './cutoff.ts';
import type { Heartbeat } from './heartbeat.ts';
import { type Marker, readMarker } from './marker.ts';
import { recordOutcome } from './record.ts';
import { refuseRefilled } from './refilled.ts';
import type { RelationalEnv } from './relational-env.ts';
import type { TaskPlan } from './task-plan.ts';

export interface UnitRun {
  readonly job: UnitJob;
  readonly plan: TaskPlan & { readonly kind: 'ready' };
  readonly warehouse: Warehouse;
  readonly env: RelationalEnv;
  readonly types: TypeCache;
  readonly heartbeat: Heartbeat;
  /** Set while a claim is held that nothing has deleted yet. */
  claim: { fence: string; lost: boolean } | undefined;
}

/** A unit whose slices are claimed. */
export interface ClaimedUnit {
  readonly claim: Extract<Claim, { kind: 'claimed' }>;
  /** As the driver has it, for statements that a cancel must not stop. */
  readonly raw: Session;
  readonly steps: Cancellable;
  /** Milliseconds since the claim was asked for. */
  readonly durationMs: () => number;
}

/** Claims the slices, and keeps the claim alive while the work goes on; work whose claim is lost is stopped. */
export async function withClaim(
  run: UnitRun,
  raw: Session,
  steps: Cancellable,
  work: (unit: ClaimedUnit) => Promise<UnitOutcome>,
): Promise<UnitOutcome> {
  const { job, env, warehouse } = run;
  const startedAt = env.clock.now();
  const durationMs = () => env.clock.now() - startedAt;
  const claim = await claimSlices(steps.session, job, warehouse, env, run.types);
  if (claim.kind === 'busy') return { state: 'busy', owner: claim.owner, durationMs: durationMs() };
  if (claim.kind === 'full') return { state: 'full', reason: claim.reason, durationMs: durationMs() };
  const held = { fence: claim.fence, lost: false };
  run.claim = held;
  const unwatch = run.heartbeat.watch(claim.fence, job.run, job.options.leaseMs, () => {
    held.lost = true;
    steps.stop();
  });
  try {
    return await work({ claim, raw, steps, durationMs });
  } finally {
    unwatch();
  }
}

/** What a unit that is to run knows of its last one and of its inputs. */
export interface DueUnit {
  readonly marker: Marker;
  readonly cutoff: CutoffUnit;
  readonly found: readonly RecordedInput[];
  readonly moment: string | undefined;
}

/**
 * Whether the unit has anything to do, in its transaction, with the fence and the locks held. An outcome: it was committed
 * before, or its inputs are as its last run saw them, and the unit is at its end. Else its savepoint is set.
 */
export async function dueUnit(run: UnitRun, unit: ClaimedUnit): Promise<DueUnit | { readonly outcome: UnitOutcome }> {
  const { job, env, types, warehouse } = run;
  const { claim, raw, steps, durationMs } = unit;
  const { session } = steps;
  const marker = await readMarker(session, job, claim.targets);
  if (marker.committed !== undefined) {
    await raw.query('rollback');
    await raw.query(deleteClaimSql, [claim.fence]);
    run.claim = undefined;
    return { outcome: { state: 'done-before', slices: marker.committed, durationMs: durationMs() } };
  }
  refuseRefilled(job, marker.inputs);
  await session.query(`savepoint ${unitSavepoint}`);
  const cutoff = { session, job, targets: claim.targets, server: warehouse.description, types };
  const moment = await readMoment(cutoff);
  const found = await readInputs(cutoff, marker);
  const reason = await whyUpToDate(cutoff, marker, found);
  if (reason === undefined) return { marker, cutoff, found, moment };
  const { definitionsHash } = marker;
  const ended = { state: 'skipped', message: reason, slices: [], durationMs: durationMs() } as const;
  await recordOutcome(session, job, env, claim.fence, { inputs: found, definitionsHash }, ended);
  await steps.commit();
  run.claim = undefined;
  return { outcome: { state: 'skipped', reason, durationMs: durationMs() } };
}
