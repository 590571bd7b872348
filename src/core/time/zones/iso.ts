import { dayMs, dayNumberOf, daysInMonth } from './civil.ts';
import { hasDate, type Instant, instant } from './instant.ts';
import { wallTime } from './wall-time.ts';
import { fromWall } from './zone.ts';
import type { ZoneName } from './zone-name.ts';

const isoPattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|[+-]\d{2}(?::?\d{2})?))?)?$/i;

/**
 * Reads an ISO 8601 date or datetime; without an offset it is a wall time in `zone`, and a bare date is midnight
 * there. Fractions beyond milliseconds are cut off. `undefined` for anything else, impossible dates included.
 */
export function parseInstant(text: string, zone: ZoneName): Instant | undefined {
  const fields = isoPattern.exec(text.trim());
  if (fields === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields
    .slice(1, 7)
    .map((f) => Number(f ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const milliseconds = Number((fields[7] ?? '').padEnd(3, '0').slice(0, 3));
  const naive = dayNumberOf(year, month, day) * dayMs + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
  const offset = fields[8];
  if (offset === undefined) return fromWall(zone, wallTime(naive));
  const minutes = offsetMinutes(offset);
  return minutes === undefined ? undefined : instant(naive - minutes * 60_000);
}

function offsetMinutes(text: string): number | undefined {
  if (text.toUpperCase() === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** `2024-03-10T07:30:00Z`; the fraction only where it is not zero. The open ends are `-infinity` and `infinity`. */
export function toIso(at: Instant): string {
  if (!hasDate(at)) return at < 0 ? '-infinity' : 'infinity';
  const whole = new Date(at).toISOString();
  return whole.endsWith('.000Z') ? `${whole.slice(0, -5)}Z` : whole;
}
