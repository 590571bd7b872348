import { parseInstant } from '../../../../time/zones/iso.ts';
import type { Pipeline } from '../../../model/model.ts';
import type { DeclaredDag } from '../../../model/reader-options.ts';
import type { AirflowSettings } from './airflow-settings.ts';
import { textSchedule } from './timetables.ts';

type Times = Pick<Pipeline, 'schedule' | 'anchor' | 'zone' | 'catchup'>;

/**
 * When a DAG runs, with what a person says of it in place of what is read. Runs that no schedule makes (by hand, once, by
 * assets) have a logical date and no data interval, as Airflow gives them; the declared schedule says at which dates.
 */
export function withDeclaredTimes(read: Times, declared: DeclaredDag | undefined, settings: AirflowSettings): Times {
  if (declared === undefined) return read;
  const zone = declared.zone ?? read.zone;
  const date = (text: string | undefined) => (text === undefined ? undefined : parseInstant(text, zone));
  const catchup = declared.catchup === undefined ? read.catchup : { value: declared.catchup, at: undefined };
  const isUnscheduled = /^(?:none|once|continuous|assets)$/.test(read.schedule.value.kind);
  const shape = isUnscheduled ? 'zero-width' : settings.cronIntervals;
  return {
    schedule:
      declared.schedule === undefined
        ? read.schedule
        : { value: textSchedule(declared.schedule, zone, shape), at: undefined },
    anchor: {
      startDate: date(declared.startDate) ?? read.anchor.startDate,
      endDate: date(declared.endDate) ?? read.anchor.endDate,
      catchup: catchup.value,
    },
    zone,
    catchup,
  };
}
