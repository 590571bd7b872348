import type { TaskSql } from '../pipeline/model.ts';
import type { DialectName } from '../sql/dialect-name.ts';
import type { Hole } from '../template/masked-text.ts';
import { isZone } from '../time/zone.ts';
import type { ZoneName } from '../time/zone-name.ts';

/** What the meaning of a SQL text depends on besides its tokens. */
export interface SqlContext {
  /** The unmasked text that all offsets refer to. */
  readonly text: string;
  readonly holes: readonly Hole[];
  readonly dialect: DialectName;
  /** Calendars that a session may use where the text does not say: UTC, and the zone of the pipeline. */
  readonly zones: readonly ZoneName[];
}

export const sqlContext = (sql: TaskSql, zone: ZoneName): SqlContext => ({
  text: sql.source.text,
  holes: sql.masked.holes,
  dialect: sql.dialect,
  zones: zone === 'UTC' || !isZone(zone) ? ['UTC'] : ['UTC', zone],
});
