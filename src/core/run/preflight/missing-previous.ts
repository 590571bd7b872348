import type { PlanFinding } from '../../plan/model/plan.ts';
import type { Instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import { quoteTableName } from '../../warehouse/dialects/postgres/quote.ts';
import { slicePredicate } from '../../warehouse/dialects/postgres/slice-predicate.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { withTypedCut } from '../tables/with-typed-cut.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/** Findings about rows that the plan builds on, of which there are none. Throws {@link WarehouseError}. */
export async function missingPrevious(
  session: Session,
  findings: readonly PlanFinding[],
  jobs: readonly UnitJob[],
): Promise<readonly PlanFinding[]> {
  const missing: PlanFinding[] = [];
  for (const { task, needs } of findings) {
    if (needs === undefined) continue;
    const [table] = await describeReadable(session, [needs.table], new Map());
    const slices = jobs.filter((job) => job.task === task).flatMap((job) => job.slices);
    const cut = slices.find((slice) => slice.table === needs.table)?.cut;
    const bounds = { column: needs.column, from: isoOf(needs.from), to: isoOf(needs.to), predicate: undefined, cut };
    const predicate =
      table && (await sayable(async () => slicePredicate(table, await withTypedCut(session, table, bounds))));
    if (predicate === undefined) continue;
    const sql = `select exists (select from ${quoteTableName(needs.table)} where ${predicate})`;
    if ((await session.query(sql)).rows[0]?.[0] === 't') continue;
    const message = `${needs.table} has no row of the interval before the first planned one (${needs.column} from ${bounds.from} to ${bounds.to}), and ${task} builds on its own earlier output: it would begin with nothing. Begin with an interval before the gap.`;
    missing.push({ code: 'missing-previous', severity: 'warning', message, task });
  }
  return missing;
}

const isoOf = (at: Instant | undefined): string | undefined =>
  at !== undefined && Number.isFinite(at) ? toIso(at) : undefined;

/** Bounds that a column's type cannot say are asked about by nobody. */
async function sayable<T>(predicate: () => Promise<T>): Promise<T | undefined> {
  try {
    return await predicate();
  } catch (error) {
    if (error instanceof WarehouseError) return undefined;
    throw error;
  }
}
