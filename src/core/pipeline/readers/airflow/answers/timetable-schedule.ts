import { type IntervalShape, type Schedule, withAssets } from '../../../../time/schedules/schedule.ts';
import type { CalendarOffset } from '../../../../time/zones/calendar.ts';
import type { ZoneName } from '../../../../time/zones/zone-name.ts';
import { cronSchedule } from '../../../model/cron-schedule.ts';
import type { SerializedTimetable } from './airflow-answer.ts';
import { decodeZone, isRecord } from './decode-answer.ts';

/** The schedule that a serialised timetable means; `zone` is the DAG's, for timetables that name none. */
export function timetableSchedule(timetable: SerializedTimetable, zone: ZoneName): Schedule {
  const { type, parts } = timetable;
  if (!/^airflow\.(?:sdk\.)?(?:definitions\.)?timetables\./.test(type))
    return unknown(`${type} is a timetable of its own`);
  const name = type.slice(type.lastIndexOf('.') + 1);
  switch (name) {
    case 'CronDataIntervalTimetable':
      return cron(parts, zone, 'tick-to-tick');
    case 'CronTriggerTimetable':
    case 'MultipleCronTriggerTimetable': {
      const intervals = shapeOf(parts.interval);
      return intervals === undefined ? unknown(`${name} with a calendar interval`) : cron(parts, zone, intervals);
    }
    case 'DeltaDataIntervalTimetable':
      return delta(parts, 'tick-to-tick');
    case 'DeltaTriggerTimetable': {
      const intervals = shapeOf(parts.interval);
      return intervals === undefined ? unknown(`${name} with a calendar interval`) : delta(parts, intervals);
    }
    case 'NullTimetable':
      return { kind: 'none' };
    case 'OnceTimetable':
      return { kind: 'once' };
    case 'ContinuousTimetable':
      return { kind: 'continuous' };
    case 'AssetOrTimeSchedule':
    case 'DatasetOrTimeSchedule': {
      const inner = parts.timetable;
      return isRecord(inner) && typeof inner.__type === 'string'
        ? withAssets(timetableSchedule({ type: inner.__type, parts: isRecord(inner.__var) ? inner.__var : {} }, zone))
        : unknown(`${name} without its timetable`);
    }
    case 'AssetTriggeredTimetable':
    case 'DatasetTriggeredTimetable':
    case 'PartitionedAssetTimetable':
      return { kind: 'assets', assets: timetableAssets(timetable).flatMap(({ uri, name }) => uri ?? name ?? []) };
    default:
      return unknown(`${name} is not a known timetable`);
  }
}

const unknown = (reason: string): Schedule => ({ kind: 'unknown', reason });

function cron(
  { expression, expressions = [expression], timezone }: Readonly<Record<string, unknown>>,
  zone: ZoneName,
  intervals: IntervalShape,
): Schedule {
  if (!Array.isArray(expressions) || !expressions.every((text) => typeof text === 'string'))
    return unknown('its cron expression is not a text');
  const [first, ...others] = expressions.map((text) => cronSchedule(text, decodeZone(timezone) ?? zone, intervals));
  if (first?.kind !== 'cron') return first ?? unknown('it has no cron expression');
  const more: string[] = [];
  for (const other of others) {
    if (other.kind !== 'cron') return other;
    more.push(other.expression);
  }
  return more.length === 0 ? first : { ...first, others: more };
}

function delta(parts: Readonly<Record<string, unknown>>, intervals: IntervalShape): Schedule {
  const step = offset(parts.delta);
  return step === undefined
    ? unknown('its delta has parts that are not known')
    : { kind: 'delta', step, zone: 'UTC', intervals };
}

/** Seconds of a timedelta, or the parts of a relativedelta. */
function offset(raw: unknown): CalendarOffset | undefined {
  if (typeof raw === 'number')
    return { months: 0, days: Math.trunc(raw / 86_400), ms: Math.round((raw % 86_400) * 1000) };
  if (!isRecord(raw)) return undefined;
  const given = isRecord(raw.__var) ? raw.__var : raw;
  const known = new Set(['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'leapdays']);
  const part = (name: string): number => (typeof given[name] === 'number' ? given[name] : 0);
  if (Object.entries(given).some(([name, value]) => !known.has(name) && value !== null && value !== 0))
    return undefined;
  if (part('leapdays') !== 0) return undefined;
  return {
    months: part('years') * 12 + part('months'),
    days: part('weeks') * 7 + part('days'),
    ms: ((part('hours') * 60 + part('minutes')) * 60 + part('seconds')) * 1000,
  };
}

/** What a trigger timetable hands to a run: nothing, or the seconds that end with the tick. */
function shapeOf(interval: unknown): IntervalShape | undefined {
  if (interval === undefined || interval === null || interval === 0) return 'zero-width';
  return typeof interval === 'number' ? { before: interval * 1000 } : undefined;
}

export interface SerializedAsset {
  readonly name: string | undefined;
  readonly uri: string | undefined;
}

/** The assets that a timetable waits for. An alias of Airflow 2 stands for none before something is written to it. */
export function timetableAssets({ parts }: SerializedTimetable): readonly SerializedAsset[] {
  const found = (condition: unknown): SerializedAsset[] => {
    if (Array.isArray(condition)) return condition.flatMap(found);
    if (!isRecord(condition)) return [];
    const { name, uri } = condition;
    if (typeof name === 'string' || typeof uri === 'string')
      return [{ name: typeof name === 'string' ? name : undefined, uri: typeof uri === 'string' ? uri : undefined }];
    return Object.values(condition).flatMap(found);
  };
  return found(parts.asset_condition ?? parts.dataset_condition);
}
