import { columnType } from '../../lineage/columns/column-type.ts';
import { hangsOnZone } from '../../lineage/queries/hangs-on-zone.ts';
import type { PlanFinding } from '../../plan/model/plan.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { zoneOfSettings } from '../session/zone-of-settings.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/**
 * A warning for each table whose rows of an interval are told by a declared expression that the zone of the session decides, where
 * nobody says that zone: what is a slice here may be another one for the scheduler. Throws {@link WarehouseError}.
 */
export async function slicedByZone(session: Session, jobs: readonly UnitJob[]): Promise<readonly PlanFinding[]> {
  const cuts = new Map(
    jobs
      .filter(({ options }) => zoneOfSettings(options.settings) === undefined)
      .flatMap(({ task, slices }) =>
        slices.flatMap(({ table, cut }) =>
          cut?.kind === 'expression' ? [[JSON.stringify([task, table]), { task, table, cut }] as const] : [],
        ),
      ),
  );
  if (cuts.size === 0) return [];
  const names = [...new Set([...cuts.values()].map(({ table }) => table))];
  const described = await describeReadable(session, names, new Map());
  const shown = (await session.query(`select pg_catalog.current_setting('TimeZone')`)).rows[0]?.[0] ?? '';
  return [...cuts.values()].flatMap(({ task, table, cut }): PlanFinding[] => {
    const { columns = [] } = described[names.indexOf(table)] ?? {};
    const hangs = hangsOnZone(cut.sql, (name) => columnType(columns.find((one) => one.name === name)?.baseType));
    if (hangs === 'no') return [];
    const message = `${task}: the rows of ${table} are told by ${cut.sql}, which ${hangs === 'open' ? 'may give' : 'gives'} another result in each zone. Sessions of this server are in ${shown}, and backfill.yaml does not say so: where the scheduler’s are in another one, an interval has other rows there. Say under settings of the connection which timezone its sessions have, or write the zone into the expression, as in (… AT TIME ZONE 'Europe/Berlin')::date.`;
    return [{ code: 'session-zone', severity: 'warning', message, task }];
  });
}
