import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluateTime, exactTime } from '../../../src/core/time/expressions/evaluate-time.ts';
import type { TimeExpression, TimeStep } from '../../../src/core/time/expressions/time-expression.ts';
import type { CalendarUnit } from '../../../src/core/time/zones/calendar.ts';
import { dayMs } from '../../../src/core/time/zones/civil.ts';
import { floorTo } from '../../../src/core/time/zones/floor.ts';
import { endOfTime, type Instant, instant } from '../../../src/core/time/zones/instant.ts';
import { toIso } from '../../../src/core/time/zones/iso.ts';
import { addMonths, shift } from '../../../src/core/time/zones/shift.ts';
import { wallTime } from '../../../src/core/time/zones/wall-time.ts';
import { lastChange, toWall } from '../../../src/core/time/zones/zone.ts';
import { lawRuns } from '../../support/laws.ts';
import { zones } from './zones.ts';

const at = (text: string): Instant => instant(Date.parse(text));
const offset = (months: number, days: number, ms = 0) => ({ months, days, ms });
const ny = 'America/New_York';

test.each<[string, CalendarUnit, string, string]>([
  ['2024-03-10T15:00:00Z', 'day', ny, '2024-03-10T05:00:00Z'],
  ['2024-11-03T05:30:00Z', 'hour', ny, '2024-11-03T05:00:00Z'],
  ['2024-11-03T06:30:00Z', 'hour', ny, '2024-11-03T06:00:00Z'],
  ['2024-05-02T00:00:00Z', 'week', 'UTC', '2024-04-29T00:00:00Z'],
  ['2024-05-31T23:59:59Z', 'quarter', 'UTC', '2024-04-01T00:00:00Z'],
  ['2024-02-29T00:00:00Z', 'year', 'Europe/Berlin', '2023-12-31T23:00:00Z'],
  ['2018-11-04T12:00:00Z', 'day', 'America/Sao_Paulo', '2018-11-04T03:00:00Z'],
  ['2024-11-03T04:30:00Z', 'day', 'America/Havana', '2024-11-03T04:00:00Z'],
  ['2024-11-03T05:30:00Z', 'day', 'America/Havana', '2024-11-03T05:00:00Z'],
  ['2024-06-01T10:17:45Z', 'hour', 'Asia/Kolkata', '2024-06-01T09:30:00Z'],
])('%s floored to the %s in %s is %s', (text, unit, zone, floored) => {
  expect(toIso(floorTo(at(text), unit, zone))).toBe(floored);
});

test.each([
  ['2024-01-31T00:00:00Z', offset(1, 0), 'UTC', '2024-02-29T00:00:00Z'],
  ['2024-03-31T00:00:00Z', offset(-13, 0), 'UTC', '2023-02-28T00:00:00Z'],
  ['2024-01-31T00:00:00Z', offset(1, 1, 3_600_000), 'UTC', '2024-03-01T01:00:00Z'],
  ['2024-03-09T05:00:00Z', offset(0, 2), ny, '2024-03-11T04:00:00Z'],
  ['2024-03-09T05:00:00Z', offset(0, 0, 48 * 3_600_000), ny, '2024-03-11T05:00:00Z'],
  ['2024-03-09T07:30:00Z', offset(0, 1), ny, '2024-03-10T07:30:00Z'],
])('%s moved by %o in %s is %s', (text, by, zone, moved) => {
  expect(toIso(shift(at(text), by, zone))).toBe(moved);
});

test('around a clock change a range is widened where it looks for intervals, and exact where it runs', () => {
  // New York, 2024-11-03: 01:30 comes twice. A day back from it is one instant, a day on from the day before as well.
  const start = at('2024-11-03T05:30:00Z');
  const interval = { start, end: instant(start + 3_600_000) };
  const day = (days: number): TimeExpression => ({
    anchor: 'start',
    steps: [{ kind: 'shift', offset: offset(0, days), zone: ny }],
  });
  expect(toIso(exactTime(day(1), interval))).toBe('2024-11-04T06:30:00Z');
  expect(toIso(evaluateTime(day(1), interval, 'upper'))).toBe('2024-11-04T06:30:00Z');
  expect(toIso(exactTime(day(-1), interval))).toBe('2024-11-02T05:30:00Z');
  expect(toIso(evaluateTime(day(-1), interval, 'lower'))).toBe('2024-11-02T05:00:00Z');
  // The second 01:00 would end before the first 01:59 does, so an upper bound stays where the clock had been.
  const second = at('2024-11-03T06:00:00Z');
  const again = { start: second, end: instant(second + 3_600_000) };
  expect(toIso(exactTime(day(1), again))).toBe('2024-11-04T06:00:00Z');
  expect(toIso(evaluateTime(day(1), again, 'upper'))).toBe('2024-11-04T07:00:00Z');
});

