import type { TimeExpression, TimeStep } from '../../time/expressions/time-expression.ts';
import type { CalendarOffset, CalendarUnit } from '../../time/zones/calendar.ts';
import { instant } from '../../time/zones/instant.ts';
import { movesMidnight } from '../../time/zones/moves-midnight.ts';
import { offsetMs } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** One possible meaning of a SQL time; `zone` is the calendar it moves on, `undefined` while nothing depended on it. */
export interface TimeReading {
  readonly time: TimeExpression;
  readonly zone: ZoneName | undefined;
}

/**
 * A SQL value that is a function of the data interval. Several readings where type or session zone, which the text
 * does not say, decide what a day is.
 */
export interface TimeReadings {
  readonly readings: readonly TimeReading[];
  /** The calendar unit whose start the value is: `day` for a date, `month` after `date_trunc('month', …)`. */
  readonly unit: CalendarUnit | undefined;
  /** A wall time without an offset (`date`, `timestamp`), which AT TIME ZONE takes for a local one. */
  readonly naive: boolean;
  /** Said to be a moment (`timestamptz`), so that a column of wall times is taken to the session's zone for it. */
  readonly moment?: boolean;
}

export const noOffset: CalendarOffset = { months: 0, days: 0, ms: 0 };

const unitOrder: readonly CalendarUnit[] = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

/** True when every start of `coarse` is a start of `fine`. */
export function isAligned(coarse: CalendarUnit | undefined, fine: CalendarUnit): boolean {
  if (coarse === undefined) return false;
  if (fine === 'week') return coarse === 'week';
  return unitOrder.indexOf(coarse) >= unitOrder.indexOf(fine);
}

/** `date_trunc(unit, …)`. */
export function floorReadings(value: TimeReadings, unit: CalendarUnit, zones: readonly ZoneName[]): TimeReadings {
  const isStart = isAligned(value.unit, unit);
  if (isStart && !value.readings.some(({ zone }) => zone !== undefined && movesMidnight(zone))) return value;
  return {
    ...onCalendars(value, zones, (zone) => ({ kind: 'floor', unit, zone })),
    unit: isStart ? value.unit : unit,
  };
}

/** `… + interval`, or a number of days added to a date. */
export function shiftReadings(value: TimeReadings, offset: CalendarOffset, zones: readonly ZoneName[]): TimeReadings {
  const unit = unitAfterShift(value.unit, offset);
  const elapsedOnly = offset.months === 0 && offset.days === 0;
  const moved = elapsedOnly
    ? eachTime(value, (time) => appendStep(time, { kind: 'shift', offset, zone: 'UTC' }))
    : onCalendars(value, zones, (zone) => ({ kind: 'shift', offset, zone }));
  return { ...moved, unit };
}

const unitAfterShift = (
  unit: CalendarUnit | undefined,
  { months, days, ms }: CalendarOffset,
): CalendarUnit | undefined => {
  if (unit === undefined) return undefined;
  if (ms % 60_000 !== 0) return undefined;
  if (ms % 3_600_000 !== 0) return isAligned(unit, 'minute') ? 'minute' : unit;
  if (ms !== 0) return isAligned(unit, 'hour') ? 'hour' : unit;
  if (days !== 0) return unit === 'week' && days % 7 === 0 ? 'week' : isAligned(unit, 'day') ? 'day' : unit;
  if (months === 0) return unit;
  if (unit === 'week') return 'day';
  if (unit === 'year') return months % 12 === 0 ? 'year' : months % 3 === 0 ? 'quarter' : 'month';
  return unit === 'quarter' && months % 3 !== 0 ? 'month' : unit;
};

/** The value one unit later: the end of what a label such as a date or a month stands for. */
export const endOfUnit = (value: TimeReadings, unit: CalendarUnit, zones: readonly ZoneName[]): TimeReadings =>
  shiftReadings(value, unitLength(unit), zones);

export function unitLength(unit: CalendarUnit): CalendarOffset {
  switch (unit) {
    case 'second':
      return { ...noOffset, ms: 1000 };
    case 'minute':
      return { ...noOffset, ms: 60_000 };
    case 'hour':
      return { ...noOffset, ms: 3_600_000 };
    case 'day':
      return { ...noOffset, days: 1 };
    case 'week':
      return { ...noOffset, days: 7 };
    case 'month':
      return { ...noOffset, months: 1 };
    case 'quarter':
      return { ...noOffset, months: 3 };
    case 'year':
      return { ...noOffset, months: 12 };
  }
}

/** `… AT TIME ZONE zone`: an instant shown on that clock, or a wall time taken to be of it. */
export function inZone(value: TimeReadings, zone: ZoneName): TimeReadings {
  if (!value.naive) return { ...value, readings: value.readings.map(({ time }) => ({ time, zone })), naive: true };
  // A moment moves on the calendar of the session, whatever clock it was read from.
  const moments = zone === 'UTC' ? value.readings : [...value.readings, ...localMidnights(value, zone)];
  return { readings: moments.map(({ time }) => ({ time, zone: undefined })), unit: value.unit, naive: false };
}

/**
 * A local column compared with a label that was computed in UTC: the rows lie earlier or later by the zone's offset,
 * whose least and greatest value both are readings.
 */
export function asLocalIn(value: TimeReadings, zone: ZoneName): TimeReadings {
  return zone === 'UTC' ? value : { ...value, readings: localMidnights(value, zone) };
}

