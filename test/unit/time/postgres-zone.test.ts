import { expect, test } from 'vitest';
import { postgresZone } from '../../../src/core/time/zones/postgres-zone.ts';

/** As PostgreSQL 15 shows `2026-01-15 00:00Z` under each. */
test.each([
  ['UTC', 'UTC'],
  ['utc', 'UTC'],
  ['Europe/Warsaw', 'Europe/Warsaw'],
  ['posix/Europe/Warsaw', 'Europe/Warsaw'],
  ['EST5EDT', 'EST5EDT'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  ['GMT0', 'UTC'],
  ['2', '+02:00'],
  ['-3', '-03:00'],
  ['5.5', '+05:30'],
  ['<+05:30>-05:30', '+05:30'],
  ['<+03>-03', '+03:00'],
  ['+02:00', '-02:00'],
  ['UTC+3', '-03:00'],
  ['EST5', '-05:00'],
  ['CET-1CEST', undefined],
  ['localtime', undefined],
  ['+0530', undefined],
  ['', undefined],
])('%s', (value, zone) => {
  expect(postgresZone(value)).toBe(zone);
});
