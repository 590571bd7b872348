import { type IntervalShape, type Schedule, withAssets } from '../../../../time/schedules/schedule.ts';
import { dayMs } from '../../../../time/zones/civil.ts';
import type { ZoneName } from '../../../../time/zones/zone-name.ts';
import { cronSchedule } from '../../../model/cron-schedule.ts';
import { argument } from '../../../python/calls/call.ts';
import { zoneOf } from '../../../python/library/time-call.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, Keyword, Value } from '../../../python/values/value.ts';

export const unknownSchedule = (reason: string): Schedule => ({ kind: 'unknown', reason });

/** A text where a schedule is expected, as Airflow takes it. */
export function textSchedule(text: string, zone: ZoneName, intervals: IntervalShape): Schedule {
  const expression = text.trim();
  if (expression === '@once') return { kind: 'once' };
  if (expression === '@continuous') return { kind: 'continuous' };
  return cronSchedule(expression, zone, intervals);
}

/**
 * The schedule of one of Airflow's own timetables; `scheduleOf` reads what it wraps. A timetable of somebody else may do
 * anything, also under the name of one of these, so it is unknown.
 */
export function timetableSchedule(
  type: string,
  call: Call,
  zone: ZoneName,
  scheduleOf: (inner: Value) => Schedule,
): Schedule {
  const name = type.slice(type.lastIndexOf('.') + 1);
  if (!type.startsWith('airflow.'))
    return unknownSchedule(
      /^[a-z_]/.test(name) ? `${name} is defined outside the workspace` : `${name} is a timetable of its own`,
    );
  switch (name) {
    case 'CronDataIntervalTimetable':
      return cron(call, zone, 'tick-to-tick');
    case 'CronTriggerTimetable':
      return withShape(name, call, (shape) => cron(call, zone, shape));
    case 'MultipleCronTriggerTimetable':
      return withShape(name, call, (shape) => crons(call, zone, shape));
    case 'DeltaDataIntervalTimetable':
      return delta(call, 'tick-to-tick');
    case 'DeltaTriggerTimetable':
      return withShape(name, call, (shape) => delta(call, shape));
    case 'CronPartitionTimetable':
      return unknownSchedule('its runs have partition keys and no data intervals (CronPartitionTimetable)');
    case 'EventsTimetable':
      return unknownSchedule('it runs at listed dates (EventsTimetable)');
    case 'NullTimetable':
      return { kind: 'none' };
    case 'OnceTimetable':
      return { kind: 'once' };
    case 'ContinuousTimetable':
      return { kind: 'continuous' };
    case 'DatasetOrTimeSchedule':
    case 'AssetOrTimeSchedule':
      return withAssets(wrapped(argument(call, 'timetable', 0), name, scheduleOf));
    case 'AssetTriggeredTimetable':
    case 'DatasetTriggeredTimetable':
    case 'PartitionedAssetTimetable':
      return wrapped(argument(call, 'assets', 0) ?? call.keywords.get('datasets'), name, scheduleOf);
    default:
      return unknownSchedule(`${name} is not a known timetable`);
  }
}

function wrapped(inner: Keyword | undefined, name: string, scheduleOf: (inner: Value) => Schedule): Schedule {
  return inner === undefined ? unknownSchedule(`the arguments of ${name} are not known`) : scheduleOf(inner.value);
}

/**
 * Airflow takes the interval off the tick in UTC, where a day has 24 hours. Months off a tick cannot be undone (three
 * ticks may get one start), so they have no grid.
 */
function withShape(name: string, call: Call, schedule: (shape: IntervalShape) => Schedule): Schedule {
  const interval = call.keywords.get('interval')?.value;
  if (interval === undefined) return schedule('zero-width');
  if (interval.kind !== 'duration') return unknownSchedule(`the interval of its ${name} is not known`);
  const { months, days, ms } = interval.offset;
  if (months !== 0) return unknownSchedule(`${name} with an interval of its own in months`);
  const before = days * dayMs + ms;
  if (before < 0) return unknownSchedule(`${name} with an interval below zero`);
  return schedule(before === 0 ? 'zero-width' : { before });
}

function cron(call: Call, zone: ZoneName, intervals: IntervalShape): Schedule {
  const expression = plainText(argument(call, 'cron', 0)?.value);
  if (expression === undefined) return unknownSchedule('its cron expression is not known');
  const own = ownZone(argument(call, 'timezone', 1), zone);
  return typeof own === 'string' ? textSchedule(expression, own, intervals) : own;
}

function crons(call: Call, zone: ZoneName, intervals: IntervalShape): Schedule {
  const texts = call.positional.map((value) => plainText(value));
  const [first, ...others] = texts.filter((text) => text !== undefined);
  if (first === undefined || call.open || texts.includes(undefined))
    return unknownSchedule('its cron expressions are not all known');
  const own = ownZone(call.keywords.get('timezone'), zone);
  if (typeof own !== 'string') return own;
  const all = [first, ...others].map((text) => textSchedule(text, own, intervals));
  const wrong = all.find((schedule) => schedule.kind !== 'cron');
  const [schedule] = all;
  if (wrong !== undefined || schedule?.kind !== 'cron') return wrong ?? unknownSchedule('it has no cron expression');
  return others.length === 0 ? schedule : { ...schedule, others };
}

function delta(call: Call, intervals: IntervalShape): Schedule {
  const step = argument(call, 'delta', 0)?.value;
  return step?.kind === 'duration'
    ? { kind: 'delta', step: step.offset, zone: 'UTC', intervals }
    : unknownSchedule('its delta is not known');
}

/** The zone that the timetable names, or why it is not known. */
function ownZone(named: Keyword | undefined, zone: ZoneName): ZoneName | Schedule {
  if (named === undefined) return zone;
  const own = zoneOf(named.value);
  if (own.kind === 'zone') return own.zone;
  return unknownSchedule(own.kind === 'unknown' ? own.reason : 'its zone is not known');
}
