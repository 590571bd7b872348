import type { TaskView } from '../source/statement-view.ts';

/** Whether Airflow itself may run the task twice for one interval: retries, a schedule, catchup that was asked for. */
export function runsAgain({ task, pipeline }: TaskView): boolean {
  if ((task.retries?.value ?? 0) > 0) return true;
  const { kind } = pipeline.schedule.value;
  if (kind === 'cron' || kind === 'delta' || kind === 'continuous' || kind === 'assets') return true;
  return pipeline.catchup.value && pipeline.catchup.at !== undefined;
}
