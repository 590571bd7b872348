import { dayMs } from './civil.ts';
import { instant } from './instant.ts';
import { lastChange, offsetMs } from './zone.ts';
import type { ZoneName } from './zone-name.ts';

const from = Date.UTC(1970, 0, 1);
const until = Date.UTC(2040, 0, 1);
/** `lastChange` looks back a year at least, so steps of this miss none. */
const stepMs = 300 * dayMs;

const known = new Map<ZoneName, boolean>();

/**
 * Whether clocks of the zone ever skip or repeat a midnight (`America/Havana`, `Atlantic/Azores`), from 1970 to 2039:
 * there the start of a day, moved on by a day, is not the start of the next one.
 */
export function movesMidnight(zone: ZoneName): boolean {
  const answer = known.get(zone) ?? looked(zone);
  known.set(zone, answer);
  return answer;
}

function looked(zone: ZoneName): boolean {
  for (let at = until; at > from; ) {
    const change = lastChange(zone, instant(at));
    if (!Number.isFinite(change)) {
      at -= stepMs;
      continue;
    }
    const [before, after] = [offsetMs(zone, instant(change - 1)), offsetMs(zone, change)];
    const low = change + Math.min(before, after);
    const high = change + Math.max(before, after);
    if (Math.ceil(low / dayMs) * dayMs < high) return true;
    at = change - 1;
  }
  return false;
}
