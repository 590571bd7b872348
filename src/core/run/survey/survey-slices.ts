import { addableColumns } from '../../diff/column-sums.ts';
import { addDecimals } from '../../diff/decimal.ts';
import { columnsOfCut } from '../../lineage/facts/slice-cut.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import { quoteIdentifier } from '../../warehouse/dialects/postgres/quote.ts';
import {
  countMatchesSql,
  countSlicesSql,
  sameBoundsSql,
} from '../../warehouse/dialects/postgres/slice/count-slices-sql.ts';
import {
  columnBound,
  cutBound,
  cutSubject,
  slicePredicate,
  timeTypes,
} from '../../warehouse/dialects/postgres/slice-predicate.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { ColumnDescription, TableDescription } from '../../warehouse/port/table-description.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { SliceRows } from '../jobs/slice-rows.ts';
import { keepSettings } from '../session/session-settings.ts';
import { withTypedCut } from '../tables/with-typed-cut.ts';
import { namedColumns, plainRange } from './condition-text.ts';

/** A count is given up after this long, in milliseconds: it is asked for by nobody. */
export const surveyLimitMs = 10_000;

type Settings = Readonly<Record<string, string>>;

/** The rows of a table that one interval owns. */
export interface SurveySlice {
  readonly unit: UnitId;
  readonly table: string;
  readonly rows: SliceRows;
  /** What the task's operator sets in its session; goes over the settings of the connection. */
  readonly settings: Settings;
  /** Its rows have one value that cannot be told from the template: its bounds say them only where the column holds times. */
  readonly unread?: true;
}

/** What tables hold, interval by interval, whoever wrote it. */
export interface SliceSurvey {
  /** Over all tables that could be counted; every interval that was asked about is there. */
  readonly rows: ReadonlyMap<UnitId, number>;
  /** Names of columns of these tables that can be added up. */
  readonly columns: readonly string[];
  /** What the column that was asked for adds up to over all tables that have it, as decimals. */
  readonly sums: ReadonlyMap<UnitId, string>;
  /** Tables that could not be counted, and why, in words. */
  readonly untold: readonly string[];
}

/**
 * Asks each table once, by one grouped count over the columns that tell its slices apart, which ends after `limitMs`. Reads only.
 * `settings`: of the connection; `sum`: a column that is added up in the same
 * pass. Throws {@link WarehouseError} where the connection is lost.
 */
export async function surveySlices(
  session: Session,
  slices: readonly SurveySlice[],
  limitMs: number,
  settings: Settings,
  sum?: string,
): Promise<SliceSurvey> {
  const rows = new Map<UnitId, number>();
  const sums = new Map<UnitId, string>();
  const columns = new Set<string>();
  const untold: string[] = [];
  const tables = new Map<string, SurveySlice[]>();
  for (const slice of slices) {
    const key = JSON.stringify([slice.table, slice.rows.column, slice.rows.cut, slice.settings]);
    const asked = tables.get(key);
    if (asked === undefined) tables.set(key, [slice]);
    else asked.push(slice);
  }
  /** A sum may be what is too much: the rows are counted all the same. */
  const attempts = sum === undefined ? [undefined] : [sum, undefined];
  try {
    for (const asked of tables.values()) {
      const table = asked[0]?.table;
      for (const wanted of attempts) {
        try {
          await keepSettings(session, settings, asked[0]?.settings ?? {}, { statement_timeout: String(limitMs) });
          const counted = await countTable(session, asked, wanted);
          for (const name of counted.columns) columns.add(name);
          for (const { unit, count, total } of counted.units) {
            rows.set(unit, (rows.get(unit) ?? 0) + count);
            if (total !== undefined) sums.set(unit, addDecimals(sums.get(unit) ?? '0', total) ?? total);
          }
          break;
        } catch (error) {
          if (!(error instanceof WarehouseError) || error.kind === 'connection') throw error;
          const what = wanted === undefined ? table : `${table}: sum of ${wanted}`;
          untold.push(`${what}: ${wordsOf(error, limitMs)}`);
        }
      }
    }
  } finally {
    await session.query('reset all').catch(() => {});
  }
  return { rows, columns: [...columns], sums, untold };
}

/** What one interval's rows of a table come to. */
interface CountedSlice {
  readonly unit: UnitId;
  readonly count: number;
  /** Of the column that is added up. */
  readonly total: string | undefined;
}

async function countTable(
  session: Session,
  slices: readonly SurveySlice[],
  sum: string | undefined,
): Promise<{ readonly columns: readonly string[]; readonly units: readonly CountedSlice[] }> {
  const [first] = slices;
  if (first === undefined) return { columns: [], units: [] };
  const { table, rows } = first;
  const [described] = await describeReadable(session, [table], new Map());
  if (described === undefined) throw new WarehouseError('missing', 'it is not there, or cannot be read', false);
  const { cut } = await withTypedCut(session, described, rows);
  const addable = addableColumns(described, columnsOfCut(rows));
  const summed = addable.find(({ name }) => name === sum);
  return {
    columns: addable.map(({ name }) => name),
    units: await countUnits(session, described, slices, cut, summed),
  };
}

