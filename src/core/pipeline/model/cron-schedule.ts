import { parseCron } from '../../time/schedules/cron.ts';
import type { IntervalShape, Schedule } from '../../time/schedules/schedule.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** A schedule from the text of a cron expression or preset; one that no scheduler would take is unknown, with its reason. */
export function cronSchedule(expression: string, zone: ZoneName, intervals: IntervalShape): Schedule {
  const parsed = parseCron(expression);
  return parsed.cron === undefined
    ? { kind: 'unknown', reason: `${JSON.stringify(expression)} is no cron expression: ${parsed.reason}` }
    : { kind: 'cron', expression, zone, intervals };
}
