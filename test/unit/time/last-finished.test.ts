import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastFinished } from '../../../src/core/time/intervals/last-finished.ts';
import { makeGrid } from '../../../src/core/time/intervals/make-grid.ts';
import type { Schedule } from '../../../src/core/time/schedules/schedule.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { lawRuns } from '../../support/laws.ts';
import { zones } from './zones.ts';

const schedule: fc.Arbitrary<Schedule> = fc
  .tuple(
    // The first ones name times that a clock change skips or repeats: there a data interval may end early or late.
    fc.constantFrom('0,30 2 * * *', '30 2 * * *', '0,30 1 * * *', '15 0,1,2,3 * * *', '*/20 */3 * * *', '0 5 * * *'),
    fc.constantFrom(...zones),
    fc.constantFrom('tick-to-tick' as const, 'zero-width' as const),
  )
  .map(([expression, zone, intervals]) => ({ kind: 'cron', expression, zone, intervals }));
const march = { min: Date.UTC(2024, 2, 1), max: Date.UTC(2024, 3, 15) };
const november = { min: Date.UTC(2024, 8, 25), max: Date.UTC(2024, 10, 10) };
const now = fc.oneof(fc.integer(march), fc.integer(november)).map(instant);
const week = 7 * 86_400_000;

describe('the last finished interval', () => {
  test('is the newest whose data has ended, and all before it have ended too', () => {
    fc.assert(
      fc.property(schedule, now, fc.option(fc.integer({ min: -week, max: week })), (plan, time, ending) => {
        const endDate = ending === null ? undefined : instant(time + ending);
        const { grid } = makeGrid(plan, { startDate: instant(time - 2 * week), endDate, catchup: true });
        if (grid === undefined) throw new Error('no grid');
        const all = grid.overlapping(instant(time - 2 * week), instant(time + week));
        const ended = all.filter(({ data }) => data.end <= time);
        expect(lastFinished(grid, time)).toEqual(ended.at(-1));
        expect(ended).toEqual(all.slice(0, ended.length));
      }),
      { numRuns: lawRuns(1500) },
    );
  });
});
