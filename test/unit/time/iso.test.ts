import { expect, test } from 'vitest';
import { formatInterval, formatWall } from '../../../src/core/time/intervals/format-interval.ts';
import { beginningOfTime, endOfTime, instant } from '../../../src/core/time/zones/instant.ts';
import { parseInstant, toIso } from '../../../src/core/time/zones/iso.ts';

const read = (text: string, zone = 'UTC') => {
  const found = parseInstant(text, zone);
  return found === undefined ? undefined : toIso(found);
};

test.each([
  ['2026-11-28', 'UTC', '2026-11-28T00:00:00Z'],
  ['2026-11-28', 'Europe/Berlin', '2026-11-27T23:00:00Z'],
  ['2026-11-28T05:00', 'Europe/Berlin', '2026-11-28T04:00:00Z'],
  ['2026-11-28 05:00:30', 'UTC', '2026-11-28T05:00:30Z'],
  ['2026-11-28T05:00:00Z', 'Europe/Berlin', '2026-11-28T05:00:00Z'],
  ['2026-11-28T05:00:00+05:30', 'UTC', '2026-11-27T23:30:00Z'],
  ['2026-11-28t05:00:00-0330', 'UTC', '2026-11-28T08:30:00Z'],
  ['2026-11-28T05:00:00.250+00', 'UTC', '2026-11-28T05:00:00.250Z'],
  ['2026-11-28T23:59:59.999999Z', 'UTC', '2026-11-28T23:59:59.999Z'],
  [' 2024-02-29 ', 'UTC', '2024-02-29T00:00:00Z'],
  ['2024-03-10T02:30', 'America/New_York', '2024-03-10T07:30:00Z'],
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00Z'],
])('%s in %s is %s', (text, zone, utc) => {
  expect(read(text, zone)).toBe(utc);
});

test.each([
  '2026-02-30',
  '2026-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-11-31',
  '2026-11-00',
  '2026-11-28T24:00',
  '2026-11-28T12:60',
  '2026-11-28T12:00:60',
  '2026-11-28T12',
  '2026-11-28Z',
  '2026-11',
  '20261128',
  '26-11-28',
  '2026-11-28T12:00+25:00',
  '',
  'today',
  '2026-11-28T12:00:00.',
  '١٢٣٤-01-01',
  '2026-11-28\n2026-11-29',
])('%j is no instant', (text) => {
  expect(read(text)).toBeUndefined();
});

const interval = (start: string, end: string, zone: string) => {
  const [from, to] = [parseInstant(start, zone), parseInstant(end, zone)];
  if (from === undefined || to === undefined) throw new Error('not an instant');
  return formatInterval({ start: from, end: to }, zone);
};

test.each([
  ['2026-11-28', '2026-11-29', 'UTC', '2026-11-28'],
  ['2026-03-29', '2026-03-30', 'Europe/Brussels', '2026-03-29'],
  ['2018-11-04', '2018-11-05', 'America/Sao_Paulo', '2018-11-04'],
  ['2024-11-03', '2024-11-04', 'America/Havana', '2024-11-03'],
  ['2026-11-01', '2026-12-01', 'America/New_York', '2026-11'],
  ['2026-11-01', '2026-12-02', 'UTC', '2026-11-01 00:00 – 2026-12-02 00:00'],
  ['2026-11-28T05:00', '2026-11-28T06:00', 'UTC', '2026-11-28 05:00 – 06:00'],
  ['2026-11-28T05:00:30', '2026-11-28T06:00', 'UTC', '2026-11-28 05:00:30 – 06:00'],
  ['2026-11-28T05:00', '2026-11-28T05:00', 'UTC', '2026-11-28 05:00'],
  ['2026-11-28T00:00', '2026-11-29', 'UTC', '2026-11-28'],
  ['2026-11-28T23:00', '2026-11-29T00:00', 'UTC', '2026-11-28 23:00 – 2026-11-29 00:00'],
  ['2024-11-03T05:00Z', '2024-11-03T06:00Z', 'America/New_York', '2024-11-03 01:00-04:00 – 01:00-05:00'],
  ['2024-11-03T06:00Z', '2024-11-03T07:00Z', 'America/New_York', '2024-11-03 01:00-05:00 – 02:00'],
])('[%s, %s) in %s is shown as %s', (start, end, zone, text) => {
  expect(interval(start, end, zone)).toBe(text);
});

test('open ends have names', () => {
  expect([toIso(beginningOfTime), toIso(endOfTime), formatWall(endOfTime, 'UTC')]).toEqual([
    '-infinity',
    'infinity',
    'infinity',
  ]);
  expect(formatInterval({ start: beginningOfTime, end: instant(0) }, 'UTC')).toBe('-infinity – 1970-01-01 00:00');
});

test('so have moments that are too far off for a date', () => {
  for (const days of [1e9, 1e14]) {
    const [past, future] = [instant(-days * 86_400_000), instant(days * 86_400_000)];
    expect([toIso(past), formatWall(past, 'UTC')]).toEqual(['-infinity', '-infinity']);
    expect([toIso(future), formatWall(future, 'Asia/Tokyo')]).toEqual(['infinity', 'infinity']);
  }
  const last = instant(8.64e15);
  expect([toIso(last), formatWall(last, 'UTC')]).toEqual(['+275760-09-13T00:00:00Z', '+275760-09-13 00:00']);
});
