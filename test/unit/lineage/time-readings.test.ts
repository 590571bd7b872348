import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendStep } from '../../../src/core/lineage/times/time-readings.ts';
import { exactTime } from '../../../src/core/time/expressions/evaluate-time.ts';
import type { TimeExpression, TimeStep } from '../../../src/core/time/expressions/time-expression.ts';
import type { CalendarUnit } from '../../../src/core/time/zones/calendar.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { lastChange } from '../../../src/core/time/zones/zone.ts';
import { lawRuns } from '../../support/laws.ts';
import { zones } from '../time/zones.ts';

test('a cut that is left out would have changed nothing, around changes of the clock as well', () => {
  const unit = fc.constantFrom<CalendarUnit>('hour', 'day', 'week', 'month');
  const around = fc.record({
    zone: fc.constantFrom(...zones),
    year: fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2031, 0) }),
    quarters: fc.integer({ min: -400, max: 400 }),
  });
  fc.assert(
    fc.property(around, unit, unit, fc.integer({ min: -4, max: 4 }), ({ zone, year, quarters }, outer, inner, days) => {
      const change = lastChange(zone, instant(year));
      const start = instant((Number.isFinite(change) ? change : year) + quarters * 900_000);
      const steps: readonly TimeStep[] = [
        { kind: 'floor', unit: outer, zone },
        { kind: 'shift', offset: { months: 0, days, ms: 0 }, zone },
        { kind: 'floor', unit: inner, zone },
      ].filter((step) => step.kind !== 'shift' || days !== 0) as readonly TimeStep[];
      const written: TimeExpression = { anchor: 'start', steps };
      const kept = steps.reduce(appendStep, { anchor: 'start', steps: [] } as TimeExpression);
      const interval = { start, end: instant(start + 3_600_000) };
      expect(exactTime(kept, interval)).toBe(exactTime(written, interval));
    }),
    {
      numRuns: lawRuns(3000),
      examples: [
        [{ zone: 'America/St_Johns', year: 1230768000000, quarters: 0 }, 'day', 'hour', 0],
        [{ zone: 'America/St_Johns', year: 1230768000000, quarters: 0 }, 'hour', 'day', 0],
        [{ zone: 'Australia/Lord_Howe', year: 1230768000000, quarters: 0 }, 'hour', 'hour', 0],
      ],
    },
  );
});
