import type { TaskLineage } from '../core/run/observed/lineage-events.ts';
import type { Scheduler } from '../core/scheduler/port/scheduler.ts';
import type { LineageCollector, SchedulerConfig } from '../core/scheduler/port/scheduler-config.ts';

/** Opens a scheduler; its client is loaded only then. Throws {@link SchedulerError}. */
export async function openScheduler(config: SchedulerConfig): Promise<Scheduler> {
  return (await import('./airflow/open-airflow.ts')).openAirflow(config);
}

/** What the OpenLineage events of a collector say of a task. Throws where they cannot be read. */
export async function collectedLineage(collector: LineageCollector, dag: string, task: string): Promise<TaskLineage> {
  return (await import('./openlineage/read-collector.ts')).readCollector(collector, dag, task);
}
