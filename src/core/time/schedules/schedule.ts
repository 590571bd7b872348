import type { CalendarOffset } from '../zones/calendar.ts';
import type { Instant } from '../zones/instant.ts';
import type { ZoneName } from '../zones/zone-name.ts';

/**
 * The data interval of a run: from its tick to the next one; empty at the tick, as Airflow 3 has it by default; or the
 * `before` milliseconds that end with the tick (`CronTriggerTimetable(…, interval=…)`), which begin at the logical date.
 */
export type IntervalShape = 'tick-to-tick' | 'zero-width' | { readonly before: number };

/**
 * When a pipeline runs. Only `cron` and `delta` give a grid of data intervals; the other kinds are kept so that
 * every surface can say why there is none. `orAssets`: events of assets start runs between the ticks too, outside the grid.
 */
export type Schedule =
  | {
      readonly kind: 'cron';
      /** As written: five fields or a preset such as `@daily`. */
      readonly expression: string;
      /** More of them: the schedule ticks whenever one of all does. Never with intervals from tick to tick. */
      readonly others?: readonly string[];
      readonly zone: ZoneName;
      readonly intervals: IntervalShape;
      readonly orAssets?: true;
    }
  | {
      readonly kind: 'delta';
      readonly step: CalendarOffset;
      readonly zone: ZoneName;
      readonly intervals: IntervalShape;
      readonly orAssets?: true;
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

/** The same grid, with runs that assets start besides. */
export const withAssets = (schedule: Schedule): Schedule =>
  schedule.kind === 'cron' || schedule.kind === 'delta' ? { ...schedule, orAssets: true } : schedule;

/** A cron schedule as one text, for people. */
export const cronText = ({ expression, others = [] }: Extract<Schedule, { kind: 'cron' }>): string =>
  [expression, ...others].join(' | ');
