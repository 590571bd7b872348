import type { CronTicks } from '../schedules/cron-ticks.ts';
import type { CalendarOffset } from '../zones/calendar.ts';
import { dayMs } from '../zones/civil.ts';
import { type Instant, instant } from '../zones/instant.ts';
import { shift } from '../zones/shift.ts';
import { changesWithin, fromWall, toWall } from '../zones/zone.ts';
import type { ZoneName } from '../zones/zone-name.ts';

/** One interval as the scheduler makes it: its data ends at `end`, and the next one starts at `next`. */
export interface GridStep {
  readonly end: Instant;
  readonly next: Instant;
}

/** How a schedule goes from one interval to the next, whatever keeps the list. */
export interface GridSteps {
  /** The interval that starts at a tick. `next` is always after `start`. */
  step(start: Instant): GridStep;
  /** The first tick at or after `earliest`, as the scheduler finds it for a first run. */
  first(earliest: Instant): Instant;
  /** Some tick at or before `at` from which stepping gives the same ticks as from any earlier one. */
  seed(at: Instant): Instant;
}

/**
 * Airflow's stepping over a cron expression: from the wall time of the current tick to the next one that the
 * expression names, then into the zone. Around clock changes an interval may end before the next one starts
 * (`0,30 2 * * *` on a day without 02:30): `end` is then what the run is given.
 */
export function cronSteps(ticks: CronTicks, zone: ZoneName, intervals: 'tick-to-tick' | 'zero-width'): GridSteps {
  const next = (at: Instant): Instant => {
    const wall = toWall(zone, at);
    const scheduled = ticks.next(wall);
    return ticks.everyHour ? instant(at + (scheduled - wall)) : fromWall(zone, scheduled);
  };
  const previous = (at: Instant): Instant => cronTickBefore(ticks, zone, at);
  const alignToPrevious = (at: Instant): Instant => {
    const before = previous(at);
    return next(before) === at ? at : before;
  };
  const isNamed = (at: Instant): boolean => {
    const wall = toWall(zone, at);
    return ticks.previous(ticks.next(wall)) === wall;
  };
  /** Where the last step led without a change of clocks: to a tick that the expression names. */
  let named: Instant | undefined;
  return {
    step(start) {
      const end = next(start);
      if (intervals === 'zero-width') return { end: start, next: end };
      // The common case of what follows, without its cost: from one named tick to the next, no change between.
      if (!changesWithin(zone, start, end) && (start === named || isNamed(start))) {
        named = end;
        return { end, next: end };
      }
      const aligned = alignToPrevious(end);
      if (aligned > start) return { end, next: aligned };
      // Airflow tries once more from there, and if that does not lead on either its scheduler stops with an error.
      const again = next(aligned);
      return { end, next: again > start ? again : end };
    },
    first(earliest) {
      const after = next(earliest);
      return previous(after) === earliest ? earliest : after;
    },
    seed(at) {
      // A tick that the expression names, with no change of clocks near it. Where stepping is by elapsed time it must
      // also be well inside its day, because the step that led into the day may have crossed a change.
      let wall = toWall(zone, at);
      for (;;) {
        const scheduled = ticks.previous(wall);
        const tick = fromWall(zone, scheduled);
        const settled = !ticks.everyHour || scheduled - Math.floor(scheduled / dayMs) * dayMs >= dayMs / 2;
        if (settled && tick <= at && !changesWithin(zone, instant(tick - 3 * dayMs), instant(tick + dayMs)))
          return tick;
        wall = scheduled;
      }
    },
  };
}

/** The tick before `at`, as Airflow steps back: by wall time, or by elapsed time where the hours are all named. */
export function cronTickBefore(ticks: CronTicks, zone: ZoneName, at: Instant): Instant {
  const wall = toWall(zone, at);
  const scheduled = ticks.previous(wall);
  return ticks.everyHour ? instant(at - (wall - scheduled)) : fromWall(zone, scheduled);
}

/** Airflow adds a timedelta or relativedelta to the UTC time of the tick before, whatever the pipeline's zone. */
export function deltaSteps(step: CalendarOffset, anchor: Instant, intervals: 'tick-to-tick' | 'zero-width'): GridSteps {
  const calendar = step.months !== 0;
  const stepMs = step.days * dayMs + step.ms;
  const next = (at: Instant): Instant => (calendar ? shift(at, step, 'UTC') : instant(at + stepMs));
  return {
    step(start) {
      const end = next(start);
      return { end: intervals === 'zero-width' ? start : end, next: end };
    },
    first: (earliest) => (calendar ? earliest : instant(anchor + Math.ceil((earliest - anchor) / stepMs) * stepMs)),
    seed: (at) => (calendar ? anchor : instant(anchor + Math.floor((at - anchor) / stepMs) * stepMs)),
  };
}

/** Ticks of several schedules on one line; a tick that two of them have is one. Their intervals are empty. */
export function mergedSteps(all: readonly GridSteps[]): GridSteps {
  const earliest = (of: (steps: GridSteps) => Instant): Instant => instant(Math.min(...all.map(of)));
  return {
    step: (start) => ({ end: start, next: earliest((steps) => steps.step(start).next) }),
    first: (from) => earliest((steps) => steps.first(from)),
    seed: (at) => earliest((steps) => steps.seed(at)),
  };
}

/** The same ticks, each the end of a data interval of fixed length, whose start names it. */
export function endingSteps(ticks: GridSteps, lengthMs: number): GridSteps {
  const moved = (at: Instant, by: number): Instant => instant(at + by);
  return {
    step(start) {
      const tick = moved(start, lengthMs);
      return { end: tick, next: moved(ticks.step(tick).next, -lengthMs) };
    },
    first: (from) => moved(ticks.first(from), -lengthMs),
    seed: (at) => moved(ticks.seed(moved(at, lengthMs)), -lengthMs),
  };
}
