import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeGrid } from '../../../src/core/time/intervals/make-grid.ts';
import type { IntervalShape, ScheduleAnchor } from '../../../src/core/time/schedules/schedule.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { lawRuns } from '../../support/laws.ts';

const crons = ['0 6 * * 1-5', '30 8 * * *', '@hourly', '30 1 * * *', '0 */6 * * *', '0 0 1 * *', '15 2,14 * * 0'];
const zones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe'];
const dayMs = 86_400_000;

function gridOf(expressions: readonly string[], zone: string, intervals: IntervalShape, anchor: ScheduleAnchor) {
  const [expression = '', ...others] = expressions;
  const made = makeGrid({ kind: 'cron', expression, others, zone, intervals }, anchor);
  if (made.grid === undefined) throw new Error(made.reason);
  return made.grid;
}

/** Some weeks of a year with clock changes, wherever they fall. */
const window = fc.tuple(fc.integer({ min: 0, max: 350 }), fc.integer({ min: 1, max: 20 })).map(([day, days]) => {
  const from = Date.UTC(2024, 0, 1) + day * dayMs;
  return { from: instant(from), to: instant(from + days * dayMs) };
});

// Where the clock changes, Airflow looks for the next tick of each from the last tick of all, and so may skip one: the
// DAG files that real Airflows ran have such cases.
test('several crons tick when any of them does, each tick once, where the clock does not change', () => {
  fc.assert(
    fc.property(
      fc.subarray(crons, { minLength: 1 }),
      fc.constantFrom('UTC', 'Asia/Kolkata'),
      window,
      (expressions, zone, { from, to }) => {
        const anchor = { startDate: from, endDate: to, catchup: true };
        const ticks = (of: readonly string[]) =>
          gridOf(of, zone, 'zero-width', anchor)
            .startingWithin(from, to)
            .map(({ start }) => start);
        const expected = [...new Set(expressions.flatMap((one) => ticks([one])))].sort((a, b) => a - b);
        expect(ticks(expressions)).toEqual(expected);
      },
    ),
    { numRuns: lawRuns(150) },
  );
});

test('an interval before the tick moves the names of the runs, and neither their times nor their number', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...crons),
      fc.constantFrom(...zones),
      window,
      fc.integer({ min: 1, max: 10 * 24 }),
      (expression, zone, { from, to }, hours) => {
        const before = hours * 3_600_000;
        const anchor = { startDate: from, endDate: to, catchup: true };
        const ticks = gridOf([expression], zone, 'zero-width', anchor).startingWithin(from, to);
        const early = instant(from - 20 * dayMs);
        const runs = gridOf([expression], zone, { before }, anchor).startingWithin(early, to);
        expect(runs.map(({ data }) => data.end)).toEqual(ticks.map(({ start }) => start));
        expect(runs.map(({ start, data }) => [start, data.end - data.start])).toEqual(
          ticks.map(({ start }) => [start - before, before]),
        );
        expect(runs.slice(1).every(({ start }, index) => runs[index]?.next === start)).toBe(true);
      },
    ),
    { numRuns: lawRuns(150) },
  );
});

test('a grid asked from its end gives the same intervals as one asked from its beginning', () => {
  fc.assert(
    fc.property(
      fc.subarray(crons, { minLength: 2 }),
      fc.constantFrom(...zones),
      window,
      (expressions, zone, { from, to }) => {
        const anchor = { startDate: undefined, endDate: undefined, catchup: true };
        const whole = gridOf(expressions, zone, 'zero-width', anchor).overlapping(from, to);
        const grid = gridOf(expressions, zone, 'zero-width', anchor);
        const half = instant((from + to) / 2);
        const parts = [...grid.overlapping(half, to), ...grid.overlapping(from, half)];
        expect([...new Map(parts.map((one) => [one.start, one])).values()].sort((a, b) => a.start - b.start)).toEqual(
          whole,
        );
      },
    ),
    { numRuns: lawRuns(100) },
  );
});
