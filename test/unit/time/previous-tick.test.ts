import { expect, test } from 'vitest';
import { previousTick } from '../../../src/core/time/intervals/previous-tick.ts';
import type { Schedule } from '../../../src/core/time/schedules/schedule.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { toIso } from '../../../src/core/time/zones/iso.ts';

const cron = (expression: string, zone = 'UTC'): Schedule => ({
  kind: 'cron',
  expression,
  zone,
  intervals: 'tick-to-tick',
});
const delta = (months: number, days: number, ms: number): Schedule => ({
  kind: 'delta',
  step: { months, days, ms },
  zone: 'UTC',
  intervals: 'tick-to-tick',
});
const before = (schedule: Schedule, at: string): string | undefined => {
  const tick = previousTick(schedule, instant(Date.parse(at)));
  return tick === undefined ? undefined : toIso(tick);
};

/** As `_get_prev` of the timetables of Airflow 2.11.2 answers. */
test.each([
  [cron('0 0 * * *'), '2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z'],
  [cron('30 8 * * *'), '2026-03-02T08:30:00Z', '2026-03-01T08:30:00Z'],
  [cron('0 3 * * 1', 'Europe/Berlin'), '2026-03-30T01:00:00Z', '2026-03-23T02:00:00Z'],
  [cron('30 2 * * *', 'America/New_York'), '2024-03-11T06:30:00Z', '2024-03-10T07:30:00Z'],
  [cron('30 2 * * *', 'America/New_York'), '2024-03-10T07:30:00Z', '2024-03-10T07:30:00Z'],
  [cron('30 1 * * *', 'America/New_York'), '2024-11-04T06:30:00Z', '2024-11-03T06:30:00Z'],
  [cron('0 * * * *', 'America/New_York'), '2024-11-03T07:00:00Z', '2024-11-03T06:00:00Z'],
  [cron('0 22 * * *', 'Europe/Warsaw'), '2024-10-27T21:00:00Z', '2024-10-26T20:00:00Z'],
  [cron('0 0 1 * *'), '2026-03-01T00:00:00Z', '2026-02-01T00:00:00Z'],
  [cron('15 */6 * * *'), '2026-03-01T00:15:00Z', '2026-02-28T18:15:00Z'],
  [delta(0, 0, 6 * 3_600_000), '2026-03-29T06:00:00Z', '2026-03-29T00:00:00Z'],
  [delta(0, 1, 0), '2026-03-29T06:00:00Z', '2026-03-28T06:00:00Z'],
  [delta(1, 0, 0), '2026-03-31T00:00:00Z', '2026-02-28T00:00:00Z'],
])('the tick before %j at %s is %s', (schedule, at, expected) => {
  expect(before(schedule, at)).toBe(expected);
});

test.each<Schedule>([
  { kind: 'none' },
  { kind: 'once' },
  { kind: 'assets', assets: ['a'] },
  { kind: 'cron', expression: '0 0 * * *', zone: 'UTC', intervals: 'zero-width' },
  { kind: 'cron', expression: 'now and then', zone: 'UTC', intervals: 'tick-to-tick' },
  { kind: 'cron', expression: '0 0 * * *', zone: 'Mars/Base', intervals: 'tick-to-tick' },
])('%j has none', (schedule) => {
  expect(before(schedule, '2026-03-02T00:00:00Z')).toBeUndefined();
});
