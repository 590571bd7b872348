import { earlierRowsSql } from '../../warehouse/dialects/postgres/ledger/record-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { ledgerSlice, type Target } from '../tables/target.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/** By slice, as the ledger names it: how many rows a slice is expected to have, where the task did not find them. */
export type SliceMeasures = ReadonlyMap<string, number>;

/**
 * What slices whose rows several units of a run replace are measured by: those on the way by what the last run of their own
 * interval left, the last one by what there was before the first of them. None where the ledger does not know it.
 */
export async function sliceMeasures(
  session: Session,
  job: Pick<UnitJob, 'run' | 'unit' | 'slices'>,
  targets: readonly Target[],
): Promise<SliceMeasures> {
  const turned = targets.filter(({ slice }) => slice.turn !== undefined);
  if (turned.length === 0) return new Map();
  const asked = turned.map((target) => ({ ...ledgerSlice(target), last: target.slice.turn === 'last' }));
  const { rows } = await session.query(earlierRowsSql, [job.run, job.unit, JSON.stringify(asked)]);
  return new Map(rows.flatMap(([slice, count]) => (count == null ? [] : [[String(slice), Number(count)] as const])));
}
