import type { PlanFinding } from '../../plan/model/plan.ts';
import { instant } from '../../time/zones/instant.ts';
import { isZone, offsetMs } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { JobInput, UnitJob } from '../unit/unit-job.ts';

/**
 * A warning where sessions are in a zone that nobody told: days and wall times by which a task reads were then taken for
 * those of UTC and of its pipeline's zone. Silent where clocks there show the same around all planned intervals, where
 * nothing but instants bounds what is read, and for columns that are in no zone. The session has the settings of the
 * units. Throws {@link WarehouseError}.
 */
export async function untoldZone(session: Session, jobs: readonly UnitJob[]): Promise<readonly PlanFinding[]> {
  const untold = jobs.filter(({ calendarZone, options }) => calendarZone !== undefined && !tellsZone(options.settings));
  if (untold.length === 0) return [];
  const zone = (await session.query(`select pg_catalog.current_setting('TimeZone')`)).rows[0]?.[0] ?? '';
  const elsewhere = untold.filter((job) => !isZone(zone) || readsOtherTimes(job, zone));
  const moments = await momentColumns(session, elsewhere);
  const other = elsewhere.find(({ inputs }) => inputs.some((input) => moments.has(columnKey(input))));
  if (other === undefined) return [];
  const taken = [...new Set(['UTC', other.calendarZone])].join(' or ');
  const message = `Sessions of this server are in ${zone}, and backfill.yaml does not say so: the days by which ${other.task} reads were taken for those of ${taken}, so a unit may wait for too few others. Say under settings of the connection which timezone your scheduler’s connection has.`;
  return [{ code: 'session-zone', severity: 'warning', message, task: other.task }];
}

const tellsZone = (settings: UnitJob['options']['settings']): boolean =>
  Object.keys(settings).some((name) => name.toLowerCase() === 'timezone');

const columnKey = ({ table, column }: Pick<JobInput, 'table' | 'column'>): string => JSON.stringify([table, column]);

/** Columns by which the jobs read, of those that hold moments: which day one is in is told by the zone of the session. */
async function momentColumns(session: Session, jobs: readonly UnitJob[]): Promise<ReadonlySet<string>> {
  const read = new Map(jobs.flatMap(({ inputs }) => inputs).map((input) => [columnKey(input), input]));
  const names = [...new Set([...read.values()].map(({ table }) => table))];
  const described = names.length === 0 ? [] : await describeReadable(session, names, new Map());
  const types = new Map(
    names.flatMap((table, index) =>
      (described[index]?.columns ?? []).map(({ name, baseType }) => [columnKey({ table, column: name }), baseType]),
    ),
  );
  return new Set([...read.keys()].filter((key) => types.get(key) === 'timestamptz'));
}

const monthMs = 30 * 86_400_000;

/** A year around the interval has every clock change that its windows may meet. */
function readsOtherTimes({ interval, calendarZone = 'UTC' }: UnitJob, zone: ZoneName): boolean {
  const months = Array.from({ length: 13 }, (_, month) => instant(interval.start + (month - 6) * monthMs));
  const differsFrom = (known: ZoneName) => months.some((at) => offsetMs(zone, at) !== offsetMs(known, at));
  return differsFrom('UTC') && differsFrom(calendarZone);
}
