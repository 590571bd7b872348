import type { TaskSql } from '../../pipeline/model/model.ts';
import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { Hole } from '../../template/mask/masked-text.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import { movesMidnight } from '../../time/zones/moves-midnight.ts';
import { isZone } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { anyIntervals } from './sample-intervals.ts';
import { setZones } from './set-zones.ts';

/** What the meaning of a SQL text depends on besides its tokens. */
export interface SqlContext {
  /** The unmasked text that all offsets refer to. */
  readonly text: string;
  /** The same text with tags, and branches that its runs do not take, blanked. */
  readonly shown: string;
  readonly holes: readonly Hole[];
  readonly dialect: DialectName;
  /**
   * Calendars that may count where the text does not say: UTC, in which all texts of templates are, and the zone of the
   * session: the one that its connection is said to have, or else the pipeline's, and each that the text sets.
   */
  readonly zones: readonly ZoneName[];
  /**
   * Its session is known to be in a zone other than UTC, and a read is asked for: a column whose type nobody says
   * may hold moments, which that zone decides, and a window that is too wide costs less than one too narrow.
   */
  readonly mayBeMoments?: boolean;
  /**
   * The zone that the session is known to be in from beginning to end, where what a statement writes is asked for: there a
   * wall time that a column of moments is compared with is one of this zone and of no other.
   */
  readonly session?: ZoneName;
  /** A text of the session sets its zone. */
  readonly setsZone?: boolean;
  /** Some intervals that the text is run for. */
  readonly intervals: () => readonly DataInterval[];
}

/** `zone`: of the pipeline; `texts`: all that run in its session, where that is more than the text itself. */
export const sqlContext = (
  sql: TaskSql,
  zone: ZoneName,
  intervals: SqlContext['intervals'] = () => anyIntervals,
  texts: readonly TaskSql[] = [sql],
): SqlContext => ({
  text: sql.source.text,
  shown: sql.masked.text,
  holes: sql.masked.holes,
  dialect: sql.dialect,
  zones: sessionZones(sql, zone, texts),
  ...(texts.some(({ source }) => setsZone(source.text, sql.dialect)) && { setsZone: true }),
  intervals,
});

const setsZone = (text: string, dialect: DialectName): boolean => {
  const { zones, open } = setZones(text, dialect);
  return zones.length + open.length > 0;
};

/**
 * The context for what a statement reads. `database`: what the server says of its sessions, where it was asked; wider is
 * safe, so it counts beside what the files say.
 */
export function forReads(context: SqlContext, sql: TaskSql, database: ZoneName | undefined): SqlContext {
  const zones = database === undefined ? context.zones : distinct([...context.zones, database]);
  const isTold =
    sql.sessionZone !== undefined || database !== undefined || setZones(context.text, sql.dialect).zones.length > 0;
  return !isTold || zones.length === 1 ? context : { ...context, zones, mayBeMoments: true };
}

/**
 * The context for the rows that a statement writes: as {@link forReads}, and by the days of one zone alone where it is known
 * that the session is in that one.
 */
export function forWrites(context: SqlContext, sql: TaskSql, database: ZoneName | undefined): SqlContext {
  const wide = forReads(context, sql, database);
  const session = context.setsZone === true ? undefined : (database ?? sql.sessionZone);
  // Where a clock skips or repeats midnight, a date is more than its one midnight: there the wider way stands.
  if (session === undefined || movesMidnight(session) || context.dialect !== 'postgres') return wide;
  return { ...wide, zones: distinct(['UTC', session]), session };
}

function sessionZones(
  { sessionZone, dialect }: TaskSql,
  zone: ZoneName,
  texts: readonly TaskSql[],
): readonly ZoneName[] {
  const set = texts.map(({ source }) => setZones(source.text, dialect));
  const isOpen = set.some(({ open }) => open.length > 0);
  const named = set.flatMap(({ zones }) => zones);
  // Statements may stand before the one that sets the zone, and a text that sets it to whatever may set any.
  const session = sessionZone === undefined ? [zone] : isOpen ? [sessionZone, zone] : [sessionZone];
  return distinct(['UTC', ...session.filter(isZone), ...named]);
}

const distinct = (zones: readonly ZoneName[]): readonly ZoneName[] => [...new Set(zones)];
