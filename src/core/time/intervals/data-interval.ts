import type { Instant } from '../zones/instant.ts';

/**
 * The half-open range of instants `[start, end)` that one run of a task works on. Its start is the logical date.
 * `start === end` only for the zero-width intervals of Airflow 3's default cron timetable, see {@link GridInterval}.
 */
export interface DataInterval {
  readonly start: Instant;
  readonly end: Instant;
}
