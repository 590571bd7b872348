import { addDecimals } from '../../../diff/decimal.ts';
import type { SliceDiff } from '../../../diff/slice-diff.ts';

/** What the tables of a task hold, as far as that was asked. */
export interface SurveyedSums {
  /** Columns that can be added up. */
  readonly columns: readonly string[];
  /** What one of them adds up to, as decimals, by unit. */
  readonly sum: { readonly of: string; readonly by: ReadonlyMap<string, string> } | undefined;
}

/** Both sides of a unit, as decimals. */
export interface Sides {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export const rowCount = 'row count';

const prefix = 'sum of ';

export const measureOfColumn = (column: string): string => `${prefix}${column}`;

/** The column that a measure adds up; `undefined`: it counts rows. */
export const columnOfMeasure = (measure: string): string | undefined =>
  measure.startsWith(prefix) ? measure.slice(prefix.length) : undefined;

/** What a chart can show: rows, and the columns that the diffs of its units or the tables themselves have sums of. */
export function measuresOf(
  diffs: readonly (readonly SliceDiff[])[],
  survey: SurveyedSums | undefined,
): readonly string[] {
  const columns = new Set(survey?.columns);
  for (const { sums } of diffs.flat()) for (const { column } of sums ?? []) columns.add(column);
  return [rowCount, ...[...columns].map(measureOfColumn)];
}

/**
 * What tells most of what changed: the rows, unless every changed unit has as many as before and a column adds up to something
 * else.
 */
export function tellingMeasure(changed: readonly (readonly SliceDiff[])[]): string {
  const slices = changed.flat();
  if (slices.some(({ before, after }) => before?.rows !== after?.rows)) return rowCount;
  const moved = slices.flatMap(({ sums }) => sums ?? []).find(({ before, after }) => before !== after);
  return moved === undefined ? rowCount : measureOfColumn(moved.column);
}

/** What a column of a unit's slices added up to on both sides, where its rows were compared. */
export function summedSides(slices: readonly SliceDiff[], column: string): Sides | undefined {
  const sums = slices.flatMap((slice) => slice.sums?.find((sum) => sum.column === column) ?? []);
  if (sums.length === 0) return undefined;
  return {
    before: addDecimals(...sums.map(({ before }) => before)),
    after: addDecimals(...sums.map(({ after }) => after)),
  };
}
