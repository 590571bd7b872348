import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { GridInterval } from '../../../src/core/time/intervals/grid.ts';
import { makeGrid } from '../../../src/core/time/intervals/make-grid.ts';
import type { Schedule } from '../../../src/core/time/schedules/schedule.ts';
import type { CalendarOffset } from '../../../src/core/time/zones/calendar.ts';
import { type Instant, instant } from '../../../src/core/time/zones/instant.ts';
import { toIso } from '../../../src/core/time/zones/iso.ts';
import type { ZoneName } from '../../../src/core/time/zones/zone-name.ts';

/** What real Airflows made of each schedule; written by scripts/airflow/generate.sh. Times are minutes. */
interface Fixture {
  readonly windows: readonly Window[];
}

interface Window {
  readonly zone: ZoneName;
  readonly start: number;
  readonly until: number;
  /** Without catchup, as seen at this time. */
  readonly now?: number;
  readonly series: readonly Series[];
}

interface Series {
  readonly schedule: string;
  readonly by: readonly `${2 | 3} ${'interval' | 'trigger'}`[];
  readonly first?: number;
  readonly steps?: readonly (readonly [step: number, times: number])[];
  readonly ends?: readonly (readonly [index: number, length: number])[];
  readonly stopped?: true;
  readonly cut?: true;
}

const fixture: Fixture = JSON.parse(
  readFileSync(new URL('../../fixtures/time/schedules.json', import.meta.url), 'utf8'),
);
const minuteMs = 60_000;
const at = (minutes: number): Instant => instant(Math.round(minutes * minuteMs));

function scheduleOf(text: string, zone: ZoneName, intervals: 'tick-to-tick' | 'zero-width'): Schedule {
  if (!/^(relative )?[a-z]+=/.test(text)) return { kind: 'cron', expression: text, zone, intervals };
  const step: { -readonly [part in keyof CalendarOffset]: number } = { months: 0, days: 0, ms: 0 };
  for (const part of text.replace('relative ', '').split(',')) {
    const [unit = '', amount = ''] = part.split('=');
    if (unit === 'years') step.months += 12 * Number(amount);
    else if (unit === 'months') step.months += Number(amount);
    else if (unit === 'weeks') step.days += 7 * Number(amount);
    else if (unit === 'days') step.days += Number(amount);
    else step.ms += Number(amount) * ({ hours: 3_600_000, minutes: minuteMs, seconds: 1000 }[unit] ?? Number.NaN);
  }
  return { kind: 'delta', step, zone, intervals };
}

function airflowStarts({ start }: Window, series: Series): Instant[] {
  if (series.first === undefined) return [];
  let minutes = start + series.first;
  const starts = [at(minutes)];
  for (const [step, times] of series.steps ?? []) {
    for (let time = 0; time < times; time += 1) {
      minutes += step;
      starts.push(at(minutes));
    }
  }
  return starts;
}

const shown = (intervals: readonly GridInterval[]): string[] =>
  intervals.map(({ start, data }) => `${toIso(start)} ${toIso(data.start)}/${toIso(data.end)}`);

/**
 * Without catchup, Airflow counts some timedeltas from the moment at which it first looked at the DAG: its first run is
 * then at `now`, or at no multiple of the step from the start. No file says when that was, so the grid must say so.
 */
function dependsOnTheSwitch(series: Series, window: Window, intervals: 'tick-to-tick' | 'zero-width'): boolean {
  if (window.now === undefined || !/^(relative )?[a-z]+=/.test(series.schedule)) return false;
  if (intervals === 'zero-width') {
    expect(airflowStarts(window, series)[0]).toBe(at(window.now));
    return true;
  }
  return series.by.includes('2 interval') && /months|years/.test(series.schedule);
}

/** The grid's intervals over the window must be Airflow's, one by one. */
function compare(window: Window, series: Series, intervals: 'tick-to-tick' | 'zero-width', from: Instant): void {
  const catchup = window.now === undefined;
  const schedule = scheduleOf(series.schedule, window.zone, intervals);
  const made = makeGrid(schedule, { startDate: at(window.start), endDate: at(window.until), catchup });
  if (made.grid === undefined) throw new Error(made.reason);
  if (dependsOnTheSwitch(series, window, intervals)) {
    expect(made.caveat).toMatch('switched on');
    return;
  }
  const starts = airflowStarts(window, series).filter((start) => start >= from);
  const last = series.stopped || series.cut ? (starts.at(-1) ?? from) : at(window.until);
  const actual = made.grid.startingWithin(from, last);
  const ends = new Map(series.ends?.map(([index, length]) => [index, length * minuteMs]) ?? []);
  const expected = airflowStarts(window, series).flatMap((start, index, all): GridInterval[] => {
    const length = ends.get(index);
    // A last interval without an own end is one that was cut off or a trigger's.
    const end = length === undefined ? (all[index + 1] ?? start) : instant(start + length);
    if (start < from) return [];
    return [{ start, next: start, data: { start, end: intervals === 'zero-width' ? start : end } }];
  });
  const differs = actual.some(
    ({ start, data }, index) => start !== expected[index]?.start || data.end !== expected[index]?.data.end,
  );
  if (differs || actual.length !== expected.length) expect(shown(actual)).toEqual(shown(expected));
  expect(actual.slice(1).every(({ start }, index) => actual[index]?.next === start)).toBe(true);
}

for (const window of fixture.windows) {
  const now = window.now === undefined ? '' : `, without catchup at ${toIso(at(window.now))}`;
  describe(`${window.zone} from ${toIso(at(window.start))}${now}`, () => {
    for (const series of window.series) {
      for (const intervals of ['tick-to-tick', 'zero-width'] as const) {
        const by = series.by.filter((who) => who.endsWith(intervals === 'zero-width' ? 'trigger' : 'interval'));
        if (by.length === 0) continue;
        test(`${series.schedule} as Airflow ${by.join(', ')}`, () => {
          const first = airflowStarts(window, series)[0];
          compare(window, series, intervals, window.now === undefined ? at(window.start) : (first ?? at(window.start)));
        });
      }
    }
  });
}

test('the fixture holds several hundred schedules by zone, of both Airflows', () => {
  const pairs = new Set(
    fixture.windows.flatMap(({ zone, series }) => series.map(({ schedule }) => `${schedule} ${zone}`)),
  );
  expect(pairs.size).toBeGreaterThan(500);
  const makers = new Set(fixture.windows.flatMap(({ series }) => series.flatMap(({ by }) => by)));
  expect([...makers].sort()).toEqual(['2 interval', '3 interval', '3 trigger']);
});
