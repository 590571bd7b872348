import type { TaskSql } from '../../pipeline/model/model.ts';
import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { Hole } from '../../template/mask/masked-text.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import { isZone } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { anyIntervals } from './sample-intervals.ts';

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
   * session: the one that its connection is said to have, or else the pipeline's.
   */
  readonly zones: readonly ZoneName[];
  /**
   * Its connection is said to have a session zone other than UTC, and a read is asked for: a column whose type nobody says
   * may hold moments, which that zone decides, and a window that is too wide costs less than one too narrow.
   */
  readonly mayBeMoments?: boolean;
  /** Some intervals that the text is run for. */
  readonly intervals: () => readonly DataInterval[];
}

export const sqlContext = (
  sql: TaskSql,
  zone: ZoneName,
  intervals: SqlContext['intervals'] = () => anyIntervals,
): SqlContext => ({
  text: sql.source.text,
  shown: sql.masked.text,
  holes: sql.masked.holes,
  dialect: sql.dialect,
  zones: sessionZones(sql, zone),
  intervals,
});

/** The context for what a statement reads. */
export const forReads = (context: SqlContext, sql: TaskSql): SqlContext =>
  sql.sessionZone === undefined || context.zones.length === 1 ? context : { ...context, mayBeMoments: true };

const setsZone = /\bset\b[^;]{0,80}\btime_?\s{0,9}zone\b/i;

function sessionZones({ sessionZone, source }: TaskSql, zone: ZoneName): readonly ZoneName[] {
  // A text that sets the zone itself, to whatever, does not run in that of its connection.
  const session = sessionZone === undefined || setsZone.test(source.text) ? zone : sessionZone;
  return session === 'UTC' || !isZone(session) ? ['UTC'] : ['UTC', session];
}
