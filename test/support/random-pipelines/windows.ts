import {
  databaseInstant,
  dayMs,
  floorDay,
  floorMonth,
  floorWeek,
  hourMs,
  monthBefore,
  wallOf,
  type Zone,
  zones,
} from './civil.ts';
import { columnOf, isDay, type TimeType, type Window } from './model.ts';

/** A template expression that gives a day as `2024-03-31`, as a literal of a day column. */
export function dayLiteral(expression: string, type: TimeType): string {
  if (type !== 'int') return `'{{ ${expression} }}'`;
  if (expression === 'ds') return '{{ ds_nodash }}';
  const text = expression.replace(/^(\S+) \| ds$/, '$1.strftime("%Y-%m-%d")');
  return `{{ macros.ds_format(${text}, "%Y-%m-%d", "%Y%m%d") }}`;
}

const starts = ['data_interval_start', 'ts', 'execution_date', 'data_interval_start.isoformat()', 'logical_date'];
const ends = ['data_interval_end', 'next_execution_date', 'data_interval_end', 'data_interval_end.isoformat()'];
const pick = (list: readonly string[], spelling: number): string => list[spelling % list.length] as string;
export const startLiteral = (spelling: number): string => `'{{ ${pick(starts, spelling)} }}'`;
export const endLiteral = (spelling: number): string => `'{{ ${pick(ends, spelling)} }}'`;
const endDay = (spelling: number): string => (spelling % 3 === 0 ? 'next_ds' : 'data_interval_end | ds');

/** What PostgreSQL makes of calendar steps on an instant, in the session's zone; naive types stay on their own clock. */
function stepped(at: number, type: TimeType, zone: Zone, step: (wall: number) => number): number {
  if (type !== 'timestamptz') return step(at);
  return databaseInstant(step(wallOf(at, zone)), zone);
}

/** The windows that a task can have on a table, the plain one first. */
export function windowsOn(type: TimeType, sessionZone: Zone, spelling: number): readonly Window[] {
  const column = columnOf(type);
  return isDay(type) ? dayWindows(column, type, spelling) : timeWindows(column, type, sessionZone, spelling);
}

function dayWindows(column: string, type: TimeType, spelling: number): readonly Window[] {
  const day = (expression: string): string => dayLiteral(expression, type);
  const add = (days: number): string => day(`macros.ds_add(ds, ${days})`);
  const days = 2 + (spelling % 6);
  const from = (at: number, shift: number): number => floorDay(at) + shift * dayMs;
  const monthStart =
    type === 'date'
      ? `date_trunc('month', '{{ ds }}'::date)`
      : type === 'text'
        ? `'{{ data_interval_start.strftime("%Y-%m-01") }}'`
        : '{{ data_interval_start.strftime("%Y%m01") }}';
  const rolling =
    type === 'date' && spelling % 2 === 0
      ? `${column} > '{{ ds }}'::date - ${days} and ${column} <= '{{ ds }}'`
      : spelling % 3 === 0
        ? `${column} between ${add(1 - days)} and ${day('ds')}`
        : `${column} >= ${add(1 - days)} and ${column} <= ${day('ds')}`;
  return [
    {
      name: 'exact',
      sql: `${column} >= ${day('data_interval_start | ds')} and ${column} < ${day(endDay(spelling))}`,
      range: ({ start, end }) => [floorDay(start), floorDay(end)],
    },
    { name: 'day', sql: `${column} = ${day('ds')}`, range: ({ start }) => [from(start, 0), from(start, 1)] },
    { name: 'rolling', sql: rolling, range: ({ start }) => [from(start, 1 - days), from(start, 1)] },
    {
      name: 'month-to-date',
      sql: `${column} >= ${monthStart} and ${column} <= ${day('ds')}`,
      range: ({ start }) => [floorMonth(start), from(start, 1)],
    },
    { name: 'lag', sql: `${column} = ${add(-1)}`, range: ({ start }) => [from(start, -1), from(start, 0)] },
    { name: 'cumulative', sql: `${column} <= ${day('ds')}`, range: ({ start }) => [-Infinity, from(start, 1)] },
    {
      name: 'lead',
      sql: `${column} >= ${day('ds')} and ${column} <= ${add(1)}`,
      range: ({ start }) => [from(start, 0), from(start, 2)],
    },
    ...(type === 'date' ? calendarDays(column) : []),
  ];
}

/** What only dates can be asked for. */
function calendarDays(column: string): readonly Window[] {
  return [
    {
      name: 'week',
      sql: `date_trunc('week', ${column}) = date_trunc('week', '{{ ds }}'::date)`,
      range: ({ start }) => [floorWeek(start), floorWeek(start) + 7 * dayMs],
    },
    {
      name: 'week-so-far',
      sql: `${column} >= date_trunc('week', '{{ ds }}'::date) and ${column} < '{{ ds }}'::date + 1`,
      range: ({ start }) => [floorWeek(start), floorDay(start) + dayMs],
    },
    {
      name: 'month-back',
      sql: `${column} > '{{ ds }}'::date - interval '1 month' and ${column} <= '{{ ds }}'::date`,
      range: ({ start }) => [monthBefore(floorDay(start)) + dayMs, floorDay(start) + dayMs],
    },
  ];
}

