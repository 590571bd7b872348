import type { Instant } from '../zones/instant.ts';
import type { DataInterval } from './data-interval.ts';

/**
 * One interval of a {@link Grid}. `[start, next)` tiles the time line and is what selection, order and lineage use;
 * `data` is what the scheduler hands to the run, and is empty under Airflow 3's default cron timetable.
 */
export interface GridInterval {
  readonly start: Instant;
  readonly next: Instant;
  readonly data: DataInterval;
}

/** The ordered data intervals of one task's schedule. They tile: no gap, no overlap. */
export interface Grid {
  /** Every interval with `start < to && next > from`, oldest first. Both arguments finite. */
  overlapping(from: Instant, to: Instant): readonly GridInterval[];
  /** Every interval with `first <= start && start <= last`, as Airflow's backfill picks logical dates. */
  startingWithin(first: Instant, last: Instant): readonly GridInterval[];
  /** The largest tick `<= t`, i.e. `t` floored to this grid; `undefined` before the first tick. */
  floor(t: Instant): Instant | undefined;
  /** The interval that holds `t`, if any. */
  containing(t: Instant): GridInterval | undefined;
}
