import type { TypeCache } from '../../warehouse/describe-tables.ts';
import { deleteClaimSql } from '../../warehouse/dialects/postgres/claim-sql.ts';
import type { Session, Warehouse } from '../../warehouse/ports.ts';
import { unitSavepoint } from '../../warehouse/transaction-control.ts';
import type { UnitJob } from '../unit-job.ts';
import type { UnitOutcome } from '../unit-outcome.ts';
import { applyCertainly } from './apply-certainly.ts';
import { keepImages } from './before-image.ts';
import type { Cancellable } from './cancellable.ts';
import { claimSlices } from './claim.ts';
import { consumedInputs, readMoment } from './consumed-inputs.ts';
import { readInputs, whyUpToDate } from './cutoff.ts';
import { decide } from './decide.ts';
import { holdFence, lockSlices, lockTables } from './fence.ts';
import type { Heartbeat } from './heartbeat.ts';
import { readMarker, readPosition } from './marker.ts';
import { recordOutcome } from './record.ts';
import type { RelationalEnv } from './relational-env.ts';
import { enterTransaction, protectiveSettings, type StartSettings } from './session-settings.ts';
import { withCauses } from './slice-causes.ts';
import type { Target } from './target.ts';
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

/** The protocol, step by step. Throws {@link WarehouseError} with the transaction still open; the caller cleans up. */
export async function runUnit(run: UnitRun, raw: Session, steps: Cancellable): Promise<UnitOutcome> {
  const { job, env, warehouse } = run;
  const { session } = steps;
  const startedAt = env.clock.now();
  const durationMs = () => env.clock.now() - startedAt;
  const claim = await claimSlices(session, job, warehouse, env, run.types);
  if (claim.kind === 'busy') return { state: 'busy', owner: claim.owner, durationMs: durationMs() };
  if (claim.kind === 'full') return { state: 'full', reason: claim.reason, durationMs: durationMs() };
  const held = { fence: claim.fence, lost: false };
  run.claim = held;
  const unwatch = run.heartbeat.watch(claim.fence, job.run, job.options.leaseMs, () => {
    held.lost = true;
    steps.stop();
  });
  try {
    const start = await begin(run, session, claim.fence, claim.targets);
    const marker = await readMarker(session, job, claim.targets);
    if (marker.committed !== undefined) {
      await raw.query('rollback');
      await raw.query(deleteClaimSql, [claim.fence]);
      run.claim = undefined;
      return { state: 'done-before', slices: marker.committed, durationMs: durationMs() };
    }
    await session.query(`savepoint ${unitSavepoint}`);
    const { plan, types } = run;
    const server = warehouse.description;
    const cutoff = { session, job, targets: claim.targets, server, types };
    const moment = await readMoment(cutoff);
    const found = await readInputs(cutoff, marker);
    const { definitionsHash } = marker;
    const upToDate = await whyUpToDate(cutoff, marker, found);
    if (upToDate !== undefined) {
      const ended = { state: 'skipped', message: upToDate, slices: [], durationMs: durationMs() } as const;
      await recordOutcome(session, job, env, claim.fence, { inputs: found, definitionsHash }, ended);
      await steps.commit();
      run.claim = undefined;
      return { state: 'skipped', reason: upToDate, durationMs: durationMs() };
    }
    const position = await readPosition(session);
    const applied = await applyCertainly({
      session,
      job,
      plan,
      targets: claim.targets,
      position,
      start,
      server,
      types,
    });
    const decision = decide(applied, job.options);
    if (decision.kind !== 'changed') await session.query(`rollback to savepoint ${unitSavepoint}`);
    const inputs = await consumedInputs(cutoff, found, moment);
    const slices = applied.slices.map((slice) => withCauses(slice, job, marker, inputs));
    if (decision.kind === 'changed') await keepImages(session, job, claim.targets, slices);
    await recordOutcome(
      session,
      job,
      env,
      claim.fence,
      { inputs, definitionsHash },
      {
        state: decision.kind,
        message: decision.kind === 'held' ? decision.reason : applied.notes.join('\n') || undefined,
        slices,
        durationMs: durationMs(),
      },
    );
    await steps.commit();
    run.claim = undefined;
    const diffs = slices.map(({ diff }) => diff);
    return decision.kind === 'held'
      ? { state: 'held', code: decision.code, reason: decision.reason, slices: diffs, durationMs: durationMs() }
      : { state: decision.kind, slices: diffs, notes: applied.notes, durationMs: durationMs() };
  } finally {
    unwatch();
  }
}

/** BEGIN, fence, lock: from here on the slices are this unit's alone. */
async function begin(
  { job, warehouse }: UnitRun,
  session: Session,
  fence: string,
  targets: readonly Target[],
): Promise<StartSettings> {
  await session.query('begin isolation level read committed');
  const start = await enterTransaction(session, job.options.settings, protectiveSettings(job.options));
  await holdFence(session, fence);
  if (warehouse.leases === 'server') await lockSlices(session, targets);
  if (job.options.lockTable) await lockTables(session, targets);
  return start;
}
