import { parseCron } from '../schedules/cron.ts';
import { cronTicks } from '../schedules/cron-ticks.ts';
import type { Schedule } from '../schedules/schedule.ts';
import { type Instant, instant } from '../zones/instant.ts';
import { shift } from '../zones/shift.ts';
import { isZone } from '../zones/zone.ts';
import { cronTickBefore } from './grid-steps.ts';

/**
 * The tick before a run's logical date, as Airflow 2 gives it to the templates of a scheduled run
 * (`DAG.previous_schedule`): the schedule alone says it, also before the start date. `undefined` where the schedule has
 * no data intervals, of which Airflow gives none either.
 */
export function previousTick(schedule: Schedule, at: Instant): Instant | undefined {
  if (schedule.kind === 'delta' && schedule.intervals === 'tick-to-tick') {
    const { months, days, ms } = schedule.step;
    return shift(at, { months: -months, days: -days, ms: -ms }, 'UTC');
  }
  if (schedule.kind !== 'cron' || schedule.intervals !== 'tick-to-tick' || (schedule.others ?? []).length > 0)
    return undefined;
  const { cron } = parseCron(schedule.expression);
  return cron === undefined || !isZone(schedule.zone)
    ? undefined
    : instant(cronTickBefore(cronTicks(cron), schedule.zone, at));
}