test.each([
  // The clock skips the midnight of the 4th: the day begins at 01:00, those around it at 00:00.
  ['America/Sao_Paulo', '2018-11-04T12:00:00Z', 0, '2018-11-04T03:00:00Z', '2018-11-04T03:00:00Z'],
  ['America/Sao_Paulo', '2018-11-04T12:00:00Z', -1, '2018-11-03T03:00:00Z', '2018-11-03T04:00:00Z'],
  ['America/Sao_Paulo', '2018-11-04T12:00:00Z', 1, '2018-11-05T02:00:00Z', '2018-11-05T03:00:00Z'],
  ['America/Sao_Paulo', '2018-11-03T12:00:00Z', 1, '2018-11-04T03:00:00Z', '2018-11-04T03:00:00Z'],
  // It shows the midnight of the 3rd twice: the day begins at the first, an engine may say the second.
  ['America/Havana', '2024-11-03T12:00:00Z', 0, '2024-11-03T04:00:00Z', '2024-11-03T05:00:00Z'],
  ['America/Havana', '2024-11-03T04:30:00Z', 0, '2024-11-03T04:00:00Z', '2024-11-03T05:00:00Z'],
  ['America/Havana', '2024-11-03T12:00:00Z', 1, '2024-11-04T05:00:00Z', '2024-11-04T05:00:00Z'],
  ['America/Havana', '2024-11-02T12:00:00Z', 1, '2024-11-03T04:00:00Z', '2024-11-03T05:00:00Z'],
])('%s: the day of %s moved by %i days is from %s to %s', (zone, text, days, lower, upper) => {
  const steps: readonly TimeStep[] = [
    { kind: 'floor', unit: 'day', zone },
    ...(days === 0 ? [] : [{ kind: 'shift' as const, offset: offset(0, days), zone }]),
  ];
  const bound = (side: 'lower' | 'upper') =>
    toIso(evaluateTime({ anchor: 'start', steps }, { start: at(text), end: endOfTime }, side));
  expect([bound('lower'), bound('upper')]).toEqual([lower, upper]);
});