function timeWindows(column: string, type: TimeType, zone: Zone, spelling: number): readonly Window[] {
  const start = startLiteral(spelling);
  const end = endLiteral(spelling);
  const days = 1 + (spelling % 6);
  const hours = 1 + (spelling % 30);
  const own = zones[spelling % zones.length] as Zone;
  const elapsed = spelling % 2 === 0;
  const dayOf = (at: number, shift: number): number =>
    stepped(floorDay(at), 'timestamp', 'UTC', (wall) => wall + shift * dayMs);
  /** The instant at which a UTC date, taken for a local one, begins. */
  const localDay = (at: number, shift: number): number => {
    const wall = dayOf(at, shift);
    return type === 'timestamptz' ? databaseInstant(wall, zone) : wall;
  };
  return [
    {
      name: 'exact',
      sql: `${column} >= ${start} and ${column} < ${end}`,
      range: (interval) => [interval.start, interval.end],
    },
    {
      name: 'rolling',
      sql: elapsed
        ? `${column} >= '{{ data_interval_start - macros.timedelta(days=${days}) }}' and ${column} < ${end}`
        : `${column} >= ${start}::${type} - interval '${days} days' and ${column} < ${end}`,
      range: (interval) => [
        elapsed ? interval.start - days * dayMs : stepped(interval.start, type, zone, (wall) => wall - days * dayMs),
        interval.end,
      ],
    },
    {
      name: 'month-to-date',
      sql: `${column} >= date_trunc('month', ${start}::${type}) and ${column} < ${end}`,
      range: (interval) => [stepped(interval.start, type, zone, floorMonth), interval.end],
    },
    {
      name: 'lag',
      sql: `${column} >= ${start}::${type} - interval '${hours} hours' and ${column} < ${end}::${type} - interval '${hours} hours'`,
      range: (interval) => [interval.start - hours * hourMs, interval.end - hours * hourMs],
    },
    {
      name: 'last-hours',
      sql: `${column} >= '{{ data_interval_end - macros.timedelta(hours=${hours}) }}' and ${column} < ${end}`,
      range: (interval) => [interval.end - hours * hourMs, interval.end],
    },
    { name: 'cumulative', sql: `${column} < ${end}`, range: (interval) => [-Infinity, interval.end] },
    {
      name: 'date-of',
      sql:
        spelling % 3 === 0
          ? `${column}::date between '{{ macros.ds_add(ds, -1) }}' and '{{ ds }}'`
          : spelling % 3 === 1
            ? `${column}::date = '{{ ds }}'`
            : `date_trunc('day', ${column}) = '{{ ds }}'`,
      range: (interval) => [localDay(interval.start, spelling % 3 === 0 ? -1 : 0), localDay(interval.start, 1)],
    },
    {
      name: 'lead',
      sql: `${column} >= ${start} and ${column} < ${end}::${type} + interval '1 day'`,
      range: (interval) => [interval.start, stepped(interval.end, type, zone, (wall) => wall + dayMs)],
    },
    {
      name: 'month-back',
      sql: `${column} >= ${start}::${type} - interval '1 month' and ${column} < ${end}`,
      range: (interval) => [stepped(interval.start, type, zone, monthBefore), interval.end],
    },
    {
      name: 'since-day',
      sql: `${column} >= '{{ ds }}' and ${column} < ${end}`,
      range: (interval) => [localDay(interval.start, 0), interval.end],
    },
    {
      name: 'days-back',
      sql: `${column} >= '{{ ds }}'::date - ${days} and ${column} < '{{ ds }}'::date + 1`,
      range: (interval) => [localDay(interval.start, -days), localDay(interval.start, 1)],
    },
    ...(type === 'timestamptz' ? zonedWindows(column, own) : []),
  ];
}

/** Windows by a calendar that the user names, whatever the session's is. */
function zonedWindows(column: string, zone: Zone): readonly Window[] {
  const start = "'{{ data_interval_start }}'::timestamptz";
  const local = (at: number, step: (wall: number) => number): number => databaseInstant(step(wallOf(at, zone)), zone);
  return [
    {
      name: 'local-day',
      sql: `(${column} at time zone '${zone}')::date = '{{ data_interval_start.in_timezone("${zone}") | ds }}'`,
      range: (interval) => [local(interval.start, floorDay), local(interval.start, (wall) => floorDay(wall) + dayMs)],
    },
    {
      name: 'local-month-to-date',
      sql: `${column} >= date_trunc('month', ${start} at time zone '${zone}') at time zone '${zone}' and ${column} < '{{ data_interval_end }}'`,
      range: (interval) => [local(interval.start, floorMonth), interval.end],
    },
  ];
}
