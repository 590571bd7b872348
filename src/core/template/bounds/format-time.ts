import type { Instant } from '../../time/zones/instant.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { TimeForm } from '../names/symbolic-value.ts';
import { isoText, readClock, strftime } from '../python/strftime.ts';

/** The strftime patterns of the named forms that have one. */
export const formPatterns = {
  date: '%Y-%m-%d',
  'basic-date': '%Y%m%d',
  'naive-timestamp': '%Y-%m-%dT%H:%M:%S',
  'basic-timestamp': '%Y%m%dT%H%M%S',
} as const;

/**
 * Writes an instant in a form, on the clock of `zone` (UTC is what Airflow's own names use). `datetime` is written as
 * Python prints it with pendulum 3 (Airflow 2.8 and later): `2026-11-28 00:00:00+00:00`. `undefined` for a pattern
 * that Python would not write the same on every platform.
 */
export function formatTime(at: Instant, form: TimeForm, zone: ZoneName = 'UTC'): string | undefined {
  const reading = readClock(at, zone);
  if (typeof form === 'object') return strftime(reading, form.strftime);
  switch (form) {
    case 'datetime':
      return isoText(reading, ' ');
    case 'timestamp':
      return isoText(reading, 'T');
    case 'epoch-seconds':
      return String(Math.floor(at / 1000));
    default:
      return strftime(reading, formPatterns[form]);
  }
}