describe('laws', () => {
  const zone = fc.constantFrom(...zones);
  /** Times near changes of the clock and ends of months, where the arithmetic is hard, as often as any others. */
  const time = fc
    .tuple(
      zone,
      fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2031, 0) }),
      fc.integer({ min: -20, max: 20 }),
      fc.nat(2),
    )
    .map(([name, ms, quarters, kind]) => {
      const change = lastChange(name, instant(ms));
      if (kind === 0 && Number.isFinite(change)) return instant(change + quarters * 900_000);
      if (kind === 1) return instant(floorTo(instant(ms), 'month', name) + quarters * 6 * 3_600_000);
      return instant(ms);
    });
  const unit = fc.constantFrom<CalendarUnit>('second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year');
  const distance = fc.record({
    months: fc.oneof(fc.constant(0), fc.integer({ min: -14, max: 14 })),
    days: fc.oneof(fc.constant(0), fc.integer({ min: -40, max: 40 })),
    ms: fc.oneof(
      fc.constant(0),
      fc.integer({ min: -30, max: 30 }).map((quarters) => quarters * 900_000),
    ),
  });
  const step: fc.Arbitrary<TimeStep> = fc.oneof(
    fc.record({ kind: fc.constant('floor' as const), unit, zone }),
    fc.record({ kind: fc.constant('shift' as const), offset: distance, zone }),
  );
  const side = fc.constantFrom('lower' as const, 'upper' as const);
  const gap = fc.integer({ min: 0, max: 400 }).map((quarters) => quarters * 900_000);
  const started = (steps: readonly TimeStep[]): TimeExpression => ({ anchor: 'start', steps });
  const value = (steps: readonly TimeStep[], start: Instant, bound: 'lower' | 'upper') =>
    evaluateTime(started(steps), { start, end: endOfTime }, bound);

  test('a floor is never late, floors to itself, and shows the start of its unit', () => {
    fc.assert(
      fc.property(time, unit, zone, (t, name, where) => {
        const floored = floorTo(t, name, where);
        // As PostgreSQL's date_trunc: where a clock has just moved by half an hour, its full hour lies before the change.
        const isMoving = name === 'hour' && t - lastChange(where, t) < 3_600_000;
        return floored <= t && (isMoving || floorTo(floored, name, where) === floored);
      }),
      { numRuns: lawRuns(1000) },
    );
  });
  test('a floor to the day shows the same date', () => {
    fc.assert(
      fc.property(time, zone, (t, where) => {
        const day = (when: Instant) => new Date(toWall(where, when)).toISOString().slice(0, 10);
        expect(day(floorTo(t, 'day', where))).toBe(day(t));
      }),
    );
  });
  test('a later interval never gives an earlier bound', () => {
    fc.assert(
      fc.property(time, gap, fc.array(step, { maxLength: 3 }), side, (t, later, steps, bound) => {
        return value(steps, t, bound) <= value(steps, instant(t + later), bound);
      }),
      { numRuns: lawRuns(2000) },
    );
  });
  test('a lower bound is never later and an upper never earlier than the calendar says', () => {
    fc.assert(
      fc.property(time, distance, zone, (t, by, where) => {
        const exact = shift(t, by, where);
        const steps = [{ kind: 'shift' as const, offset: by, zone: where }];
        return value(steps, t, 'lower') <= exact && exact <= value(steps, t, 'upper');
      }),
      { numRuns: lawRuns(2000) },
    );
  });
  test('away from changes and ends of months both bounds are what the calendar says', () => {
    const day = fc.integer({ min: 1, max: 27 });
    fc.assert(
      fc.property(
        fc.integer({ min: 2000, max: 2040 }),
        fc.integer({ min: 0, max: 11 }),
        day,
        distance,
        side,
        (y, m, d, by, bound) => {
          const t = instant(Date.UTC(y, m, d, 5, 30));
          expect(value([{ kind: 'shift', offset: by, zone: 'UTC' }], t, bound)).toBe(shift(t, by, 'UTC'));
        },
      ),
    );
  });
  test('the exact value lies between the two, and both sides of one day hold it', () => {
    fc.assert(
      fc.property(time, unit, distance, zone, (t, name, by, where) => {
        const interval = { start: t, end: instant(t + 3_600_000) };
        const slice: readonly TimeStep[] = [{ kind: 'floor', unit: name, zone: where }];
        const end = [...slice, { kind: 'shift' as const, offset: by, zone: where }];
        for (const anchor of ['start', 'end'] as const) {
          const bound = { anchor, steps: end };
          const exact = exactTime(bound, interval);
          expect(exact).toBe(shift(floorTo(interval[anchor], name, where), by, where));
          expect(evaluateTime(bound, interval, 'lower')).toBeLessThanOrEqual(exact);
          expect(evaluateTime(bound, interval, 'upper')).toBeGreaterThanOrEqual(exact);
        }
      }),
      { numRuns: lawRuns(2000) },
    );
  });
  test('no instant of a day is left out that its label or its midnight stands for', () => {
    const day = fc.constantFrom<CalendarUnit>('day', 'week', 'month', 'quarter', 'year');
    const dates = fc.record({ months: fc.integer({ min: -2, max: 2 }), days: fc.integer({ min: -3, max: 3 }) });
    fc.assert(
      fc.property(time, day, dates, zone, (t, name, { months, days }, where) => {
        const floored = floorTo(t, name, where);
        const date = Math.floor(toWall(where, floored) / dayMs) * dayMs;
        const label = Math.floor(addMonths(wallTime(date), months) / dayMs) * dayMs + days * dayMs;
        // Every quarter of an hour that a clock there may show that date: no zone is 27 hours away.
        const near = Array.from({ length: 27 * 8 }, (_, index) => instant(label + (index - 27 * 4) * 900_000));
        const showing = near.filter((one) => Math.floor(toWall(where, one) / dayMs) * dayMs === label);
        const midnights = showing.filter((one) => toWall(where, one) === label);
        const steps = [
          { kind: 'floor' as const, unit: name, zone: where },
          ...(months === 0 && days === 0
            ? []
            : [{ kind: 'shift' as const, offset: offset(months, days), zone: where }]),
        ];
        const [lower, upper] = [value(steps, t, 'lower'), value(steps, t, 'upper')];
        for (const one of showing) expect(lower).toBeLessThanOrEqual(one);
        for (const one of midnights) expect(upper).toBeGreaterThanOrEqual(one);
        // Wider by the hours that the clock is moved by, and never past its day; ends of months that fall together apart.
        const [first, last] = [showing[0], showing.at(-1)];
        if (first !== undefined) expect(lower).toBeGreaterThan(first - 3 * 3_600_000);
        if (last !== undefined && months === 0) expect(upper).toBeLessThanOrEqual(last + 900_000);
      }),
      { numRuns: lawRuns(1000) },
    );
  });
  test('no steps: the anchor itself', () => {
    const interval = { start: instant(1), end: instant(2) };
    expect(evaluateTime({ anchor: 'end', steps: [] }, interval, 'lower')).toBe(2);
    expect(exactTime({ anchor: 'end', steps: [] }, interval)).toBe(2);
  });
});
