import { dayMs, floorDay, type Grain, type Interval, wallOf, type Zone } from './civil.ts';
import type { Dag, Read, TimeType, Write } from './model.ts';
import { dayLiteral, endLiteral, startLiteral } from './windows.ts';

const subDaily = new Set<Grain>(['hourly', 'six-hourly']);
const day = ({ start }: Interval): number => floorDay(start);
const instant = ({ start }: Interval): number => start;

/** The ways in which a task of a DAG can write what it reads. A write is only offered where reruns of it are right. */
export function writesOf(dag: Dag, [read, ...others]: readonly Read[], spelling: number): readonly Write[] {
  const writes: Write[] = [];
  const times: TimeType[] = ['timestamptz', 'timestamp'];
  const days: TimeType[] = ['date', 'text', 'int'];
  const time = times[spelling % 2] as TimeType;
  const dayType = days[spelling % 3] as TimeType;
  const start = startLiteral(spelling);
  const end = endLiteral(spelling);
  const exact = others.length === 0 && read?.window?.name === 'exact';
  const [first, last] = ['data_interval_start | ds', 'data_interval_end | ds'];

  const instants = {
    before: [`delete from {table} where ts >= ${start} and ts < ${end}`],
    removes: (interval: Interval) => [interval.start, interval.end] as const,
  };
  writes.push({
    name: 'instants',
    kind: 'delete+insert',
    type: time,
    ...instants,
    stamp: { sql: `${start}::${time}`, value: instant },
  });
  if (exact && (read.type === 'timestamptz' || read.type === 'timestamp')) {
    writes.push({ name: 'instants-kept', kind: 'delete+insert', type: read.type, ...instants, stamp: undefined });
    writes.push(latestOf(read.type));
  }
  writes.push({
    name: 'upsert-instant',
    kind: 'upsert-key',
    type: time,
    before: [],
    removes: undefined,
    stamp: { sql: `${start}::${time}`, value: instant },
  });
  writes.push(replaceWith(time, `${start}::${time}`, instant, spelling));
  if (subDaily.has(dag.grain)) return writes;

  const stamped = (type: TimeType) => ({ sql: stampSql('ds', type), value: day });
  writes.push({
    name: 'day',
    kind: 'delete+insert',
    type: dayType,
    before: [`delete from {table} where day = ${dayLiteral('ds', dayType)}`],
    removes: (interval) => [day(interval), day(interval) + dayMs],
    stamp: stamped(dayType),
  });
  const range = (type: TimeType) => ({
    before: [`delete from {table} where day >= ${dayLiteral(first, type)} and day < ${dayLiteral(last, type)}`],
    removes: (interval: Interval) => [floorDay(interval.start), floorDay(interval.end)] as const,
  });
  writes.push({ name: 'days', kind: 'delete+insert', type: dayType, ...range(dayType), stamp: stamped(dayType) });
  if (exact && days.includes(read.type)) {
    writes.push({ name: 'days-kept', kind: 'delete+insert', type: read.type, ...range(read.type), stamp: undefined });
    writes.push(latestOf(read.type));
  }
  writes.push({
    name: 'upsert-day',
    kind: 'upsert-key',
    type: dayType,
    before: [],
    removes: undefined,
    stamp: stamped(dayType),
  });
  writes.push(replaceWith(dayType, stampSql('ds', dayType), day, spelling));
  if (dag.grain === 'daily' && dag.zone !== 'UTC') writes.push(localDay(dag.zone));
  return writes;
}

const stampSql = (expression: string, type: TimeType): string => `${dayLiteral(expression, type)}::${type}`;

const latestOf = (type: TimeType): Write => ({
  name: 'latest',
  kind: 'upsert-latest',
  type,
  before: [],
  removes: undefined,
  stamp: undefined,
});

const replaceWith = (type: TimeType, sql: string, value: (interval: Interval) => number, spelling: number): Write => ({
  name: 'replace',
  kind: 'replace',
  type,
  before: [spelling % 2 === 0 ? 'truncate {table}' : 'delete from {table}'],
  removes: undefined,
  stamp: { sql, value },
});

/** The day of the pipeline's own calendar, as a date. */
function localDay(zone: Zone): Write {
  const expression = `data_interval_start.in_timezone("${zone}") | ds`;
  const value = (interval: Interval): number => floorDay(wallOf(interval.start, zone));
  return {
    name: 'local-day',
    kind: 'delete+insert',
    type: 'date',
    before: [`delete from {table} where day = '{{ ${expression} }}'`],
    removes: (interval) => [value(interval), value(interval) + dayMs],
    stamp: { sql: `'{{ ${expression} }}'::date`, value },
  };
}
