import { dayMs } from '../../time/zones/civil.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { SqlContext } from '../times/sql-context.ts';
import {
  appendStep,
  asLocalIn,
  endOfUnit,
  floorReadings,
  isAligned,
  noOffset,
  shiftReadings,
  shownOnClock,
  type TimeReadings,
} from '../times/time-readings.ts';
import type { ColumnStep } from './column-function.ts';
import type { ColumnRange } from './column-range.ts';
import type { ColumnType } from './column-type.ts';
import type { ComparedColumn } from './compared-column.ts';

export type BoundOperator = '<' | '<=' | '=' | '>=' | '>';

/** The range of the bare column for which `side operator value` can hold. */
export function boundRange(
  side: ComparedColumn,
  operator: BoundOperator,
  value: TimeReadings,
  context: SqlContext,
  type: ColumnType,
): Pick<ColumnRange, 'lo' | 'hi'> {
  const { zone } = side;
  const isWall = type === 'timestamp' || type === 'date';
  // Days that are cut on a clock and are moments again: of a wall time that is nothing known.
  if (isWall && side.steps.some((step) => step.kind === 'cut' && step.zone !== undefined)) {
    return { lo: undefined, hi: undefined };
  }
  const range = throughSteps(side, operator, value, context, type);
  if (zone === undefined || !isWall) return range;
  // `AT TIME ZONE` makes a wall time the moment at which a clock there shows it.
  const moment = throughSteps({ ...side, zone: undefined }, operator, value, context, 'timestamptz');
  return { lo: withShown(range.lo, moment.lo, zone), hi: withShown(range.hi, moment.hi, zone) };
}

const withShown = (end: TimeReadings | undefined, moment: TimeReadings | undefined, zone: ZoneName) =>
  end && moment && { ...end, unit: undefined, readings: [...end.readings, ...shownOnClock(moment, zone)] };

function throughSteps(
  side: ComparedColumn,
  operator: BoundOperator,
  value: TimeReadings,
  context: SqlContext,
  type: ColumnType,
): Pick<ColumnRange, 'lo' | 'hi'> {
  const own = side.zone === undefined ? inSession(value, side, type, context) : onOwnClock(value, side.zone);
  let lo = operator === '<' || operator === '<=' ? undefined : own;
  let hi = operator === '>' || operator === '>=' ? undefined : own;
  // The outermost cut knows the operator; further in, the range is half-open.
  let below: BoundOperator = operator;
  let above: BoundOperator = operator;
  const inside = context.session !== undefined && type === 'timestamptz' ? [context.session] : context.zones;
  for (const step of side.steps) {
    if (step.kind === 'shift') {
      const zones = side.zone === undefined ? inside : [side.zone];
      lo = lo && shiftReadings(lo, opposite(step), zones);
      hi = hi && shiftReadings(hi, opposite(step), zones);
      continue;
    }
    const zones = step.zone !== undefined ? [step.zone] : side.zone !== undefined ? [side.zone] : inside;
    lo = lo && lowerThroughCut(onCalendarOf(lo, step, zones), above, step, zones);
    hi = hi && upperThroughCut(onCalendarOf(hi, step, zones), below, step, zones);
    if (step.zone !== undefined) [lo, hi] = [lo && unplaced(lo), hi && unplaced(hi)];
    above = '>=';
    below = '<';
  }
  const ends = {
    lo: lo && lowerEnd(lo, above, type, inside),
    hi: hi && upperEnd(hi, below, type, inside),
  };
  if (side.zone === undefined || type === 'timestamp' || type === 'date') return ends;
  return { lo: ends.lo && asMoment(ends.lo), hi: ends.hi && asMoment(ends.hi) };
}

/** What a column of moments was compared with on a clock of its own is a moment: a day there begins none of the session. */
const asMoment = (value: TimeReadings): TimeReadings => ({ ...value, naive: false, moment: true });

type Cut = Extract<ColumnStep, { kind: 'cut' }>;

const opposite = ({ offset }: Extract<ColumnStep, { kind: 'shift' }>): typeof offset => ({
  months: -offset.months + 0,
  days: -offset.days + 0,
  ms: -offset.ms + 0,
});

/**
 * A wall time compared with a column of moments is one of the session's zone, which may be any of the context's; so is
 * what a moment is taken for that is compared with a column of wall times.
 */
function inSession(value: TimeReadings, side: ComparedColumn, type: ColumnType, context: SqlContext): TimeReadings {
  const { zones, mayBeMoments = false, session } = context;
  if (session !== undefined && (type === 'timestamptz' || (type === undefined && mayBeMoments))) {
    if (!value.naive) return value;
    const moments = wallTimesOf(value, session);
    return type === undefined ? { ...value, readings: [...value.readings, ...moments.readings] } : moments;
  }
  const others = zones.filter((zone) => zone !== 'UTC');
  const cuts = side.steps.some((step) => step.kind === 'cut');
  const local =
    type === 'timestamptz' || (type === undefined && mayBeMoments)
      ? value.naive || cuts
        ? [...others.flatMap((zone) => asLocalIn(value, zone).readings), ...labelsInUtc(value)]
        : []
      : type !== undefined && value.moment === true
        ? others.flatMap((zone) => shownOnClock(value, zone))
        : [];
  return local.length === 0 ? value : { ...value, readings: [...value.readings, ...local] };
}

