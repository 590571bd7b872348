import type { PlannableTask } from '../../core/plan/model/plan-request.ts';
import type { ZoneName } from '../../core/time/zones/zone-name.ts';

/** Zone in which a task's times are shown: its pipeline's. */
export function zoneOf(tasks: readonly PlannableTask[]): (task: string) => ZoneName {
  const zones = new Map(tasks.map(({ id, zone }) => [id, zone]));
  return (task) => zones.get(task) ?? 'UTC';
}
