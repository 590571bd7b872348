import type { CalendarOffset } from './calendar.ts';
import type { Instant } from './instant.ts';
import type { ZoneName } from './zone-name.ts';

/**
 * When a pipeline runs. Only `cron` and `delta` give a grid of data intervals; the other kinds are kept so that
 * every surface can say why there is none.
 */
export type Schedule =
  | {
      readonly kind: 'cron';
      /** As written: five fields or a preset such as `@daily`. */
      readonly expression: string;
      readonly zone: ZoneName;
      /** `zero-width` is Airflow 3's default for a cron string: data interval start = end = logical date. */
      readonly intervals: 'tick-to-tick' | 'zero-width';
    }
  | {
      readonly kind: 'delta';
      readonly step: CalendarOffset;
      readonly zone: ZoneName;
      readonly intervals: 'tick-to-tick' | 'zero-width';
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'once' }
  | { readonly kind: 'continuous' }
  | { readonly kind: 'assets'; readonly assets: readonly string[] }
  | { readonly kind: 'unknown'; readonly reason: string };

/** What places a schedule's grid in time. Bounds as Airflow has them: both tick times inclusive. */
export interface ScheduleAnchor {
  /** First possible logical date; a timedelta grid is anchored here. */
  readonly startDate: Instant | undefined;
  readonly endDate: Instant | undefined;
  /** With `false` Airflow snaps a timedelta schedule to multiples of the delta since the epoch. */
  readonly catchup: boolean;
}
