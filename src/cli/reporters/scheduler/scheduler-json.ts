import type { DagDifference } from '../../../core/scheduler/match/match-dag.ts';
import type { SchedulerDescription, SchedulerHealth } from '../../../core/scheduler/port/scheduler.ts';

/** What a scheduler said of itself, and how its DAGs compare with those of the workspace. */
export interface SchedulerReport extends SchedulerDescription, SchedulerHealth {
  readonly dags: readonly { readonly dag: string; readonly differences: readonly DagDifference[] }[];
}

/** The `scheduler` contract of the command line. */
export const schedulerJson = ({ name, version, target, starts, troubles, dags }: SchedulerReport) => ({
  version: 1 as const,
  scheduler: { name, airflow: version, target, starts, troubles },
  dags: dags.map(({ dag, differences }) => ({
    dag,
    differences: differences.map(({ code, message, remedy, stops }) => ({ code, message, remedy, stops })),
  })),
});
