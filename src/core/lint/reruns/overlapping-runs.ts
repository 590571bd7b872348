import type { Pipeline, Task } from '../../pipeline/model/model.ts';
import { shortestPeriodMs } from '../bounds/run-times.ts';

/** `declared`: the DAG lets several runs be under way at once; `possible`: nothing keeps it from it, and it comes to it. */
export type Overlap = 'declared' | 'possible' | 'never';

const hourMs = 3_600_000;

/**
 * Whether two runs of a DAG may be under way at once. Airflow lets 16 be where the DAG does not say it; that comes to
 * pass where days are caught up on, or where runs follow each other by the hour.
 * https://airflow.apache.org/docs/apache-airflow/stable/configurations-ref.html#max-active-runs-per-dag
 */
export function runsOverlap(pipeline: Pipeline): Overlap {
  const given = pipeline.maxActiveRuns?.value;
  if (given !== undefined) return given > 1 ? 'declared' : 'never';
  const period = shortestPeriodMs(pipeline);
  if (pipeline.format !== 'airflow' || period === undefined) return 'never';
  return pipeline.catchup.value || period <= hourMs ? 'possible' : 'never';
}

/** The task itself waits for its own run before, or one at a time is let through. */
export const isOneAtATime = (task: Task): boolean =>
  task.dependsOnPast ||
  task.arguments.some(
    ({ name, value }) =>
      /^(?:max_active_tis_per_dag|task_concurrency)$/.test(name) && value.kind === 'literal' && value.value === 1,
  );
