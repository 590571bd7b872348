import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Grid } from '../../../src/core/time/intervals/grid.ts';
import { makeGrid } from '../../../src/core/time/intervals/make-grid.ts';
import type { Schedule, ScheduleAnchor } from '../../../src/core/time/schedules/schedule.ts';
import { type Instant, instant } from '../../../src/core/time/zones/instant.ts';
import { parseInstant, toIso } from '../../../src/core/time/zones/iso.ts';
import { lawRuns } from '../../support/laws.ts';
import { zones } from './zones.ts';

const anywhere: ScheduleAnchor = { startDate: undefined, endDate: undefined, catchup: true };
const ny = 'America/New_York';

function gridOf(schedule: Schedule, anchor = anywhere): Grid {
  const made = makeGrid(schedule, anchor);
  if (made.grid === undefined) throw new Error(made.reason);
  return made.grid;
}
const cron = (
  expression: string,
  zone = 'UTC',
  intervals: 'tick-to-tick' | 'zero-width' = 'tick-to-tick',
): Schedule => ({
  kind: 'cron',
  expression,
  zone,
  intervals,
});
function at(text: string, zone = 'UTC'): Instant {
  const found = parseInstant(text, zone);
  if (found === undefined) throw new Error(`not an instant: ${text}`);
  return found;
}
const starts = (intervals: readonly { readonly start: Instant }[]) => intervals.map(({ start }) => toIso(start));

describe('days of other lengths', () => {
  test.each([
    [ny, '2024-03-10', 23],
    [ny, '2024-11-03', 25],
    [ny, '2024-06-01', 24],
    ['Europe/Brussels', '2026-03-29', 23],
    ['Europe/Brussels', '2026-10-25', 25],
    ['Australia/Lord_Howe', '2024-06-01', 24],
  ])('%s %s has %i hourly intervals and one daily', (zone, day, hours) => {
    const next = toIso(instant(at(day, 'UTC') + 86_400_000)).slice(0, 10);
    const [from, to] = [at(day, zone), at(next, zone)];
    expect(gridOf(cron('0 * * * *', zone)).overlapping(from, to)).toHaveLength(hours);
    expect(gridOf(cron('@daily', zone)).overlapping(from, to)).toEqual([
      { start: from, next: to, data: { start: from, end: to } },
    ]);
  });
  test('hours of the morning stay hours of the morning', () => {
    const morning = gridOf(cron('0 7-8 * * *', 'America/Los_Angeles'));
    expect(starts(morning.overlapping(at('2020-03-08T14:00Z'), at('2020-03-08T16:00Z')))).toEqual([
      '2020-03-08T14:00:00Z',
      '2020-03-08T15:00:00Z',
    ]);
  });
});

describe('ends', () => {
  const daily = gridOf(cron('@daily'), { startDate: at('2026-11-01T05:00'), endDate: at('2026-11-10'), catchup: true });

  test('the first tick is at or after the start date, the last start at or before the end date', () => {
    const all = daily.overlapping(at('2020-01-01'), at('2030-01-01'));
    expect([all.length, toIso(all[0]?.start ?? instant(0)), toIso(all.at(-1)?.start ?? instant(0))]).toEqual([
      9,
      '2026-11-02T00:00:00Z',
      '2026-11-10T00:00:00Z',
    ]);
  });
  test('floor: nothing before the first tick, the end of the last interval after it', () => {
    expect(daily.floor(at('2026-11-01T23:00'))).toBeUndefined();
    expect(daily.floor(at('2026-11-05T12:00'))).toBe(at('2026-11-05'));
    expect(daily.floor(at('2027-11-05'))).toBe(at('2026-11-11'));
  });
  test('containing: the start is in it, the end is not', () => {
    expect(daily.containing(at('2026-11-05'))?.start).toBe(at('2026-11-05'));
    expect(daily.containing(at('2026-11-11'))).toBeUndefined();
    expect(daily.containing(at('2026-11-01'))).toBeUndefined();
  });
  test('a range picks what it overlaps, logical dates pick by start with both ends', () => {
    expect(starts(daily.overlapping(at('2026-11-03T12:00'), at('2026-11-05')))).toEqual([
      '2026-11-03T00:00:00Z',
      '2026-11-04T00:00:00Z',
    ]);
    expect(starts(daily.startingWithin(at('2026-11-03T12:00'), at('2026-11-05')))).toEqual([
      '2026-11-04T00:00:00Z',
      '2026-11-05T00:00:00Z',
    ]);
    expect(daily.overlapping(at('2026-11-05'), at('2026-11-05'))).toEqual([]);
    expect(daily.startingWithin(at('2026-11-05'), at('2026-11-05'))).toHaveLength(1);
  });
});

