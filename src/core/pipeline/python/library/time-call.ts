import { wallTime } from '../../../time/zones/wall-time.ts';
import { isZone } from '../../../time/zones/zone.ts';
import { argument } from '../calls/call.ts';
import { clocksOf, none, unionOfClocks, unknown } from '../values/make-value.ts';
import { printedClocks, showsSeconds, unprintedClocks } from '../values/printed-clocks.ts';
import { plainText } from '../values/text-value.ts';
import { parseSymbol } from '../values/time-symbol.ts';
import type { Call, ClockSite, Interpreter, Keyword, Value } from '../values/value.ts';
import { parseDate } from './parse-date.ts';

/** Calls that read the machine's clock. */
const clockCalls: ReadonlySet<string> = new Set([
  'datetime.datetime.now',
  'datetime.datetime.today',
  'datetime.datetime.utcnow',
  'datetime.date.today',
  'time.time',
  'time.time_ns',
  'time.gmtime',
  'time.localtime',
  'time.ctime',
  'pendulum.now',
  'pendulum.today',
  'pendulum.yesterday',
  'pendulum.tomorrow',
  'pendulum.DateTime.now',
  'pendulum.DateTime.utcnow',
  'pendulum.DateTime.today',
  'airflow.utils.timezone.utcnow',
  'airflow.sdk.timezone.utcnow',
  'airflow._shared.timezones.timezone.utcnow',
  'airflow.utils.dates.days_ago',
  'airflow.macros.datetime.now',
  'airflow.macros.datetime.utcnow',
  'arrow.now',
  'arrow.utcnow',
  'pandas.Timestamp.now',
  'pandas.Timestamp.today',
  'pandas.Timestamp.utcnow',
  'django.utils.timezone.now',
]);

const units: Readonly<Record<string, { readonly months?: number; readonly days?: number; readonly ms?: number }>> = {
  years: { months: 12 },
  months: { months: 1 },
  weeks: { days: 7 },
  days: { days: 1 },
  hours: { ms: 3_600_000 },
  minutes: { ms: 60_000 },
  seconds: { ms: 1000 },
  milliseconds: { ms: 1 },
  microseconds: { ms: 0.001 },
};
const timedeltaOrder = ['days', 'seconds', 'microseconds', 'milliseconds', 'minutes', 'hours', 'weeks'];
const durationOrder = [
  'days',
  'seconds',
  'microseconds',
  'milliseconds',
  'minutes',
  'hours',
  'weeks',
  'years',
  'months',
];

const isDatetime: ReadonlySet<string> = new Set([
  'datetime.datetime',
  'pendulum.datetime',
  'pendulum.DateTime',
  'pendulum.create',
  'airflow.macros.datetime',
]);

const zoneCalls: ReadonlySet<string> = new Set([
  'pendulum.timezone',
  'pendulum.tz.timezone',
  'pendulum.Timezone',
  'pendulum.tz.timezone.Timezone',
  'pendulum.timezone.Timezone',
  'pytz.timezone',
  'zoneinfo.ZoneInfo',
  'backports.zoneinfo.ZoneInfo',
  'dateutil.tz.gettz',
  'dateutil.tz.tz.gettz',
  'airflow.utils.timezone.parse_timezone',
]);

const utcNames =
  /^(?:datetime\.timezone\.utc|datetime\.UTC|pytz\.(?:utc|UTC)|pendulum\.(?:UTC|utc)|pendulum\.tz\.UTC|dateutil\.tz\.(?:UTC|tzutc)|airflow\.(?:utils\.timezone|sdk\.timezone)\.utc)$/;

/** Dates that have a name. */
const namedDates: ReadonlyMap<string, number> = new Map([
  ['datetime.datetime.min', Date.parse('0001-01-01T00:00:00Z')],
  ['datetime.date.min', Date.parse('0001-01-01T00:00:00Z')],
]);

export function dateOfExternal(name: string): Value | undefined {
  const wall = namedDates.get(name);
  return wall === undefined
    ? undefined
    : { kind: 'datetime', wall: wallTime(wall), zone: undefined, dateOnly: name.startsWith('datetime.date.') };
}

/** Constant names of this kind, e.g. `timezone.utc`. */
export const zoneOfExternal = (name: string): string | undefined => (utcNames.test(name) ? 'UTC' : undefined);

const clockReason = 'the clock of the machine';

