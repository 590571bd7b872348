import { isZone } from './zone.ts';
import type { ZoneName } from './zone-name.ts';

const hours = /^[+-]?\d{1,2}(?:\.\d{1,2})?$/;
const posix = /^(?:<[^<>]{1,30}>|[a-z]{3,30})?([+-]?)(\d{1,2})(?::([0-5]\d)(?::00)?)?$/i;

/**
 * The zone that PostgreSQL means by a value of its setting `TimeZone`; `undefined` where it is none whose days are known
 * here. A bare number counts hours east of UTC; every other offset is POSIX's, which counts west: `+02:00` and `UTC+2`
 * are both two hours behind UTC.
 */
export function postgresZone(value: string): ZoneName | undefined {
  const text = value.trim().replace(/^posix\//i, '');
  if (hours.test(text)) return fixedZone(Math.round(Number(text) * 60));
  const [, sign, whole, part = '0'] = posix.exec(text) ?? [];
  if (whole !== undefined) return fixedZone((sign === '-' ? 1 : -1) * (Number(whole) * 60 + Number(part)));
  if (/^(?:utc|gmt)$/i.test(text)) return 'UTC';
  return !/^[+-]/.test(text) && isZone(text) ? text : undefined;
}

/** Of whole minutes east of UTC. */
function fixedZone(minutes: number): ZoneName | undefined {
  if (minutes === 0) return 'UTC';
  const two = (number: number) => String(number).padStart(2, '0');
  const size = Math.abs(minutes);
  const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return isZone(zone) ? zone : undefined;
}