test.each<[Schedule, RegExp]>([
  [{ kind: 'none' }, /no schedule/],
  [{ kind: 'once' }, /once/],
  [{ kind: 'continuous' }, /continuously/],
  [{ kind: 'assets', assets: ['a'] }, /assets/],
  [{ kind: 'unknown', reason: 'because' }, /because/],
  [cron('0 0 * * *', 'Mars/Olympus'), /unknown time zone 'Mars\/Olympus'/],
  [cron('0 0 31 2 *'), /never fires/],
  [
    { kind: 'delta', step: { months: 0, days: 1, ms: 0 }, zone: 'UTC', intervals: 'tick-to-tick' },
    /needs a start date/,
  ],
  [{ kind: 'delta', step: { months: 0, days: 0, ms: 0 }, zone: 'UTC', intervals: 'tick-to-tick' }, /not positive/],
  [{ kind: 'delta', step: { months: 0, days: 0, ms: 0.001 }, zone: 'UTC', intervals: 'tick-to-tick' }, /milliseconds/],
  [{ kind: 'delta', step: { months: 1, days: -31, ms: 0 }, zone: 'UTC', intervals: 'tick-to-tick' }, /not positive/],
])('%o has no grid, for a reason', (schedule, reason) => {
  const made = makeGrid(schedule, anywhere);
  expect(made.grid === undefined && made.reason).toMatch(reason);
});

describe('laws', () => {
  const schedule = fc
    .tuple(
      fc.constantFrom(
        '@hourly',
        '@daily',
        '30 2 * * *',
        '0,30 1 * * *',
        '*/20 */3 * * *',
        '0 0 * * 1',
        '@monthly',
        '0 * 1 * *',
        '30 */4 * * 1-5',
      ),
      fc.constantFrom(...zones),
      fc.constantFrom('tick-to-tick' as const, 'zero-width' as const),
    )
    .map(([expression, zone, intervals]) => cron(expression, zone, intervals));
  const time = fc.integer({ min: Date.UTC(2023, 0), max: Date.UTC(2025, 0) }).map(instant);
  const span = fc.integer({ min: 1, max: 30 * 24 * 3_600_000 });

  test('a grid tiles, whatever was asked before', () => {
    fc.assert(
      fc.property(schedule, fc.array(fc.tuple(time, span), { minLength: 1, maxLength: 4 }), (plan, asked) => {
        const grid = gridOf(plan);
        for (const [from, length] of asked) {
          const to = instant(from + length);
          const found = grid.overlapping(from, to);
          expect(found[0]?.start).toBeLessThanOrEqual(from);
          expect(found.at(-1)?.next).toBeGreaterThanOrEqual(to);
          expect(found.slice(1).every(({ start }, index) => found[index]?.next === start && start < to)).toBe(true);
          expect(found).toEqual(gridOf(plan).overlapping(from, to));
          expect(grid.containing(from)).toEqual(found[0]);
          expect(grid.floor(from)).toBe(found[0]?.start);
        }
      }),
      { numRuns: lawRuns(150) },
    );
  });
  test('behind an end date the first question has the same answer as a later one', () => {
    const far = instant(Date.UTC(2022, 0));
    fc.assert(
      fc.property(schedule, time, fc.integer({ min: -40, max: 400 }), (plan, endDate, days) => {
        const anchor = { ...anywhere, endDate };
        const asked = instant(endDate + days * 86_400_000);
        const used = gridOf(plan, anchor);
        const last = used.overlapping(far, instant(asked + 1)).at(-1);
        expect(last).toBeDefined();
        expect(gridOf(plan, anchor).floor(asked)).toBe(last && (last.next <= asked ? last.next : last.start));
        expect(gridOf(plan, anchor).containing(asked)).toEqual(last && last.next > asked ? last : undefined);
        expect(gridOf(plan, anchor).overlapping(asked, instant(asked + 1))).toEqual(
          used.overlapping(asked, instant(asked + 1)),
        );
      }),
      { numRuns: lawRuns(60) },
    );
  });
  test('a start date takes ticks away and moves none', () => {
    fc.assert(
      fc.property(schedule, time, span, (plan, start, length) => {
        const from = instant(start + 40 * 86_400_000);
        const anchored = gridOf(plan, { ...anywhere, startDate: start });
        expect(anchored.overlapping(from, instant(from + length))).toEqual(
          gridOf(plan).overlapping(from, instant(from + length)),
        );
      }),
      { numRuns: lawRuns(150) },
    );
  });
});

describe.each([2, 3] as const)('runs of a real Airflow %i', (major) => {
  interface Run {
    readonly zone: string;
    readonly schedule: string;
    readonly logicalDate: string;
    readonly values: Readonly<Record<string, string>>;
  }
  const file = new URL(`../../fixtures/time/values-airflow${major}.json`, import.meta.url);
  const runs: readonly Run[] = JSON.parse(readFileSync(file, 'utf8')).runs;

  test.each(runs)(
    '$schedule in $zone at $logicalDate has its data interval',
    ({ zone, schedule, logicalDate, values }) => {
      const grid = gridOf(cron(schedule, zone, major === 3 ? 'zero-width' : 'tick-to-tick'));
      const interval = grid.containing(at(logicalDate));
      const { ts = '', data_interval_start: start = '', data_interval_end: end = '' } = values;
      expect(interval?.start).toBe(at(ts));
      expect(interval?.data).toEqual({ start: at(start), end: at(end) });
    },
  );
});