function clockReading(name: string, site: ClockSite): Value {
  if (/^time\.(?:time|time_ns|ctime)$/.test(name)) return unknown(clockReason, printedClocks([site]));
  const isMoment = /\.(?:now|utcnow)$/.test(name) || /^(?:datetime\.datetime|pandas\.Timestamp)\.today$/.test(name);
  return { ...unknown(clockReason, [site]), ...(isMoment ? { moment: true } : {}) };
}

function formattedTime({ positional, at, callee }: Call, run: Interpreter): Value {
  const format = plainText(positional[0]);
  const isNow = positional.length === 1;
  const clocks = isNow ? [run.clockSite(at, callee)] : unprintedClocks(unionOfClocks(positional));
  const isPrinted = format !== undefined && showsSeconds(format);
  return unknown(isNow ? clockReason : 'a formatted time', isPrinted ? printedClocks(clocks) : clocks);
}

/** Times, durations, zones and readings of the clock; `undefined` for every other call. */
export function timeCall(name: string, call: Call, run: Interpreter): Value | undefined {
  if (clockCalls.has(name)) return clockReading(name, run.clockSite(call.at, call.callee));
  if (name === 'time.strftime') return formattedTime(call, run);
  const zone = call.keywords.get('tz') ?? call.keywords.get('tzinfo');
  if (zone?.value.kind === 'text') namedZone(zone, run);
  if (isDatetime.has(name))
    return datetimeOf(call, name.startsWith('pendulum.') && name !== 'pendulum.DateTime' ? 'UTC' : undefined);
  if (name === 'airflow.utils.timezone.datetime' || name === 'airflow.sdk.timezone.datetime')
    return datetimeOf(call, 'UTC');
  if (name === 'datetime.date' || name === 'pendulum.date') return datetimeOf(call, undefined, true);
  if (name === 'datetime.timedelta' || name === 'airflow.macros.timedelta') return durationOf(call, timedeltaOrder);
  if (name === 'pendulum.duration' || name === 'pendulum.Duration') return durationOf(call, durationOrder);
  if (name === 'dateutil.relativedelta.relativedelta') return durationOf(call, []);
  if (zoneCalls.has(name)) return namedZone(argument(call, 'key', 0) ?? argument(call, 'name'), run);
  if (name === 'dateutil.tz.tzutc') return { kind: 'zone', zone: 'UTC' };
  if (name === 'datetime.timezone') return fixedZone(call.positional[0]);
  if (name === 'pendulum.instance' || name === 'airflow.utils.timezone.make_aware') return awareOf(call);
  if (
    /^(?:pendulum\.parse|datetime\.datetime\.fromisoformat|datetime\.date\.fromisoformat|dateutil\.parser\.(?:parse|isoparse)|airflow\.utils\.timezone\.parse|pandas\.to_datetime|pandas\.Timestamp|datetime\.datetime\.strptime|pendulum\.from_format|airflow\.sdk\.timezone\.parse)$/.test(
      name,
    )
  )
    return parsedOf(name, call);
  if (
    name === 'datetime.datetime.combine' ||
    name === 'datetime.datetime.fromtimestamp' ||
    name === 'datetime.datetime.strftime'
  )
    return combined(call);
  return undefined;
}

function datetimeOf(call: Call, defaultZone: string | undefined, dateOnly = false): Value {
  const names = ['year', 'month', 'day', 'hour', 'minute', 'second', 'microsecond'];
  const numbers: number[] = [];
  for (const [index, name] of names.entries()) {
    const given = argument(call, name, index)?.value;
    if (given === undefined) numbers.push(name === 'month' || name === 'day' ? 1 : 0);
    else if (given.kind === 'scalar' && typeof given.value === 'number') numbers.push(given.value);
    else return unknown(`a date whose ${name} is not known`, unionOfClocks(call.positional));
  }
  if (call.open) return unknown('a date whose parts are not known');
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  // JavaScript wraps impossible dates around; Python refuses them.
  if (Number.isNaN(wall) || new Date(wall).getUTCDate() !== day) return unknown('a date that does not exist');
  const zone = argument(call, 'tzinfo', 7)?.value ?? argument(call, 'tz')?.value;
  const named = zone === undefined ? undefined : zoneOf(zone);
  if (named !== undefined && named.kind !== 'zone')
    return named.kind === 'scalar'
      ? { kind: 'datetime', wall: wallTime(wall), zone: undefined, dateOnly }
      : unknown(named.kind === 'unknown' ? named.reason : 'a zone that is not known');
  return { kind: 'datetime', wall: wallTime(wall), zone: named?.zone ?? defaultZone, dateOnly };
}

