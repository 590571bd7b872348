import type { Plan, PlanFinding, UnitId } from '../../plan/model/plan.ts';
import type { PreparedJobs } from '../jobs/prepare-jobs.ts';
import type { ProofOptions, UnitProof } from '../relational/prove/prove.ts';
import type { RelationalRunner } from '../session/runner.ts';
import type { Forecast } from '../unit/forecast.ts';
import type { PreviewEnd } from '../unit/preview-end.ts';
import type { UnitExecutor } from '../unit/unit-executor.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/** What a shell asks of the protocol that the units of a warehouse go by. All but `executor` and `preview` throw `WarehouseError`. */
export interface UnitEngine {
  executor(env: RelationalRunner): UnitExecutor;
  /** A preview under way: nothing of it is kept. `end` may be called again. */
  preview(
    env: RelationalRunner,
    timeBoxMs: number,
    jobs: readonly UnitJob[],
  ): { readonly executor: UnitExecutor; end(): Promise<PreviewEnd> };
  /** A unit twice; nothing of it is kept. It is stopped after `timeBoxMs`. */
  prove(env: RelationalRunner, job: UnitJob, how: ProofOptions): Promise<UnitProof>;
  /** The jobs with what is to be confirmed of them, and without those that cannot be carried out in this way. */
  sift<T extends PreparedJobs>(prepared: T): Promise<T>;
  /** What the database has against a plan. */
  preflight(plan: Plan, jobs: ReadonlyMap<UnitId, UnitJob>): Promise<readonly PlanFinding[]>;
  forecast(jobs: readonly UnitJob[], purpose: 'run' | { readonly timeBoxMs: number }): Promise<Forecast>;
}
