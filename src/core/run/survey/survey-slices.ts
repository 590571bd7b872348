import type { UnitId } from '../../plan/model/plan.ts';
import type { Instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import { countSlicesSql } from '../../warehouse/dialects/postgres/slice/count-slices-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';

/** A count is given up after this long, in milliseconds: it is asked for by nobody. */
export const surveyLimitMs = 10_000;

/** The rows of a table that one interval owns. */
export interface SurveySlice {
  readonly unit: UnitId;
  readonly table: string;
  readonly column: string;
  readonly from: Instant;
  readonly to: Instant;
  /** All of its rows have one value in the column, which is a range only where the column holds times. */
  readonly isValue: boolean;
}

/** What tables hold, interval by interval, whoever wrote it. */
export interface SliceSurvey {
  /** Over all tables that could be counted; every interval that was asked about is there. */
  readonly rows: ReadonlyMap<UnitId, number>;
  /** Tables that could not be counted, and why, in words. */
  readonly untold: readonly string[];
}

/**
 * Asks each table once, by one grouped count over its slice column that ends after `limitMs`. Reads only. Throws
 * {@link WarehouseError} where the connection is lost.
 */
export async function surveySlices(
  session: Session,
  slices: readonly SurveySlice[],
  limitMs: number,
): Promise<SliceSurvey> {
  const rows = new Map<UnitId, number>();
  const untold: string[] = [];
  const tables = new Map<string, SurveySlice[]>();
  for (const slice of slices) {
    const key = JSON.stringify([slice.table, slice.column]);
    tables.set(key, [...(tables.get(key) ?? []), slice]);
  }
  await session.query("select pg_catalog.set_config('statement_timeout', $1, false)", [String(limitMs)]);
  try {
    for (const asked of tables.values()) {
      try {
        for (const [unit, count] of await countTable(session, asked)) rows.set(unit, (rows.get(unit) ?? 0) + count);
      } catch (error) {
        if (!(error instanceof WarehouseError) || error.kind === 'connection') throw error;
        untold.push(`${asked[0]?.table}: ${wordsOf(error, limitMs)}`);
      }
    }
  } finally {
    await session.query('reset statement_timeout').catch(() => {});
  }
  return { rows, untold };
}

async function countTable(
  session: Session,
  slices: readonly SurveySlice[],
): Promise<readonly (readonly [UnitId, number])[]> {
  const [first] = slices;
  if (first === undefined) return [];
  const { table, column } = first;
  const [described] = await describeReadable(session, [table], new Map());
  if (described === undefined) throw new WarehouseError('missing', 'it is not there, or cannot be read', false);
  const type = described.columns.find(({ name }) => name === column)?.baseType ?? '';
  if (first.isValue && !timeTypes.has(type)) {
    throw new WarehouseError('other', `an interval is one value of ${column}, which holds no times`, false);
  }
  const bounds = [...new Set(slices.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const { rows } = await session.query(countSlicesSql(described, column, bounds.map(toIso)));
  const parts = new Map(rows.map(([part, count]) => [Number(part) - 1, Number(count)]));
  // Slices may overlap, so each is the sum of the parts between its own bounds.
  const at = new Map(bounds.map((bound, index) => [bound, index]));
  return slices.map(({ unit, from, to }) => {
    let count = 0;
    for (let part = at.get(from) ?? 0; part < (at.get(to) ?? 0); part++) count += parts.get(part) ?? 0;
    return [unit, count];
  });
}

const timeTypes: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz']);

/** SQLSTATE of a statement that took longer than it may. */
const overtime = '57014';

const wordsOf = ({ detail, message }: WarehouseError, limitMs: number): string =>
  detail.sqlState === overtime ? `the count was given up after ${Math.round(limitMs / 1000)} s` : message;
