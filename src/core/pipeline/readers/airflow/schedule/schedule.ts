import type { SourceSpan } from '../../../../text/span.ts';
import type { Schedule } from '../../../../time/schedules/schedule.ts';
import type { ZoneName } from '../../../../time/zones/zone-name.ts';
import type { Sourced } from '../../../model/sourced.ts';
import { argument } from '../../../python/calls/call.ts';
import { zoneOf } from '../../../python/library/time-call.ts';
import { symbolOf } from '../../../python/values/make-value.ts';
import type { Value } from '../../../python/values/value.ts';
import { isNone } from '../program/arguments.ts';
import { assetsOf } from '../program/assets.ts';
import { type DagBuilder, dagArgument } from '../program/program.ts';
import type { AirflowSettings } from './airflow-settings.ts';
import { textSchedule, timetableSchedule, unknownSchedule } from './timetables.ts';

/** The schedule of a DAG from its arguments, in whatever way the Airflow version spells it. */
export function scheduleOf(dag: DagBuilder, zone: ZoneName, settings: AirflowSettings): Sourced<Schedule> {
  // By position only where Airflow 2 takes it; of three spellings the one that says something counts.
  const position = (index: number) => (dag.functionName === undefined ? index : undefined);
  const spellings = [
    dagArgument(dag, 'schedule', position(2)),
    dagArgument(dag, 'schedule_interval', position(3)),
    dagArgument(dag, 'timetable', position(4)),
  ].filter((keyword) => keyword !== undefined);
  const given = spellings.find(({ value }) => !isNone(value)) ?? spellings[0];
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
      return { kind: 'assets', assets: assetNames(value) };
    case 'instance':
      return assetsOf(value).length > 0
        ? { kind: 'assets', assets: assetNames(value) }
        : timetableSchedule(value.type, value.call, zone, (inner) => scheduleOfValue(inner, zone, settings));
    case 'host':
      return assetsOf(value).length > 0
        ? { kind: 'assets', assets: assetNames(value) }
        : unknownSchedule('it is not a plain value');
    default: {
      const symbol = symbolOf(value);
      if (symbol.kind === 'parameter') return unknownSchedule(`it comes from ${symbol.source} ${symbol.name}`);
      return unknownSchedule(symbol.kind === 'unknown' ? symbol.reason : 'it is not a plain value');
    }
  }
}

/** The names of the assets of a list or condition; one that is not known still makes the DAG wait for assets. */
const assetNames = (value: Value): readonly string[] =>
  (value.kind === 'list' ? value.items : [value]).flatMap((item) => {
    const named = assetsOf(item);
    return named.length === 0 ? ['an asset'] : named.map((name) => name ?? 'an asset');
  });

/** The zone that a timetable names, for a DAG whose start date names none. */
export function timetableZone(dag: DagBuilder): { readonly zone: ZoneName; readonly at: SourceSpan } | undefined {
  const given = dagArgument(dag, 'schedule') ?? dagArgument(dag, 'timetable');
  if (given?.value.kind !== 'instance') return undefined;
  const { call, type } = given.value;
  const named = argument(call, 'timezone', type.endsWith('.MultipleCronTriggerTimetable') ? undefined : 1);
  const zone = named === undefined ? undefined : zoneOf(named.value);
  return zone?.kind === 'zone' && named !== undefined ? { zone: zone.zone, at: named.valueAt } : undefined;
}
