import type { Plan, UnitId } from '../../plan/model/plan.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { RunOptions } from '../unit/run-options.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/** A plan with everything that running it needs, decided before the first statement. */
export interface PreparedRun {
  readonly run: string;
  /** One line for the history, e.g. `shop.daily 2026-11-01 … 2026-12-01 with downstream`. */
  readonly title: string;
  readonly createdBy: string;
  readonly plan: Plan;
  readonly jobs: ReadonlyMap<UnitId, UnitJob>;
  readonly refused: ReadonlyMap<UnitId, JobRefusal>;
  readonly options: RunOptions;
}
