import { setZones } from '../../lineage/times/set-zones.ts';
import type { PlanFinding } from '../../plan/model/plan.ts';
import { instant } from '../../time/zones/instant.ts';
import { postgresZone } from '../../time/zones/postgres-zone.ts';
import { offsetMs } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { zoneOfSettings } from '../session/zone-of-settings.ts';
import type { JobInput, UnitJob } from '../unit/unit-job.ts';

/**
 * A warning where a session is in a zone that the windows of its task were not read for: nobody could tell, or the SQL
 * sets another one. Silent where clocks there show the same around all planned intervals, where nothing but instants
 * bounds what is read, and for columns that are in no zone. The session has the settings of the units. Throws
 * {@link WarehouseError}.
 */
export async function untoldZone(session: Session, jobs: readonly UnitJob[]): Promise<readonly PlanFinding[]> {
  const byDays = jobs.filter(({ calendarZone }) => calendarZone !== undefined);
  if (byDays.length === 0) return [];
  const shown = (await session.query(`select pg_catalog.current_setting('TimeZone')`)).rows[0]?.[0] ?? '';
  const elsewhere = byDays.flatMap((job) => {
    const unread = unreadZone(job, shown);
    return unread === undefined ? [] : [{ job, unread }];
  });
  const moments = await momentColumns(
    session,
    elsewhere.map(({ job }) => job),
  );
  const other = elsewhere.find(({ job }) => job.inputs.some((input) => moments.has(columnKey(input))));
  if (other === undefined) return [];
  const { job, unread } = other;
  const message = `${unread.cause}: the days by which ${job.task} reads were taken for those of ${zonesOf(job).join(' or ')}, so a unit may wait for too few others. ${unread.cure}`;
  return [{ code: 'session-zone', severity: 'warning', message, task: job.task }];
}

interface UnreadZone {
  readonly cause: string;
  readonly cure: string;
}

/** Which of the zones of its session the windows of a job were not read for. */
function unreadZone(job: UnitJob, shown: string): UnreadZone | undefined {
  // What the SQL sets first is a setting of the unit as well: of the two the SQL is where it can be mended.
  for (const { text, at } of job.statements) {
    const { zones, open } = setZones(text, 'postgres');
    const other = open[0] ?? zones.find((set) => readsOtherTimes(job, set));
    if (other === undefined) continue;
    return {
      cause: `The SQL of ${job.task}${at === undefined ? '' : ` (${at.file})`} sets the zone of its session to ${other}, which is not in its text by name`,
      cure: `Write the name of the zone there, such as SET timezone = 'Europe/Berlin', or set it under settings of the connection.`,
    };
  }
  const zone = postgresZone(shown);
  if (zone === undefined || readsOtherTimes(job, zone)) {
    const told = zoneOfSettings(job.options.settings);
    const name = 'one of the zones that the server lists in pg_timezone_names, such as Europe/Berlin';
    return told === undefined
      ? {
          cause: `Sessions of this server are in ${shown}, and backfill.yaml does not say so`,
          cure: `Say under settings of the connection which timezone your scheduler’s connection has, ${zone === undefined ? `by ${name}` : 'and plan anew'}.`,
        }
      : zone === undefined
        ? {
            cause: `Sessions are in ${shown}, as settings of the connection say, and days of that zone are not known here`,
            cure: `Write there ${name}.`,
          }
        : {
            cause: `Sessions are in ${shown}, as settings of this connection say, and the plan was made without it`,
            cure: 'Plan anew with this connection, while it can be reached.',
          };
  }
  return undefined;
}

const zonesOf = ({ readZones, calendarZone }: UnitJob): readonly ZoneName[] => [
  ...new Set(readZones ?? ['UTC', ...(calendarZone === undefined ? [] : [calendarZone])]),
];

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
function readsOtherTimes(job: UnitJob, zone: ZoneName): boolean {
  const months = Array.from({ length: 13 }, (_, month) => instant(job.interval.start + (month - 6) * monthMs));
  return zonesOf(job).every((known) => months.some((at) => offsetMs(zone, at) !== offsetMs(known, at)));
}
