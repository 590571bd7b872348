import type { PlanFinding } from '../../plan/model/plan.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import { slicePredicate } from '../../warehouse/dialects/postgres/slice-predicate.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { TableDescription } from '../../warehouse/port/table-description.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { withTypedCut } from '../tables/with-typed-cut.ts';
import type { JobSlice, UnitJob } from '../unit/unit-job.ts';

/**
 * An error for each task whose slice cannot be said by what a person declared: a part of a date that is in no number or text, an
 * expression that gives no time or that the server refuses, a bound inside of a day. One for each table of a task; tables that are not
 * there yet are their units' to ask. Throws {@link WarehouseError} where the connection is lost.
 */
export async function unsayableSlices(session: Session, jobs: readonly UnitJob[]): Promise<readonly PlanFinding[]> {
  const cut = jobs.flatMap(({ task, slices }) =>
    slices.filter((one) => one.cut !== undefined).map((slice) => ({ task, slice })),
  );
  const names = [...new Set(cut.map(({ slice }) => slice.table))];
  if (names.length === 0) return [];
  const described = await describeReadable(session, names, new Map());
  const tables = new Map(names.map((name, index) => [name, described[index]]));
  const found = new Map<string, PlanFinding>();
  const typed = new Map<string, JobSlice['cut']>();
  for (const { task, slice } of cut) {
    const table = tables.get(slice.table);
    const key = JSON.stringify([task, slice.table]);
    if (table === undefined || found.has(key)) continue;
    const asked = JSON.stringify([table.oid, slice.cut]);
    const why = await refusalOf(session, table, { ...slice, cut: typed.get(asked) ?? slice.cut }, (known) => {
      typed.set(asked, known);
    });
    if (why === undefined) continue;
    const message = `${task}: the rows of an interval cannot be told. ${why}`;
    found.set(key, { code: 'unsayable-slice', severity: 'error', message, task });
  }
  return [...found.values()];
}

async function refusalOf(
  session: Session,
  table: TableDescription,
  slice: JobSlice,
  keep: (cut: JobSlice['cut']) => void,
): Promise<string | undefined> {
  await session.query('savepoint backfill_slice');
  try {
    const known = await withTypedCut(session, table, slice);
    keep(known.cut);
    slicePredicate(table, known);
    return undefined;
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.kind === 'connection' || error.kind === 'cancelled') throw error;
    await session.query('rollback to savepoint backfill_slice');
    const by =
      error.detail.sqlState === undefined ? '' : `The server refuses ${slice.column} over ${table.qualified}: `;
    return `${by}${error.message}${error.detail.hint === undefined ? '' : ` ${error.detail.hint}`}`;
  } finally {
    await session.query('release savepoint backfill_slice').catch(() => undefined);
  }
}
