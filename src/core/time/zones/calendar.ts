/** Calendar units that a time can be floored to. Weeks start on Monday, as `date_trunc('week', …)` has it. */
export type CalendarUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/**
 * A signed distance. Months and days are moved on the wall clock of a zone (months first, the day clamped to the
 * month's last one, as Postgres does), then `ms` by elapsed time.
 */
export interface CalendarOffset {
  readonly months: number;
  readonly days: number;
  readonly ms: number;
}
