import type { CalendarOffset } from './calendar.ts';
import { civilOf, dayMs, dayNumberOf, daysInMonth } from './civil.ts';
import { type Instant, instant } from './instant.ts';
import { type WallTime, wallTime } from './wall-time.ts';
import { fromWall, isFixed, toWall } from './zone.ts';
import type { ZoneName } from './zone-name.ts';

/**
 * Moves an instant as PostgreSQL adds an interval to a timestamptz: months on the wall clock (the day clamped to
 * the month's last), then days on the wall clock, then `ms` by elapsed time. Open ends stay open.
 */
export function shift(at: Instant, offset: CalendarOffset, zone: ZoneName): Instant {
  if (!Number.isFinite(at)) return at;
  if (offset.months === 0 && (offset.days === 0 || isFixed(zone))) return instant(at + offset.days * dayMs + offset.ms);
  const wall = addMonths(toWall(zone, at), offset.months) + offset.days * dayMs;
  return instant(fromWall(zone, wallTime(wall)) + offset.ms);
}

/** Moves a wall time by calendar months, the day clamped to the target month's last one. */
export function addMonths(wall: WallTime, months: number): WallTime {
  if (months === 0) return wall;
  const dayNumber = Math.floor(wall / dayMs);
  const { year, month, day } = civilOf(dayNumber);
  const clamped = Math.min(day, daysInMonth(year, month + months));
  return wallTime(dayNumberOf(year, month + months, clamped) * dayMs + (wall - dayNumber * dayMs));
}
