import type { UnitId } from '../../plan/model/plan.ts';
import { nameParts } from '../../sql/model/name-parts.ts';
import { epochMs } from '../../warehouse/dialects/postgres/slice-predicate.ts';
import {
  countByColumnsSql,
  countByConditionsSql,
  describeTableSql,
  fileTableOf,
} from '../../warehouse/dialects/spark/table-sql.ts';
import { versionedFormats } from '../../warehouse/dialects/spark/version-sql.ts';
import type { FileTable } from '../../warehouse/port/file-table.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { partitionTime } from '../partitioned/target/partition-time.ts';
import { sliceCondition } from '../partitioned/target/slice-condition.ts';
import type { SliceSurvey, SurveySlice } from './survey-slices.ts';

/**
 * Counts tables of files by their partitions, each table once; the files are not read, only what stands at their ends. A slice that is cut by
 * another column, or within a day, is not counted, and why is said; in a format that keeps its versions each slice is counted by its condition. Throws {@link WarehouseError} where the connection is lost.
 */
export async function surveyLake(session: Session, slices: readonly SurveySlice[]): Promise<SliceSurvey> {
  const rows = new Map<UnitId, number>();
  const untold: string[] = [];
  const tables = new Map<string, SurveySlice[]>();
  for (const slice of slices) {
    const key = JSON.stringify([slice.table, slice.rows.column, slice.rows.cut]);
    const asked = tables.get(key);
    if (asked === undefined) tables.set(key, [slice]);
    else asked.push(slice);
  }
  for (const asked of tables.values()) {
    const [first] = asked;
    if (first === undefined) continue;
    try {
      for (const [unit, count] of await countPartitions(session, first, asked))
        rows.set(unit, (rows.get(unit) ?? 0) + count);
    } catch (error) {
      if (!(error instanceof WarehouseError) || error.kind === 'connection') throw error;
      untold.push(error.message);
    }
  }
  return { rows, columns: [], sums: new Map(), untold };
}

async function countPartitions(
  session: Session,
  { table, rows: { column, cut } }: SurveySlice,
  slices: readonly SurveySlice[],
): Promise<readonly (readonly [UnitId, number])[]> {
  const file = fileTableOf(await session.query(describeTableSql(nameParts(table))));
  if (slices.some(({ rows: { predicate } }) => predicate !== undefined))
    throw untellable(`the rows of an interval of ${table} are told by a condition, and not by its partitions`);
  if (versionedFormats.has(file.provider)) return countByCondition(session, file, { column, cut }, slices);
  const { columns, startOf } = partitionTime(file, { column, cut });
  const counted = (await session.query(countByColumnsSql(file, columns))).rows.map(([count, ...values]) => {
    const start = startOf(Object.fromEntries(columns.map((name, index) => [name, values[index] ?? null])));
    return { start: start ?? Number.NaN, rows: Number(count) };
  });
  return slices.map(({ unit, rows: { from = '', to = '' } }) => {
    const [first, end] = [epochMs(from), epochMs(to)];
    if (first === undefined || end === undefined) throw untellable(`an interval has no bounds in ${table}`);
    const inside = counted.filter(({ start }) => first <= start && start < end);
    return [unit, inside.reduce((sum, one) => sum + one.rows, 0)];
  });
}

/** Conditions that are asked in one pass over the table. */
const atOnce = 50;

/** Of a table that keeps its versions, whose slices need not be partitions. */
async function countByCondition(
  session: Session,
  file: FileTable,
  { column, cut }: Pick<SurveySlice['rows'], 'column' | 'cut'>,
  slices: readonly SurveySlice[],
): Promise<readonly (readonly [UnitId, number])[]> {
  const counted: (readonly [UnitId, number])[] = [];
  for (let at = 0; at < slices.length; at += atOnce) {
    const some = slices.slice(at, at + atOnce);
    const conditions = some.map(({ rows: { from, to } }) =>
      sliceCondition(file, { slice: { column: column ?? '', cut, from, to }, fixed: {} }),
    );
    const [counts = []] = (await session.query(countByConditionsSql(file, conditions))).rows;
    counted.push(...some.map(({ unit }, index) => [unit, Number(counts[index])] as const));
  }
  return counted;
}

const untellable = (message: string): WarehouseError => new WarehouseError('other', message, false);
