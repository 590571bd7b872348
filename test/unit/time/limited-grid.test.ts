import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitedGrid } from '../../../src/core/time/intervals/limited-grid.ts';
import { makeGrid } from '../../../src/core/time/intervals/make-grid.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { lawRuns } from '../../support/laws.ts';

const hour = 3_600_000;
const origin = Date.UTC(2024, 2, 1);
const made = makeGrid(
  { kind: 'cron', expression: '0 5 * * *', zone: 'UTC', intervals: 'tick-to-tick' },
  { startDate: instant(origin), endDate: instant(origin + 40 * 24 * hour), catchup: true },
);
if (made.grid === undefined) throw new Error('no grid');
const { grid } = made;
const all = grid.overlapping(instant(origin - 24 * hour), instant(origin + 90 * 24 * hour));
const someHour = fc.integer({ min: -24 * 3, max: 24 * 50 }).map((hours) => instant(origin + hours * hour));

test('a limited grid answers like the list of the intervals that are left', () => {
  fc.assert(
    fc.property(fc.option(someHour), fc.option(someHour), someHour, someHour, (first, last, a, b) => {
      const limited = limitedGrid(grid, first ?? undefined, last ?? undefined);
      const left = all.filter(({ start }) => (first ?? start) <= start && start <= (last ?? start));
      expect(limited.overlapping(a, b)).toEqual(left.filter(({ start, next }) => start < b && next > a && a < b));
      expect(limited.startingWithin(a, b)).toEqual(left.filter(({ start }) => a <= start && start <= b));
      expect(limited.containing(a)).toEqual(left.find(({ start, next }) => start <= a && a < next));
      const ticks = left.flatMap(({ start, next }) => [start, next]).filter((tick) => tick <= a);
      expect(limited.floor(a)).toEqual(ticks.length === 0 ? undefined : Math.max(...ticks));
    }),
    { numRuns: lawRuns(200) },
  );
});
