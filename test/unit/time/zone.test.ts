import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginningOfTime, endOfTime, instant } from '../../../src/core/time/zones/instant.ts';
import { parseInstant, toIso } from '../../../src/core/time/zones/iso.ts';
import { wallTime } from '../../../src/core/time/zones/wall-time.ts';
import { changesWithin, fromWall, isZone, lastChange, offsetMs, toWall } from '../../../src/core/time/zones/zone.ts';
import { zones } from './zones.ts';

const wall = (text: string) => wallTime(Date.parse(`${text}Z`));
const at = (text: string) => instant(Date.parse(text));

test('zones of the runtime and fixed offsets are known, nothing else', () => {
  for (const name of ['UTC', 'Europe/Berlin', '+09:00', '-03:30', 'Etc/GMT+5']) expect(isZone(name)).toBe(true);
  for (const name of ['', 'Mars/Olympus', '+9:00', '+0900', '+24:00', '+09:60', 'constructor', 'Europe/Berlin ']) {
    expect(isZone(name)).toBe(false);
  }
  expect(() => offsetMs('Mars/Olympus', instant(0))).toThrow("unknown time zone 'Mars/Olympus'");
});

test.each([
  ['America/New_York', '2024-03-10T02:30:00', '2024-03-10T07:30:00Z', 'a skipped hour moves forward'],
  ['America/New_York', '2024-11-03T01:30:00', '2024-11-03T06:30:00Z', 'a repeated hour is its second occurrence'],
  ['America/New_York', '2024-11-03T02:00:00', '2024-11-03T07:00:00Z', 'the hour after the repeated one is plain'],
  ['Australia/Lord_Howe', '2024-10-06T02:15:00', '2024-10-05T15:45:00Z', 'a gap of half an hour'],
  ['Australia/Lord_Howe', '2024-04-07T01:45:00', '2024-04-06T15:15:00Z', 'a fold of half an hour'],
  ['Pacific/Apia', '2011-12-30T12:00:00', '2011-12-30T22:00:00Z', 'a skipped day'],
  ['Asia/Kolkata', '2024-06-01T00:00:00', '2024-05-31T18:30:00Z', 'no changes'],
  ['-03:30', '2024-06-01T00:00:00', '2024-06-01T03:30:00Z', 'a fixed offset'],
])('%s %s is %s: %s', (zone, local, utc) => {
  expect(toIso(fromWall(zone, wall(local)))).toBe(utc);
});

test('the open ends stay open', () => {
  expect(toWall('Europe/Berlin', endOfTime)).toBe(Infinity);
  expect(fromWall('Europe/Berlin', wallTime(-Infinity))).toBe(-Infinity);
});

test('changes of offset are found to the second', () => {
  expect(toIso(lastChange('Europe/Brussels', at('2026-04-01T00:00:00Z')))).toBe('2026-03-29T01:00:00Z');
  expect(lastChange('+09:00', at('2026-04-01T00:00:00Z'))).toBe(beginningOfTime);
  const change = at('2026-03-29T01:00:00Z');
  expect(changesWithin('Europe/Brussels', instant(change - 1), change)).toBe(true);
  expect(changesWithin('Europe/Brussels', change, instant(change + 86_400_000))).toBe(false);
  expect(offsetMs('Europe/Brussels', instant(change - 1))).toBe(3_600_000);
  expect(offsetMs('Europe/Brussels', change)).toBe(7_200_000);
});

test('two changes within a month are both found', () => {
  const offsets = ['2024-03-09', '2024-03-11', '2024-04-15'].map((day) =>
    offsetMs('Africa/Casablanca', at(`${day}T12:00:00Z`)),
  );
  expect(offsets).toEqual([3_600_000, 0, 3_600_000]);
});

describe('laws', () => {
  const zone = fc.constantFrom(...zones);
  const time = fc.integer({ min: Date.UTC(1960, 0), max: Date.UTC(2045, 0) }).map(instant);

  test('offsets are those that the runtime writes', () => {
    fc.assert(
      fc.property(zone, time, (name, t) => {
        const parts = new Intl.DateTimeFormat('sv-SE', {
          timeZone: name,
          dateStyle: 'short',
          timeStyle: 'medium',
        }).format(t);
        expect(new Date(toWall(name, t)).toISOString().slice(0, 19)).toBe(parts.replace(' ', 'T'));
      }),
    );
  });
  test('an instant comes back from its wall time, or is the first of a repeated one', () => {
    fc.assert(
      fc.property(zone, time, (name, t) => {
        const back = fromWall(name, toWall(name, t));
        expect(toWall(name, back)).toBe(toWall(name, t));
        expect(back).toBeGreaterThanOrEqual(t);
      }),
    );
  });
  test('text of an instant reads back', () => {
    fc.assert(
      fc.property(time, zone, (t, name) => {
        expect(parseInstant(toIso(t), name)).toBe(t);
      }),
    );
  });
});