function durationOf(call: Call, order: readonly string[]): Value {
  let months = 0;
  let days = 0;
  let ms = 0;
  if (call.open) return unknown('a duration whose parts are not known');
  const add = (unit: string, value: Value): boolean => {
    const per = units[unit];
    if (per === undefined || value.kind !== 'scalar' || typeof value.value !== 'number') return false;
    months += (per.months ?? 0) * value.value;
    days += (per.days ?? 0) * value.value;
    ms += (per.ms ?? 0) * value.value;
    return true;
  };
  for (const [index, value] of call.positional.entries())
    if (!add(order[index] ?? '', value)) return unknown('a duration that is not known', clocksOf(value));
  for (const { name, value } of call.keywords.values())
    if (!add(name, value)) return unknown(`a duration with ${name} that is not known`, clocksOf(value));
  const fraction = days - Math.trunc(days);
  return { kind: 'duration', offset: { months, days: Math.trunc(days), ms: ms + fraction * 86_400_000 } };
}

/** A zone given as a zone object or by name. */
export function zoneOf(value: Value | undefined): Value {
  if (value === undefined) return unknown('no zone');
  if (value.kind === 'zone' || (value.kind === 'scalar' && value.value === null)) return value;
  if (value.kind === 'external') {
    const zone = zoneOfExternal(value.name);
    return zone === undefined ? unknown(`the zone ${value.name}`) : { kind: 'zone', zone };
  }
  const name = plainText(value);
  if (name === undefined) return unknown('a zone that is not known before it runs', clocksOf(value));
  const canonical = /^(?:utc|z|gmt)$/i.test(name) ? 'UTC' : name;
  return isZone(canonical) ? { kind: 'zone', zone: canonical } : unknown(`the time zone ${name} does not exist`);
}

/** As {@link zoneOf}, and takes note of a name that does not exist. */
function namedZone(given: Keyword | undefined, run: Interpreter): Value {
  const zone = zoneOf(given?.value);
  const name = plainText(given?.value);
  if (given !== undefined && name !== undefined && zone.kind !== 'zone')
    run.unknownZones.push({ name, at: given.valueAt });
  return zone;
}

function fixedZone(offset: Value | undefined): Value {
  if (offset?.kind !== 'duration' || offset.offset.months !== 0) return unknown('a zone whose offset is not known');
  const minutes = (offset.offset.days * 86_400_000 + offset.offset.ms) / 60_000;
  const size = Math.abs(minutes);
  const two = (value: number): string => String(Math.trunc(value)).padStart(2, '0');
  return minutes === 0
    ? { kind: 'zone', zone: 'UTC' }
    : { kind: 'zone', zone: `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}` };
}

function awareOf(call: Call): Value | undefined {
  const [value] = call.positional;
  if (value?.kind !== 'datetime')
    return value?.kind === 'symbol' ? value : unknown('a date that is not known', unionOfClocks(call.positional));
  const zone = argument(call, 'tz', 1)?.value ?? argument(call, 'timezone')?.value;
  const named = zone === undefined ? undefined : zoneOf(zone);
  return { ...value, zone: value.zone ?? (named?.kind === 'zone' ? named.zone : 'UTC') };
}

function parsedOf(name: string, call: Call): Value {
  const [value] = call.positional;
  if (value?.kind === 'symbol') return { kind: 'symbol', symbol: parseSymbol(value.symbol) };
  const text = plainText(value);
  const parsed = text === undefined ? undefined : parseDate(text, plainText(call.positional[1]), name);
  if (parsed === undefined) return unknown('a date that is not known', unprintedClocks(unionOfClocks(call.positional)));
  const zone = argument(call, 'tz')?.value;
  const named = zone === undefined ? undefined : zoneOf(zone);
  return { ...parsed, zone: named?.kind === 'zone' ? named.zone : parsed.zone };
}

function combined(call: Call): Value {
  const clocks = unprintedClocks(unionOfClocks(call.positional));
  const [date] = call.positional;
  if (date?.kind === 'datetime' && call.callee.endsWith('combine')) {
    const day = Math.floor(date.wall / 86_400_000) * 86_400_000;
    const [, time] = call.positional;
    const atMidnight =
      time?.kind === 'bound-method' || time?.kind === 'external'
        ? /\.min(?:\.time)?$/.test(time.kind === 'external' ? time.name : '')
        : false;
    if (atMidnight || time === undefined) return { ...date, wall: wallTime(day), dateOnly: false };
  }
  return date === none ? none : unknown('a time that is not known', clocks);
}