async function countUnits(
  session: Session,
  described: TableDescription,
  slices: readonly SurveySlice[],
  cut: SliceRows['cut'],
  summed: ColumnDescription | undefined,
): Promise<readonly CountedSlice[]> {
  const [first] = slices;
  if (cut?.kind === 'parts') return countMatches(session, described, slices, summed);
  if (cut !== undefined) {
    const bound = (iso: string): string => cutBound(described, cut, iso);
    return countRanges(session, described, { sql: cutSubject(cut), bound }, slices, summed);
  }
  const column = described.columns.find(({ name }) => name === first?.rows.column);
  if (column !== undefined && !timeTypes.has(column.baseType) && slices.some(({ unread }) => unread)) {
    const why = `an interval is one value of ${column.name}, which cannot be told from the template`;
    throw new WarehouseError('other', why, false);
  }
  if (await areRanges(session, described, slices)) {
    const column = first?.rows.column ?? '';
    const bound = (iso: string): string => columnBound(described, column, iso);
    return countRanges(session, described, { sql: quoteIdentifier(column), bound }, slices, summed);
  }
  return countMatches(session, described, slices, summed);
}

async function countMatches(
  session: Session,
  described: TableDescription,
  slices: readonly SurveySlice[],
  summed: ColumnDescription | undefined,
): Promise<readonly CountedSlice[]> {
  const conditions = slices.map(({ rows }) => {
    const condition = slicePredicate(described, rows);
    if (condition === undefined) throw new WarehouseError('other', 'an interval owns all of its rows', false);
    return condition;
  });
  const columns = namedColumns(conditions, described);
  const { rows } = await session.query(countMatchesSql(described, columns, conditions, summed));
  return slices.map(({ unit }, index) => ({
    unit,
    count: Number(rows[index]?.[0] ?? 0),
    total: summed && (rows[index]?.[1] ?? '0'),
  }));
}

/**
 * Whether each slice is the rows between its bounds and no others, so that it can be counted without a look at each value: it
 * has no condition of its own, or one of two bounds of a time that are those, as the session reads them.
 */
async function areRanges(session: Session, table: TableDescription, slices: readonly SurveySlice[]): Promise<boolean> {
  const column = table.columns.find(({ name }) => name === slices[0]?.rows.column);
  if (column === undefined) return true;
  const isTime = timeTypes.has(column.baseType);
  const bounds = slices.map(({ rows }) =>
    rows.predicate === undefined ? undefined : plainRange(rows.predicate, column.name, table),
  );
  const isOne = ({ rows }: SurveySlice, at: number): boolean => {
    if (rows.predicate !== undefined) return isTime && column.baseType !== 'date' && bounds[at] !== undefined;
    return rows.values === undefined || (isTime && rows.values.length === 1);
  };
  if (!slices.every(isOne)) return false;
  const said = slices.flatMap(({ rows: { from, to } }, at) => {
    const bound = bounds[at];
    return bound === undefined ? [] : [[bound.from, from ?? ''] as const, [bound.to, to ?? ''] as const];
  });
  if (said.length === 0) return true;
  return (await session.query(sameBoundsSql(table, column.name, said))).rows[0]?.[0] === 't';
}

async function countRanges(
  session: Session,
  table: TableDescription,
  subject: { readonly sql: string; readonly bound: (iso: string) => string },
  slices: readonly SurveySlice[],
  summed: ColumnDescription | undefined,
): Promise<readonly CountedSlice[]> {
  const ranges = slices.map(({ unit, rows: { from = '', to = '' } }) => ({ unit, from, to }));
  const bounds = [...new Set(ranges.flatMap(({ from, to }) => [from, to]))].sort(
    (a, b) => Date.parse(a) - Date.parse(b),
  );
  const { rows } = await session.query(countSlicesSql(table, subject.sql, bounds.map(subject.bound), summed));
  const parts = new Map(
    rows.map(([part, count, total]) => [Number(part) - 1, { count: Number(count), total: total ?? '0' }]),
  );
  // Slices may overlap, so each is the sum of the parts between its own bounds.
  const at = new Map(bounds.map((bound, index) => [bound, index]));
  return ranges.map(({ unit, from, to }) => {
    let count = 0;
    const totals: string[] = [];
    for (let part = at.get(from) ?? 0; part < (at.get(to) ?? 0); part++) {
      count += parts.get(part)?.count ?? 0;
      totals.push(parts.get(part)?.total ?? '0');
    }
    // Without a number among them they have no sum.
    return { unit, count, total: summed && (addDecimals(...totals) ?? 'NaN') };
  });
}

/** SQLSTATE of a statement that took longer than it may. */
const overtime = '57014';

const wordsOf = ({ detail, message }: WarehouseError, limitMs: number): string =>
  detail.sqlState === overtime ? `the count was given up after ${Math.round(limitMs / 1000)} s` : message;
