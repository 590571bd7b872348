import type { Warehouse } from '../../../warehouse/port/ports.ts';
import type { PreparedRun } from '../../jobs/prepared-run.ts';
import { progressMeter } from '../../order/progress-meter.ts';
import type { RelationalRunner } from '../../session/runner.ts';
import type { CancelSignal } from '../../unit/cancel-signal.ts';
import type { RunEvent } from '../../unit/run-event.ts';
import { blockedUnit } from '../../unit/unit-results.ts';
import { proofUnit } from './proof-unit.ts';
import { proveUnit, type UnitProof } from './prove.ts';

export interface ProveOptions {
  readonly signal: CancelSignal;
  /** A unit is stopped after this many milliseconds. */
  readonly timeBoxMs: number;
  readonly onEvent: (event: RunEvent) => void;
}

/**
 * Runs every unit of a plan twice, one after the other in the plan's order, each by itself: what one unit writes the next
 * one does not see. Units that cannot be run from here have no proof, nor have those that a cancel came before.
 */
export async function provePlan(
  warehouse: Warehouse,
  env: RelationalRunner,
  { plan, jobs, refused }: Pick<PreparedRun, 'plan' | 'jobs' | 'refused'>,
  { signal, timeBoxMs, onEvent }: ProveOptions,
): Promise<readonly UnitProof[]> {
  const proofs: UnitProof[] = [];
  const meter = progressMeter(
    plan.units.map(({ task }) => task),
    env.clock.now(),
  );
  for (const { id, task } of plan.units) {
    if (signal.aborted) break;
    const job = jobs.get(id);
    if (job === undefined) {
      const result = blockedUnit(id, 0, refused.get(id), undefined);
      meter.ended(result, task);
      onEvent({ kind: 'unit-blocked', unit: id, result });
      continue;
    }
    onEvent({ kind: 'unit-started', unit: id, attempt: 1 });
    const startedAt = env.clock.now();
    const proof = await proveUnit(warehouse, env, job, { signal, timeBoxMs });
    proofs.push(proof);
    const result = proofUnit(proof, env.clock.now() - startedAt);
    meter.ended(result, task);
    onEvent({ kind: 'unit-finished', unit: id, result });
    onEvent({ kind: 'progress', progress: meter.read([], env.clock.now()) });
  }
  return proofs;
}
