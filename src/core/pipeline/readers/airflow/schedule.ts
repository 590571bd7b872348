import type { SourceSpan } from '../../../text/span.ts';
import type { Schedule } from '../../../time/schedule.ts';
import type { ZoneName } from '../../../time/zone-name.ts';
import { cronSchedule } from '../../cron-schedule.ts';
import type { Sourced } from '../../model.ts';
import { argument, type Call } from '../../python/call.ts';
import { plainText } from '../../python/text-value.ts';
import { zoneOf } from '../../python/time-call.ts';
import { symbolOf, type Value } from '../../python/value.ts';
import type { AirflowSettings } from './airflow-settings.ts';
import { assetsOf } from './assets.ts';
import { type DagBuilder, dagArgument } from './program.ts';

/** The schedule of a DAG from its arguments, in whatever way the Airflow version spells it. */
export function scheduleOf(dag: DagBuilder, zone: ZoneName, settings: AirflowSettings): Sourced<Schedule> {
  const given =
    dagArgument(dag, 'schedule', dag.functionName === undefined ? 2 : undefined) ??
    dagArgument(dag, 'schedule_interval') ??
    dagArgument(dag, 'timetable');
  if (given === undefined) return { value: unsaid(dag, settings), at: undefined };
  return { value: scheduleOfValue(given.value, zone, settings), at: given.at };
}

/** Airflow 2 runs a DAG without a schedule every day, Airflow 3 never. */
function unsaid(dag: DagBuilder, settings: AirflowSettings): Schedule {
  if (dag.made.open) return { kind: 'unknown', reason: 'the arguments of the DAG are not all known' };
  if (settings.version === 3) return { kind: 'none' };
  return { kind: 'delta', step: { months: 0, days: 1, ms: 0 }, zone: 'UTC', intervals: 'tick-to-tick' };
}

export function scheduleOfValue(value: Value, zone: ZoneName, settings: AirflowSettings): Schedule {
  switch (value.kind) {
    case 'scalar':
      return value.value === null ? { kind: 'none' } : unknownSchedule(`${String(value.value)} is no schedule`);
    case 'text':
      return value.holes.length > 0
        ? unknownSchedule('the cron expression has parts that are not known')
        : textSchedule(value.mapped.text, zone, settings.cronIntervals);
    case 'duration':
      // The scheduler steps in UTC, whatever the zone of the start date.
      return { kind: 'delta', step: value.offset, zone: 'UTC', intervals: settings.deltaIntervals };
    case 'list':
      return { kind: 'assets', assets: value.items.map(assetName) };
    case 'instance':
      return timetable(value, zone, settings) ?? unknownSchedule(`${value.type} is not a known timetable`);
    case 'host':
      return unknownSchedule('it is not a plain value');
    default: {
      const symbol = symbolOf(value);
      if (symbol.kind === 'parameter') return unknownSchedule(`it comes from ${symbol.source} ${symbol.name}`);
      return unknownSchedule(symbol.kind === 'unknown' ? symbol.reason : 'it is not a plain value');
    }
  }
}

const unknownSchedule = (reason: string): Schedule => ({ kind: 'unknown', reason });

function textSchedule(text: string, zone: ZoneName, intervals: 'tick-to-tick' | 'zero-width'): Schedule {
  const expression = text.trim();
  if (expression === '@once') return { kind: 'once' };
  if (expression === '@continuous') return { kind: 'continuous' };
  return cronSchedule(expression, zone, intervals);
}

const assetName = (value: Value): string => {
  const named =
    plainText(value) ??
    (value.kind === 'instance'
      ? plainText(argument(value.call, 'name', 0)?.value ?? argument(value.call, 'uri')?.value)
      : undefined);
  return named ?? assetsOf(value)[0] ?? 'an asset';
};

function timetable(
  value: Value & { kind: 'instance' },
  zone: ZoneName,
  settings: AirflowSettings,
): Schedule | undefined {
  // `Asset.ref(name=…)` names an asset that is defined elsewhere.
  const type = value.type.replace(/\.ref$/, '');
  const last = type.slice(type.lastIndexOf('.') + 1);
  const { call } = value;
  switch (last) {
    case 'CronDataIntervalTimetable':
      return cron(call, zone, 'tick-to-tick');
    case 'CronTriggerTimetable': {
      const interval = argument(call, 'interval')?.value;
      const empty =
        interval === undefined ||
        (interval.kind === 'duration' &&
          interval.offset.months === 0 &&
          interval.offset.days === 0 &&
          interval.offset.ms === 0);
      return empty
        ? cron(call, zone, 'zero-width')
        : unknownSchedule('CronTriggerTimetable with an interval of its own');
    }
    case 'DeltaDataIntervalTimetable':
    case 'DeltaTriggerTimetable': {
      const step = argument(call, 'delta', 0)?.value;
      return step?.kind === 'duration'
        ? {
            kind: 'delta',
            step: step.offset,
            zone: 'UTC',
            intervals: last.startsWith('DeltaData') ? 'tick-to-tick' : 'zero-width',
          }
        : unknownSchedule('its delta is not known');
    }
    case 'NullTimetable':
      return { kind: 'none' };
    case 'OnceTimetable':
      return { kind: 'once' };
    case 'ContinuousTimetable':
      return { kind: 'continuous' };
    case 'DatasetOrTimeSchedule':
    case 'AssetOrTimeSchedule': {
      const inner = argument(call, 'timetable', 0)?.value;
      return inner === undefined ? undefined : scheduleOfValue(inner, zone, settings);
    }
    case 'PartitionedAssetTimetable': {
      const assets = argument(call, 'assets', 0)?.value;
      return assets === undefined ? undefined : scheduleOfValue(assets, zone, settings);
    }
    case 'Asset':
    case 'Dataset':
    case 'AssetAlias':
    case 'DatasetAlias':
      return { kind: 'assets', assets: [assetName(value)] };
    case 'AssetAll':
    case 'AssetAny':
    case 'DatasetAll':
    case 'DatasetAny':
      return { kind: 'assets', assets: call.positional.map(assetName) };
    default:
      return undefined;
  }
}

function cron(call: Call, zone: ZoneName, intervals: 'tick-to-tick' | 'zero-width'): Schedule {
  const expression = plainText(argument(call, 'cron', 0)?.value);
  if (expression === undefined) return unknownSchedule('its cron expression is not known');
  const named = argument(call, 'timezone', 1)?.value;
  const own = named === undefined ? undefined : zoneOf(named);
  if (own !== undefined && own.kind !== 'zone')
    return unknownSchedule(own.kind === 'unknown' ? own.reason : 'its zone is not known');
  return textSchedule(expression, own?.zone ?? zone, intervals);
}

/** The zone that a timetable names, for a DAG whose start date names none. */
export function timetableZone(dag: DagBuilder): { readonly zone: ZoneName; readonly at: SourceSpan } | undefined {
  const given = dagArgument(dag, 'schedule') ?? dagArgument(dag, 'timetable');
  if (given?.value.kind !== 'instance') return undefined;
  const named = argument(given.value.call, 'timezone', 1);
  const zone = named === undefined ? undefined : zoneOf(named.value);
  return zone?.kind === 'zone' && named !== undefined ? { zone: zone.zone, at: named.valueAt } : undefined;
}
