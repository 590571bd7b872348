import type { CalendarOffset, CalendarUnit } from '../zones/calendar.ts';
import type { ZoneName } from '../zones/zone-name.ts';

/** One step of a {@link TimeExpression}; all are monotone, so their composition is too. */
export type TimeStep =
  | { readonly kind: 'floor'; readonly unit: CalendarUnit; readonly zone: ZoneName }
  | { readonly kind: 'shift'; readonly offset: CalendarOffset; readonly zone: ZoneName }
  /** What a clock in `from` shows, taken for a wall time of `zone`: what PostgreSQL makes of a text without an offset. */
  | { readonly kind: 'wall'; readonly from: ZoneName; readonly zone: ZoneName };

/**
 * A bound as a function of the data interval: take its start or end, then apply the steps in order. `{{ ds }}` is
 * the start floored to the day in UTC (Airflow's `ds` is the UTC date of the logical date, whatever the DAG's zone).
 */
export interface TimeExpression {
  readonly anchor: 'start' | 'end';
  readonly steps: readonly TimeStep[];
}