/** A wall time of `zone` as what a clock in UTC shows then, as `to_utc_timestamp` gives it. */
export const asWallOf = (value: TimeReadings, zone: ZoneName): TimeReadings => ({
  readings: asLocalIn(value, zone).readings.map(({ time }) => ({ time, zone: 'UTC' })),
  unit: undefined,
  naive: true,
});

/** A wall time of UTC as what a clock in `zone` shows then. */
export const onClockOf = (value: TimeReadings, zone: ZoneName): TimeReadings =>
  zone === 'UTC'
    ? { ...value, naive: true, moment: false }
    : { readings: value.readings.map(({ time }) => ({ time, zone })), unit: undefined, naive: true };

/** A moment compared with a column of wall times, when the session is in that zone: what the clock there shows. */
export const shownOnClock = (value: TimeReadings, zone: ZoneName): readonly TimeReading[] =>
  value.readings.flatMap(({ time, zone: own }) =>
    offsetsOf(zone).map((ms) => ({
      time: appendStep(time, { kind: 'shift', offset: { ...noOffset, ms }, zone: 'UTC' }),
      zone: own,
    })),
  );

function localMidnights(value: TimeReadings, zone: ZoneName): readonly TimeReading[] {
  const offsets = offsetsOf(zone);
  return value.readings.flatMap(({ time, zone: own }) =>
    own === zone
      ? [{ time, zone }]
      : offsets.map((ms) => ({
          time: appendStep(time, { kind: 'shift', offset: { ...noOffset, ms: -ms }, zone: 'UTC' }),
          zone,
        })),
  );
}

/** The least and the greatest offset from UTC of this century so far and the years to come, in ms. */
function offsetsOf(zone: ZoneName): readonly number[] {
  const offsets: number[] = [];
  for (let year = 2000; year < 2040; year++) {
    for (const month of [0, 6]) offsets.push(offsetMs(zone, instant(Date.UTC(year, month, 1))));
  }
  return [...new Set([Math.min(...offsets), Math.max(...offsets)])];
}

/** Applies a step of the calendar in each zone that may be meant; a reading that has a zone stays in it. */
function onCalendars(
  value: TimeReadings,
  zones: readonly ZoneName[],
  step: (zone: ZoneName) => TimeStep,
): TimeReadings {
  const readings = value.readings.flatMap(({ time, zone }) =>
    (zone === undefined ? zones : [zone]).map((own) => ({ time: appendStep(time, step(own)), zone: own })),
  );
  return { ...value, readings };
}

const eachTime = (value: TimeReadings, change: (time: TimeExpression) => TimeExpression): TimeReadings => ({
  ...value,
  readings: value.readings.map(({ time, zone }) => ({ time: change(time), zone })),
});

/**
 * Adds a step. A cut to a unit that the value already starts does nothing, and replaces a finer one; shifts of the
 * same kind on the same calendar become one, and one that cancels out disappears.
 */
export function appendStep(time: TimeExpression, step: TimeStep): TimeExpression {
  const before = time.steps.at(-1);
  if (step.kind === 'floor') {
    const started = startedUnit(time, step.zone);
    // Where clocks move by half an hour, the start of an hour can lie in the hour before.
    if (isAligned(started, step.unit) && (isAligned(started, 'day') || step.zone === 'UTC')) return time;
    const finer =
      before?.kind === 'floor' &&
      before.zone === step.zone &&
      isAligned(step.unit, before.unit) &&
      // An hour that began before a midnight which is repeated lies in another day than its moments.
      (isAligned(before.unit, 'day') || !movesMidnight(step.zone));
    return { ...time, steps: [...(finer ? time.steps.slice(0, -1) : time.steps), step] };
  }
  if (before?.kind === 'shift' && step.kind === 'shift' && before.zone === step.zone) {
    const steps = time.steps.slice(0, -1);
    const sum = sumOffsets(before.offset, step.offset, isAligned(startedUnit({ ...time, steps }, step.zone), 'month'));
    if (sum !== undefined) {
      const cancels = sum.months === 0 && sum.days === 0 && sum.ms === 0;
      return { ...time, steps: cancels ? steps : [...steps, { ...step, offset: sum }] };
    }
  }
  return { ...time, steps: [...time.steps, step] };
}

/** The unit of a zone's calendar that a bound always is the start of. */
function startedUnit({ steps }: TimeExpression, zone: ZoneName): CalendarUnit | undefined {
  let unit: CalendarUnit | undefined;
  for (const step of steps) {
    if (step.zone !== zone) unit = undefined;
    else if (step.kind === 'floor') unit = step.unit;
    else if (step.kind === 'wall') unit = undefined;
    // From a day that begins at 01:00 a day on is 01:00, too.
    else unit = movesMidnight(zone) ? undefined : unitAfterShift(unit, step.offset);
  }
  return unit;
}

/** Only offsets of one kind add up: a day and 24 hours, a month and 30 days are not the same. */
function sumOffsets(a: CalendarOffset, b: CalendarOffset, fromFirstDay: boolean): CalendarOffset | undefined {
  const kinds = (['months', 'days', 'ms'] as const).filter((part) => a[part] !== 0 || b[part] !== 0);
  // Months clamp the day: twice one month after 31 January is not two months after it. First days are not clamped.
  if (kinds.length > 1 || (kinds[0] === 'months' && !fromFirstDay)) return undefined;
  return { months: a.months + b.months, days: a.days + b.days, ms: a.ms + b.ms };
}
