import type { Instant } from '../zones/instant.ts';
import type { DataInterval } from './data-interval.ts';

/**
 * One interval of a {@link Grid}. `[start, next)` tiles the time line and is what order goes by; `data` is what the
 * scheduler hands to the run: empty under Airflow 3's default cron timetable, of a fixed length before the tick with
 * `CronTriggerTimetable(…, interval=…)`. What a run reads and writes is a function of `data`.
 */
export interface GridInterval {
  readonly start: Instant;
  readonly next: Instant;
  readonly data: DataInterval;
}

/** The ordered data intervals of one task's schedule. `[start, next)` tile: no gap, no overlap. */
export interface Grid {
  /** In ms, at most: how far `data` reaches beyond `next`. 0 unless runs have data intervals that overlap. */
  readonly overhangMs: number;
  /** Every interval with `start < to && next > from`, oldest first. Both arguments finite. */
  overlapping(from: Instant, to: Instant): readonly GridInterval[];
  /** Every interval with `first <= start && start <= last`, as Airflow's backfill picks logical dates. */
  startingWithin(first: Instant, last: Instant): readonly GridInterval[];
  /** The largest tick `<= t`, i.e. `t` floored to this grid; `undefined` before the first tick. */
  floor(t: Instant): Instant | undefined;
  /** The interval that holds `t`, if any. */
  containing(t: Instant): GridInterval | undefined;
}
