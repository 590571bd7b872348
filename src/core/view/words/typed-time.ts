import { formatWall } from '../../time/intervals/format-interval.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** As a person would type it: a bare date for a local midnight, else the local time (a repeated hour with its offset). */
export const typedTime = (at: Instant, zone: ZoneName): string =>
  formatWall(at, zone)
    .replace(/ 00:00$/, '')
    .replace(' ', 'T');
