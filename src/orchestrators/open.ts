import type { Scheduler } from '../core/scheduler/port/scheduler.ts';
import type { SchedulerConfig } from '../core/scheduler/port/scheduler-config.ts';

/** Opens a scheduler; its client is loaded only then. Throws {@link SchedulerError}. */
export async function openScheduler(config: SchedulerConfig): Promise<Scheduler> {
  return (await import('./airflow/open-airflow.ts')).openAirflow(config);
}
