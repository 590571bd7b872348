import { bothSumsSql, columnSumsSql, movedSumsSql } from '../warehouse/dialects/postgres/slice/sums-sql.ts';
import type { Session } from '../warehouse/port/ports.ts';
import type { ColumnDescription, TableDescription } from '../warehouse/port/table-description.ts';
import type { ColumnSum } from './slice-diff.ts';
import type { SliceRelation } from './slice-relation.ts';
import { comparedColumns } from './take-figures.ts';

const exact: ReadonlySet<string> = new Set(['int2', 'int4', 'int8', 'numeric']);

/**
 * What the numeric columns of a slice add up to on both sides. Keys are left out, which are numbers in name only, and
 * so is what the slice is cut by. Servers before 14 cannot add what floats may be.
 */
export async function columnSums(
  session: Session,
  relation: SliceRelation,
  sides: { readonly old: string; readonly live: string; readonly predicate: string | undefined },
  cutBy: readonly string[],
): Promise<readonly ColumnSum[]> {
  const columns = summedColumns(relation, cutBy);
  if (columns.length === 0) return [];
  const [before = [], after = []] = (await session.query(columnSumsSql(sides, columns))).rows;
  return columns.map(({ name }, index) => ({
    column: name,
    before: shown(before[index]),
    after: shown(after[index]),
  }));
}

/** The rows of several slices as they are and as they will be, as SQL. */
export interface ComingSlices {
  readonly live: string;
  readonly predicate: string | undefined;
  /** All rows that will be there. */
  readonly stage: string;
  /** Of both, only what goes and what comes. */
  readonly gone: string;
  readonly come: string;
  /** The number of the slice of a live row, and of one of the others. */
  readonly by: readonly [live: string, moved: string];
}

/** The same for several slices, by number: what went and came is added where that is exact to the last digit. */
export async function sumsBySlice(
  session: Session,
  relation: SliceRelation,
  sides: ComingSlices,
  cutBy: readonly string[],
): Promise<ReadonlyMap<number, readonly ColumnSum[]>> {
  const columns = summedColumns(relation, cutBy);
  if (columns.length === 0) return new Map();
  const isExact = columns.every(({ baseType, type }) =>
    baseType !== 'numeric' ? exact.has(baseType) : /^numeric\(/.test(type),
  );
  const moved = isExact ? (await session.query(movedSumsSql(sides, columns))).rows : undefined;
  const isNumber = moved?.every((row) => row.every((value) => value === null || !/[a-z]/i.test(value)));
  const rows =
    moved !== undefined && isNumber === true ? moved : (await session.query(bothSumsSql(sides, columns))).rows;
  return new Map(
    rows.map(([slice, ...sums]) => [
      Number(slice),
      columns.map(({ name }, index) => ({
        column: name,
        before: shown(sums[2 * index]),
        after: shown(sums[2 * index + 1]),
      })),
    ]),
  );
}

/** Nothing to add up is nothing, however many places a difference of sums has kept. */
const shown = (sum: string | null | undefined): string =>
  sum === null || sum === undefined || /^-?0(?:\.0*)?$/.test(sum) ? '0' : sum;

function summedColumns(relation: SliceRelation, cutBy: readonly string[]): readonly ColumnDescription[] {
  const addable = addableColumns(relation.table, [...cutBy, ...relation.key]);
  return comparedColumns(relation).filter(
    (column) => addable.includes(column) && (!column.float || relation.hash === 'hash'),
  );
}

/** Numeric columns of a table that are no key of it and none of these. */
export const addableColumns = (
  { columns, keys }: TableDescription,
  others: readonly string[],
): readonly ColumnDescription[] =>
  columns.filter(
    ({ name, baseType, float }) =>
      (exact.has(baseType) || float) && !others.includes(name) && !keys.some((key) => key.includes(name)),
  );
