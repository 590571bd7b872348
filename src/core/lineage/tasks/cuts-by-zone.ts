import type { TaskSql } from '../../pipeline/model/model.ts';
import type { Problem } from '../../text/span.ts';
import type { WriteFact } from '../facts/facts.ts';
import { hangsOnZone } from '../queries/hangs-on-zone.ts';
import type { TableColumns } from '../queries/table-columns.ts';
import { setZones } from '../times/set-zones.ts';

/** A warning for each table whose rows are told by a declared expression that the zone of the session decides, where no file says that zone. */
export function cutsByZone(
  writes: readonly WriteFact[],
  sql: readonly TaskSql[],
  tables: Pick<TableColumns, 'typeOf'>,
): readonly Problem[] {
  const isTold = sql.some(({ sessionZone, source, dialect }) => {
    const set = setZones(source.text, dialect);
    return sessionZone !== undefined || set.zones.length + set.open.length > 0;
  });
  if (isTold) return [];
  return writes.flatMap(({ table, slice, at }): Problem[] => {
    const cut = slice.kind === 'range' ? slice.cut : undefined;
    if (cut?.kind !== 'expression' || hangsOnZone(cut.sql, (column) => tables.typeOf(table, column)) !== 'yes')
      return [];
    const message = `The rows of ${table} that an interval owns are told by ${cut.sql}, which gives another result in each zone of a session, and backfill.yaml names none for this connection: say its timezone under settings of the connection, or write the zone into the expression, as in (… AT TIME ZONE 'Europe/Berlin')::date.`;
    return [{ severity: 'warning', message, at }];
  });
}
