import { formatWall } from '../time/format-interval.ts';
import type { Instant } from '../time/instant.ts';
import type { ZoneName } from '../time/zone-name.ts';

/** As a person would type it: a bare date for a local midnight, else the local time (a repeated hour with its offset). */
export const typedTime = (at: Instant, zone: ZoneName): string =>
  formatWall(at, zone)
    .replace(/ 00:00$/, '')
    .replace(' ', 'T');
