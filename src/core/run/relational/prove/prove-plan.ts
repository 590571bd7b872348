import type { TaskId } from '../../../pipeline/model/model.ts';
import type { PreparedRun } from '../../jobs/prepared-run.ts';
import { progressMeter } from '../../order/progress-meter.ts';
import { retryDelays } from '../../order/retry-delays.ts';
import { isLost } from '../../session/unit-error.ts';
import type { CancelSignal } from '../../unit/cancel-signal.ts';
import type { Clock } from '../../unit/clock.ts';
import type { RunEvent } from '../../unit/run-event.ts';
import { defaultRunOptions, type RunOptions } from '../../unit/run-options.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import { blockedUnit } from '../../unit/unit-results.ts';
import { proofUnit } from './proof-unit.ts';
import type { ProofOptions, UnitProof } from './prove.ts';

export interface ProveOptions {
  readonly signal: CancelSignal;
  readonly clock: Clock;
  readonly onEvent: (event: RunEvent) => void;
  /** What patience is had with a server that goes away. */
  readonly options?: RunOptions;
}

/**
 * Runs every unit of a plan twice, one after the other in the plan's order, each by itself: what one unit writes the next
 * one does not see, but for a table that holds one interval at a time, which those that fill it fill first. With the last of a
 * task whose rows are of all intervals, all of them are run in turn as well. Units that cannot be run from here have no proof, nor have those that a cancel came before.
 */
export async function provePlan(
  prove: (job: UnitJob, among: Pick<ProofOptions, 'fillers' | 'inTurn'>) => Promise<UnitProof>,
  { plan, jobs, refused }: Pick<PreparedRun, 'plan' | 'jobs' | 'refused'>,
  { signal, clock, onEvent, options = defaultRunOptions }: ProveOptions,
): Promise<readonly UnitProof[]> {
  const proofs: UnitProof[] = [];
  const meter = progressMeter(
    plan.units.map(({ task }) => task),
    clock.now(),
  );
  const turns = new Map<TaskId, readonly UnitJob[]>();
  /** Those of a task oldest first, whatever the order of the plan. */
  const inTurn = (task: TaskId): readonly UnitJob[] => {
    const positions = plan.byTask.get(task) ?? [];
    const own = positions.flatMap((position) => jobs.get(plan.units[position]?.id ?? '') ?? []);
    const known = turns.get(task) ?? own.flatMap((job) => [...fillersOf(job, plan, jobs), job]);
    turns.set(task, known);
    return known;
  };
  const tries = retryDelays(options, clock);
  /** A proof that a server took with it is begun anew, for as long as a run has patience. */
  const patiently = async (work: () => Promise<UnitProof>): Promise<UnitProof> => {
    for (let attempt = 1; ; attempt++) {
      const proof = await work();
      const { unit, verdict } = proof;
      const position = proofs.length;
      if (verdict.kind !== 'failed' || !isLost(verdict.error)) {
        // The server took work: how long it may be away the next time counts from then.
        tries.next(position, { state: 'cancelled', confirmed: true, durationMs: 0 });
        return proof;
      }
      const { error } = verdict;
      const delayMs = tries.next(position, { state: 'failed', error, durationMs: 0 });
      if (delayMs === undefined || signal.aborted) return proof;
      const away = error.away === true ? ({ away: true } as const) : {};
      onEvent({ kind: 'unit-retrying', unit, attempt, delayMs, reason: error.message, ...away });
      await clock.sleep(delayMs, signal);
    }
  };
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
    const startedAt = clock.now();
    const proof = await patiently(() => prove(job, { fillers: fillersOf(job, plan, jobs), inTurn: inTurn(task) }));
    proofs.push(proof);
    const result = proofUnit(proof, clock.now() - startedAt);
    meter.ended(result, task);
    onEvent({ kind: 'unit-finished', unit: id, result });
    onEvent({ kind: 'progress', progress: meter.read([], clock.now()) });
  }
  return proofs;
}

/** Units without which a table that holds one interval at a time has rows of another one, in the plan's order. */
function fillersOf(
  { filledBy = [] }: UnitJob,
  plan: PreparedRun['plan'],
  jobs: PreparedRun['jobs'],
): readonly UnitJob[] {
  const found = new Set(filledBy);
  for (const id of found) for (const before of jobs.get(id)?.filledBy ?? []) found.add(before);
  return plan.units.flatMap(({ id }) => (found.has(id) ? (jobs.get(id) ?? []) : []));
}