/** Wall times as the moments at which a clock in the zone shows them. */
const wallTimesOf = (value: TimeReadings, zone: ZoneName): TimeReadings => ({
  ...value,
  readings: value.readings.map(({ time, zone: from = 'UTC' }) => ({
    time: from === zone ? time : appendStep(time, { kind: 'wall', from, zone }),
    zone,
  })),
});

/** The name of a day of another clock, taken for a day of UTC. */
const labelsInUtc = (value: TimeReadings): TimeReadings['readings'] =>
  value.naive
    ? value.readings.flatMap((reading) =>
        reading.zone === undefined || reading.zone === 'UTC'
          ? []
          : shownOnClock({ ...value, readings: [reading] }, reading.zone).map(({ time }) => ({ time, zone: 'UTC' })),
      )
    : [];

/** The value as of a column that is put on a clock: a label of that clock, or the same instant. */
function onOwnClock(value: TimeReadings, zone: ZoneName): TimeReadings {
  // Only what was not yet put on a calendar can be the same instant.
  const instants = value.readings.filter((reading) => reading.zone === undefined);
  return { ...value, readings: [...asLocalIn(value, zone).readings, ...instants.map(({ time }) => ({ time, zone }))] };
}

/** A moment that was found on a calendar moves on that of the session from here on. */
const unplaced = (value: TimeReadings): TimeReadings => ({
  ...value,
  unit: undefined,
  readings: value.readings.map(({ time }) => ({ time, zone: undefined })),
});

/** A moment that is the start of a unit in another zone than the cut's starts nothing there. */
function onCalendarOf(value: TimeReadings, { zone }: Cut, zones: readonly ZoneName[]): TimeReadings {
  const isPlaced = value.readings.every((reading) => reading.zone !== undefined && zones.includes(reading.zone));
  if ((isPlaced && value.moment !== true) || (value.naive && zone === undefined)) return value;
  return { ...value, unit: undefined, readings: value.readings.map(({ time }) => ({ time, zone })) };
}

function lowerThroughCut(value: TimeReadings, operator: BoundOperator, { unit }: Cut, zones: readonly ZoneName[]) {
  if (operator === '=') return floorReadings(value, unit, zones);
  return operator === '>' && isAligned(value.unit, unit) ? endOfUnit(value, unit, zones) : value;
}

function upperThroughCut(value: TimeReadings, operator: BoundOperator, { unit }: Cut, zones: readonly ZoneName[]) {
  if (operator === '<' && isAligned(value.unit, unit)) return value;
  return endOfUnit(floorReadings(value, unit, zones), unit, zones);
}

function lowerEnd(
  value: TimeReadings,
  operator: BoundOperator,
  type: ColumnType,
  zones: readonly ZoneName[],
): TimeReadings {
  const nextDay = operator === '>' && type === 'date' && isAligned(value.unit, 'day');
  return nextDay ? endOfUnit(value, 'day', zones) : value;
}

function upperEnd(
  value: TimeReadings,
  operator: BoundOperator,
  type: ColumnType,
  zones: readonly ZoneName[],
): TimeReadings {
  if (operator === '<') {
    if (type !== 'date' || isAligned(value.unit, 'day')) return value;
    return endOfUnit(floorReadings(value, 'day', zones), 'day', zones);
  }
  const isMoment = type === 'timestamp' || type === 'timestamptz';
  if (value.unit !== undefined && (operator === '=' || !isMoment)) return endOfUnit(value, value.unit, zones);
  if (type === 'date') return endOfUnit(floorReadings(value, 'day', zones), 'day', zones);
  const readings = value.readings.map(({ time, zone }) => ({ time: justAfter(time), zone }));
  return { ...value, unit: undefined, readings };
}

/** The first millisecond behind a moment; `23:59:59` and its kin mean the end of the minute, and of the day. */
function justAfter(time: TimeReadings['readings'][number]['time']): typeof time {
  const last = time.steps.at(-1);
  const into = last?.kind === 'shift' ? ((last.offset.ms % 60_000) + 60_000) % 60_000 : 0;
  const ms = into >= 59_000 ? 60_000 - into : 1;
  const zone = last?.kind === 'shift' ? last.zone : 'UTC';
  const after = appendStep(time, { kind: 'shift', offset: { ...noOffset, ms }, zone });
  const moved = after.steps.at(-1);
  const wholeDay = moved?.kind === 'shift' && moved.zone === 'UTC' && moved.offset.ms === dayMs;
  if (!wholeDay) return after;
  return appendStep(
    { ...after, steps: after.steps.slice(0, -1) },
    { kind: 'shift', offset: { ...noOffset, days: 1 }, zone },
  );
}
