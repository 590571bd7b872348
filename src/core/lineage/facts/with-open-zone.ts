import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { RangeSlice, SliceFact } from './facts.ts';

/**
 * Says of a slice that it is as wide as what its conditions mean in UTC and in the zone of the session, where that is more
 * than they mean `inUtc`.
 */
export function withOpenZone(slice: SliceFact, zone: ZoneName | undefined, inUtc: () => SliceFact): SliceFact {
  if (slice.kind !== 'range' || zone === undefined) return slice;
  const narrow = inUtc();
  const bounds = ({ lo, hi }: RangeSlice): string => JSON.stringify([lo, hi]);
  return narrow.kind === 'range' && bounds(narrow) !== bounds(slice) ? { ...slice, openZone: zone } : slice;
}
