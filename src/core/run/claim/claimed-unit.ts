import type { UnitId } from '../../plan/model/plan.ts';
import type { TypeCache } from '../../warehouse/catalog/describe-tables.ts';
import type { Session, Warehouse } from '../../warehouse/port/ports.ts';
import type { Cancellable } from '../session/cancellable.ts';
import type { RelationalRunner } from '../session/runner.ts';
import type { Target } from '../tables/target.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import { type Claim, claimSlices } from './claim.ts';
import type { Heartbeat } from './heartbeat.ts';

/** One try of a unit: what it needs, and how far it came, for the one who cleans up after it. */
export interface UnitRun {
  readonly job: UnitJob;
  readonly warehouse: Warehouse;
  readonly env: RelationalRunner;
  readonly types: TypeCache;
  readonly heartbeat: Heartbeat;
  /** Jobs that the same process is running. */
  readonly atWork: ReadonlySet<UnitJob>;
  /** Its targets, where they are no tables of the warehouse; else the warehouse is asked for them. */
  readonly targets?: readonly Target[] | undefined;
  /** Units of the run that were confirmed as committed; where the server does not have them, the unit does not run. */
  readonly follows: readonly UnitId[];
  /** Set while a claim is held that nothing has deleted yet. */
  claim: { fence: string; lost: boolean } | undefined;
  /** Set once its statements may have been sent. */
  sent?: boolean;
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
export async function withClaim<T>(
  run: UnitRun,
  raw: Session,
  steps: Cancellable,
  work: (unit: ClaimedUnit) => Promise<T>,
): Promise<T | Extract<UnitOutcome, { state: 'busy' | 'full' }>> {
  const { job, env } = run;
  const startedAt = env.clock.now();
  const durationMs = () => env.clock.now() - startedAt;
  const claim = await claimSlices(steps.session, run);
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
