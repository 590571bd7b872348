import { floorTo } from '../zones/floor.ts';
import { instant } from '../zones/instant.ts';
import type { ZoneName } from '../zones/zone-name.ts';
import { formatInterval, formatWall } from './format-interval.ts';
import type { InstantRange } from './interval-set.ts';

/** `2024-03-01 to 2024-03-03`, both included, where a range is of whole days; otherwise both ends, the last not included. */
export function daysInWords(range: InstantRange, zone: ZoneName): string {
  for (const days of [zone, 'UTC']) {
    const { from, to } = range;
    if (!Number.isFinite(from) || !Number.isFinite(to)) break;
    if (floorTo(from, 'day', days) !== from || floorTo(to, 'day', days) !== to) continue;
    const [first, last] = [formatWall(from, days), formatWall(instant(to - 1), days)].map((text) => text.slice(0, 10));
    return `${first === last ? first : `${first} to ${last}`}${days === zone ? '' : ' (UTC)'}`;
  }
  return formatInterval({ start: range.from, end: range.to }, zone);
}
