import type { DataInterval } from '../intervals/data-interval.ts';
import type { CalendarOffset } from '../zones/calendar.ts';
import { civilOf, dayMs, dayNumberOf, daysInMonth } from '../zones/civil.ts';
import { floorTo } from '../zones/floor.ts';
import { type Instant, instant } from '../zones/instant.ts';
import { movesMidnight } from '../zones/moves-midnight.ts';
import { addMonths, shift } from '../zones/shift.ts';
import { type WallTime, wallTime } from '../zones/wall-time.ts';
import { fromWall, isFixed, lastChange, offsetMs, toWall, wallChoices } from '../zones/zone.ts';
import type { ZoneName } from '../zones/zone-name.ts';
import type { TimeExpression, TimeStep } from './time-expression.ts';

/** Which side of a range the value bounds, so that it can err towards a wider range. */
export type BoundSide = 'lower' | 'upper';

/**
 * The value of a bound of a range that must not be too narrow, for one interval. Monotone: a later interval never gives an earlier bound. Calendar shifts
 * are not monotone by themselves where a clock goes back, where it skips, and where the 29th, 30th and 31st fall
 * onto one day of a shorter month; there, and only there, a `lower` bound comes out earlier and an `upper` bound
 * later than the plain calendar result, because a slice too many is cheap and one too few is wrong.
 */
export function evaluateTime(expression: TimeExpression, interval: DataInterval, side: BoundSide): Instant {
  let value = expression.anchor === 'start' ? interval.start : interval.end;
  let day: Day | undefined;
  for (const step of expression.steps) {
    if (startsDay(step)) {
      day = dayOf(value, step);
      value = firstOfDay(day);
    } else if (day?.zone === step.zone && step.kind === 'shift' && step.offset.ms === 0) {
      day = { zone: step.zone, midnight: shiftDates(day.midnight, step.offset, side) };
      value = side === 'lower' ? firstOfDay(day) : monotoneShift(value, step.offset, step.zone, side);
    } else {
      value = applyStep(day === undefined ? value : closed(value, day.zone, side), step, side);
      day = undefined;
    }
  }
  return day === undefined ? value : closed(value, day.zone, side);
}

/** A date of a zone, by the wall time of its midnight, which no clock may show or two instants may. */
interface Day {
  readonly zone: ZoneName;
  readonly midnight: WallTime;
}

/**
 * Whether the step cuts to days of a zone whose clocks skip or repeat a midnight. The start of such a day is one instant
 * to an engine and, for a label such as a date, the first that shows it; between the two a bound is the wider.
 */
const startsDay = (step: TimeStep): step is Extract<TimeStep, { kind: 'floor' }> =>
  step.kind === 'floor' && !/^(?:second|minute|hour)$/.test(step.unit) && movesMidnight(step.zone);

/** The first day of the unit that `at` falls into. An infinite instant gives an infinite midnight. */
function dayOf(at: Instant, { unit, zone }: Extract<TimeStep, { kind: 'floor' }>): Day {
  return { zone, midnight: wallTime(Math.floor(toWall(zone, floorTo(at, unit, zone)) / dayMs) * dayMs) };
}

/** The first instant that stands for the day: the earlier of two midnights, the change that skips the only one. */
function firstOfDay({ zone, midnight }: Day): Instant {
  if (!Number.isFinite(midnight)) return instant(midnight);
  const { first, gapAt } = wallChoices(zone, midnight);
  return gapAt ?? first;
}

/** Dates move by the calendar alone: no clock has a part in it. */
const shiftDates = (midnight: WallTime, { months, days }: CalendarOffset, side: BoundSide): WallTime =>
  Number.isFinite(midnight) ? wallTime(monotoneMonths(midnight, months, side) + days * dayMs) : midnight;

/** The later of two midnights for an upper bound. */
const closed = (at: Instant, zone: ZoneName, side: BoundSide): Instant =>
  side === 'lower' || !Number.isFinite(at) ? at : instant(Math.max(at, wallChoices(zone, toWall(zone, at)).last));

/**
 * The value of a bound as the statements of one interval compute it: plain calendar arithmetic, never widened, and so
 * not monotone. For rows that are written, counted and locked; a range that looks for intervals takes `evaluateTime`.
 */
export function exactTime({ anchor, steps }: TimeExpression, interval: DataInterval): Instant {
  let value = anchor === 'start' ? interval.start : interval.end;
  for (const step of steps) {
    value = exactStep(value, step);
  }
  return value;
}

function exactStep(at: Instant, step: TimeStep): Instant {
  switch (step.kind) {
    case 'floor':
      return floorTo(at, step.unit, step.zone);
    case 'shift':
      return shift(at, step.offset, step.zone);
    case 'wall':
      return Number.isFinite(at) ? fromWall(step.zone, toWall(step.from, at)) : at;
  }
}

function applyStep(at: Instant, step: TimeStep, side: BoundSide): Instant {
  if (step.kind === 'floor') return floorTo(at, step.unit, step.zone);
  if (step.kind === 'wall')
    return Number.isFinite(at) ? monotoneInstant(monotoneWall(at, step.from, side), step.zone, side) : at;
  return monotoneShift(at, step.offset, step.zone, side);
}

function monotoneShift(at: Instant, offset: CalendarOffset, zone: ZoneName, side: BoundSide): Instant {
  if (!Number.isFinite(at)) return at;
  if (offset.months === 0 && (offset.days === 0 || isFixed(zone))) return instant(at + offset.days * dayMs + offset.ms);
  const moved = monotoneMonths(monotoneWall(at, zone, side), offset.months, side) + offset.days * dayMs;
  return instant(monotoneInstant(wallTime(moved), zone, side) + offset.ms);
}

/** `toWall`, held back before a fold (lower) or carried on after it (upper) until the clock has caught up. */
function monotoneWall(at: Instant, zone: ZoneName, side: BoundSide): WallTime {
  const wall = toWall(zone, at);
  if (side === 'upper') {
    const change = lastChange(zone, at);
    return Number.isFinite(change) ? wallTime(Math.max(wall, change + offsetMs(zone, instant(change - 1)))) : wall;
  }
  // Only the first reading of a repeated wall time is held back; it is repeated within a day.
  const { first, last } = wallChoices(zone, wall);
  if (first === last || at !== first) return wall;
  const change = lastChange(zone, last);
  return wallTime(change + offsetMs(zone, change));
}

/** `addMonths`, flat over the days that share one target day. */
function monotoneMonths(wall: WallTime, months: number, side: BoundSide): WallTime {
  const exact = addMonths(wall, months);
  if (months === 0) return exact;
  const { year, month, day } = civilOf(Math.floor(wall / dayMs));
  const length = daysInMonth(year, month);
  const targetLength = daysInMonth(year, month + months);
  if (length <= targetLength || day < targetLength) return exact;
  const lastTargetDay = dayNumberOf(year, month + months, targetLength) * dayMs;
  if (side === 'upper') return day === targetLength ? exact : wallTime(lastTargetDay + dayMs);
  return day === length ? exact : wallTime(lastTargetDay);
}

/** `fromWall`, flat over a gap (lower), or carried on after it until the times that moved forward are passed (upper). */
function monotoneInstant(wall: WallTime, zone: ZoneName, side: BoundSide): Instant {
  const { last, gapAt } = wallChoices(zone, wall);
  if (side === 'lower') return gapAt ?? last;
  if (gapAt !== undefined) return last;
  const change = lastChange(zone, last);
  if (!Number.isFinite(change)) return last;
  const gap = offsetMs(zone, change) - offsetMs(zone, instant(change - 1));
  return instant(Math.max(last, change + gap));
}
