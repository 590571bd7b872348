import type { CalendarUnit } from '../zones/calendar.ts';
import { floorTo } from '../zones/floor.ts';
import { hasDate, type Instant } from '../zones/instant.ts';
import { shift } from '../zones/shift.ts';
import { offsetMs, toWall, wallChoices } from '../zones/zone.ts';
import type { ZoneName } from '../zones/zone-name.ts';
import type { DataInterval } from './data-interval.ts';

/** `+02:00`, with seconds only where an old local mean time has them. */
export function formatOffset(ms: number): string {
  const size = Math.abs(ms) / 1000;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const seconds = size % 60 === 0 ? '' : `:${two(size % 60)}`;
  return `${ms < 0 ? '-' : '+'}${two(size / 3600)}:${two((size / 60) % 60)}${seconds}`;
}

/**
 * `2026-11-28 05:00`, what a clock in the zone shows, with seconds and fraction only where they are not zero. A
 * repeated hour carries its offset (`2026-10-25 02:00+01:00`), so that two instants never look the same.
 */
export function formatWall(at: Instant, zone: ZoneName): string {
  const wall = toWall(zone, at);
  if (!hasDate(wall)) return at < 0 ? '-infinity' : 'infinity';
  const text = new Date(wall)
    .toISOString()
    .replace('T', ' ')
    .replace('Z', '')
    .replace(/(?::00)?\.000$/, '');
  const { first, last } = wallChoices(zone, wall);
  return first === last ? text : text + formatOffset(offsetMs(zone, at));
}

/**
 * The shortest exact name of an interval: `2026-11` for a whole local month, `2026-11-28` for a whole local day,
 * `2026-11-28 05:00 – 06:00` within a day, otherwise both ends in full. The end is not included.
 */
export function formatInterval(interval: DataInterval, zone: ZoneName): string {
  const start = formatWall(interval.start, zone);
  if (interval.start === interval.end) return start;
  if (isWhole('month', interval, zone)) return start.slice(0, 7);
  if (isWhole('day', interval, zone)) return start.slice(0, 10);
  const end = formatWall(interval.end, zone);
  const sameDay = Number.isFinite(interval.start) && start.slice(0, 10) === end.slice(0, 10);
  return `${start} – ${sameDay ? end.slice(11) : end}`;
}

function isWhole(unit: Extract<CalendarUnit, 'day' | 'month'>, { start, end }: DataInterval, zone: ZoneName): boolean {
  if (!Number.isFinite(start) || !Number.isFinite(end) || floorTo(start, unit, zone) !== start) return false;
  // Floored again, because a day that starts after a skipped midnight is followed by one that does not.
  const oneUnit = { months: unit === 'month' ? 1 : 0, days: unit === 'day' ? 1 : 0, ms: 0 };
  return floorTo(shift(start, oneUnit, zone), unit, zone) === end;
}
