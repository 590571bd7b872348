import type { TaskId } from '../../../core/pipeline/model/model.ts';
import type { Plan } from '../../../core/plan/model/plan.ts';
import type { CarriedBy } from '../../../core/run/jobs/make-carried-job.ts';
import type { PreparedJobs } from '../../../core/run/jobs/prepare-jobs.ts';
import type { PlanPurpose } from '../../../core/view/page/plan-view.ts';
import type { LiveState } from './live-workspace.ts';

/** The plan that a page of the assistant shows, frozen together with the state that it was made from. */
export interface FrozenPlan {
  /** As the page has it. */
  readonly stamp: number;
  readonly plan: Plan;
  readonly purpose: PlanPurpose;
  readonly title: string;
  readonly state: LiveState;
  /** Downstream tasks that were left out by hand. */
  readonly without: readonly TaskId[];
  /** Who is given what cannot be run from here, or everything. */
  readonly carriedBy: CarriedBy | undefined;
  /** The jobs of a stored run, as they were then. */
  readonly stored: PreparedJobs | undefined;
}
