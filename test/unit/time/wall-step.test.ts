import { expect, test } from 'vitest';
import { evaluateTime, exactTime } from '../../../src/core/time/expressions/evaluate-time.ts';
import type { TimeExpression } from '../../../src/core/time/expressions/time-expression.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { toIso } from '../../../src/core/time/zones/iso.ts';

const hourMs = 3_600_000;
const wall = (zone: string): TimeExpression => ({ anchor: 'start', steps: [{ kind: 'wall', from: 'UTC', zone }] });
const at = (start: number) => ({ start: instant(start), end: instant(start + hourMs) });

// What PostgreSQL makes of the text as a timestamptz in a session of the zone.
test.each([
  ['America/New_York', '2026-03-08T00:00Z', '2026-03-08T05:00:00Z'],
  ['America/New_York', '2026-03-08T02:30Z', '2026-03-08T07:30:00Z'],
  ['America/New_York', '2026-03-09T00:00Z', '2026-03-09T04:00:00Z'],
  ['America/New_York', '2026-11-01T01:30Z', '2026-11-01T06:30:00Z'],
  ['Europe/Warsaw', '2026-10-25T00:00Z', '2026-10-24T22:00:00Z'],
  ['Europe/Warsaw', '2026-10-25T02:30Z', '2026-10-25T01:30:00Z'],
  ['Europe/Warsaw', '2026-10-26T00:00Z', '2026-10-25T23:00:00Z'],
])('a clock in %s shows %s at %s', (zone, shown, moment) => {
  expect(toIso(exactTime(wall(zone), at(Date.parse(shown))))).toBe(moment);
});

test.each(['America/New_York', 'Europe/Warsaw', 'Australia/Lord_Howe'])(
  'bounds in %s are never narrower than that and never go back',
  (zone) => {
    let lower = Number.NEGATIVE_INFINITY;
    let upper = Number.NEGATIVE_INFINITY;
    for (let start = Date.parse('2026-01-01Z'); start < Date.parse('2027-01-01Z'); start += hourMs / 2) {
      const lo = evaluateTime(wall(zone), at(start), 'lower');
      const hi = evaluateTime(wall(zone), at(start), 'upper');
      const exact = exactTime(wall(zone), at(start));
      expect(lo <= exact && exact <= hi && lo >= lower && hi >= upper, toIso(instant(start))).toBe(true);
      [lower, upper] = [lo, hi];
    }
  },
);
