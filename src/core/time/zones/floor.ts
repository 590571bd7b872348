import type { CalendarUnit } from './calendar.ts';
import { civilOf, dayMs, dayNumberOf, weekdayOf } from './civil.ts';
import { type Instant, instant } from './instant.ts';
import { wallTime } from './wall-time.ts';
import { lastChange, offsetMs, toWall, wallChoices } from './zone.ts';
import type { ZoneName } from './zone-name.ts';

const clockUnitMs = { second: 1000, minute: 60_000, hour: 3_600_000 } as const;

/**
 * The start of the unit that `at` falls into, by the calendar of the zone; never after `at`, and monotone in it.
 * As PostgreSQL's `date_trunc(unit, timestamptz, zone)`, except where that gives a result after its argument (a
 * midnight that an autumn fold repeats). Weeks start on Monday.
 */
export function floorTo(at: Instant, unit: CalendarUnit, zone: ZoneName): Instant {
  if (!Number.isFinite(at)) return at;
  if (unit === 'second' || unit === 'minute' || unit === 'hour') return floorClock(at, clockUnitMs[unit], zone);
  const dayNumber = Math.floor(toWall(zone, at) / dayMs);
  const { first, last, gapAt } = wallChoices(zone, wallTime(firstDay(dayNumber, unit) * dayMs));
  if (last <= at) return last;
  return gapAt ?? first;
}

/** Clock units are steps of elapsed time from the clock's own full unit, so a repeated hour is two hours. */
function floorClock(at: Instant, unitMs: number, zone: ZoneName): Instant {
  const floored = at - modulo(at + offsetMs(zone, at), unitMs);
  const change = lastChange(zone, at);
  if (floored >= change) return instant(floored);
  // A change in the middle of a unit: what was floored just before it must not come out later than this.
  const before = instant(change - 1);
  return instant(Math.max(floored, before - modulo(before + offsetMs(zone, before), unitMs)));
}

function firstDay(dayNumber: number, unit: 'day' | 'week' | 'month' | 'quarter' | 'year'): number {
  if (unit === 'day') return dayNumber;
  if (unit === 'week') return dayNumber - ((weekdayOf(dayNumber) + 6) % 7);
  const { year, month } = civilOf(dayNumber);
  if (unit === 'month') return dayNumberOf(year, month, 1);
  if (unit === 'quarter') return dayNumberOf(year, month - ((month - 1) % 3), 1);
  return dayNumberOf(year, 1, 1);
}

const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;
