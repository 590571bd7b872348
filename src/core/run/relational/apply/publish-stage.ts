import { sumsBySlice } from '../../../diff/column-sums.ts';
import { comparePairs, noRows, type RowComparison } from '../../../diff/compare-rows.ts';
import { movedSum, type RowSum } from '../../../diff/row-sum.ts';
import type { ColumnSum } from '../../../diff/slice-diff.ts';
import type { SliceRelation } from '../../../diff/slice-relation.ts';
import {
  comparedColumns,
  keyColumns,
  sameFigures,
  takeFigures,
  type VersionedFigures,
} from '../../../diff/take-figures.ts';
import { columnsOfCut } from '../../../lineage/facts/slice-cut.ts';
import { versionHash } from '../../../warehouse/dialects/postgres/slice/figures-sql.ts';
import {
  deletePairsSql,
  differingPairsSql,
  insertPairsSql,
  oldVersion,
  pairedRowsSql,
  pairSideSql,
} from '../../../warehouse/dialects/postgres/slice/pairs-sql.ts';
import {
  deleteDifferingSql,
  differingKeysSql,
  differingRowsSql,
  insertStagedSql,
  type StageQuery,
} from '../../../warehouse/dialects/postgres/slice/stage-sql.ts';
import type { OldRows } from '../../record/applied.ts';
import { withMemoryFor } from '../../session/session-settings.ts';
import { figuresOfCopy, isTextual } from '../../tables/slice-state.ts';
import { type Target, tableSql } from '../../tables/target.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { sendFor } from '../task/run-statements.ts';
import type { ComparedSides, ComparedSlice } from './compare-slices.ts';
import { type Stage, stageTable } from './stage.ts';

const differing = 'pg_temp.backfill_differing';
const pairs = 'pg_temp.backfill_pairs';

/** What became of the slice: it held these rows already, or it was written. */
export type Published =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'written';
      /** Both sides of what differs, where only that was written. */
      readonly sides: ComparedSides | undefined;
      /** What the slice must hold then; anything else means that somebody else wrote it meanwhile. */
      readonly expected: RowSum | undefined;
      /** The rows that were taken away, where the others were left in their place. */
      readonly gone?: VersionedFigures | undefined;
      readonly rows?: ComparedSlice['rows'];
      readonly sums?: readonly ColumnSum[] | undefined;
      readonly oldRows?: OldRows | undefined;
    };

/**
 * Whether the differing rows of a slice, told by its key, say all that there is to say of a difference: then no copy of the
 * slice is needed. Rows that differ in what is not compared are written with the rest, or not at all.
 */
export const toldByPairs = (relation: SliceRelation): boolean =>
  relation.keyGuaranteed && comparedColumns(relation).length === relation.table.columns.length && !isTextual(relation);

/**
 * Makes the slice what the stage is: only the rows that differ are written where a key tells all rows apart and most are
 * the same, else the slice is emptied as the task would and filled from the stage. `old` is the copy of the slice, where
 * pairs of rows do not tell all. Throws
 * {@link StatementFailure}.
 */
export async function publishStage(
  unit: OpenUnit,
  stage: Stage,
  before: VersionedFigures,
  old: string,
): Promise<Published> {
  const { session, job } = unit;
  const { relation, rows, writable } = stage;
  const { clear, fill } = stage.replacement;
  const { table, predicate } = relation;
  const key = keyColumns(relation);
  const query: StageQuery = { stage: stageTable, live: tableSql(table), predicate, columns: table.columns, key };
  if (toldByPairs(relation)) return publishPairs(unit, stage, before, query);
  // Rows that differ in what is not compared are written with the rest, or not at all.
  if (before.keyUsable && comparedColumns(relation).length === table.columns.length) {
    const { rowCount } = await session.query(differingKeysSql(differing, query));
    // A key that is staged twice is one row too many.
    if (rowCount === 0 && rows === before.figures.rows) return { kind: 'same' };
    if (rowCount !== undefined && rowCount < Math.min(before.figures.rows, rows) / 2) {
      const figures = async (side: string) => (await figuresOfCopy(session, relation, side, job.options)).figures;
      const side = (rowsOf: string, within?: string) => differingRowsSql(differing, rowsOf, key, within);
      const copied = job.options.compare === 'rows' || isTextual(relation);
      const gone = await figures(copied ? side(old) : side(query.live, predicate));
      const sum = movedSum(before.figures, gone, await figures(side(stageTable)));
      await sendFor(unit, clear, deleteDifferingSql(differing, 'all', query));
      await sendFor(unit, fill, insertStagedSql(query, writable, { table: differing, which: 'all' }));
      const sides = { old: side(old), live: side(stageTable), predicate: undefined };
      return { kind: 'written', sides, expected: { ...sum, rows } };
    }
  } else if (sameFigures(before, await figuresOfCopy(session, relation, stageTable, job.options))) {
    return { kind: 'same' };
  }
  await sendFor(unit, clear, clear.text);
  await sendFor(unit, fill, insertStagedSql(query, writable));
  return { kind: 'written', sides: undefined, expected: undefined };
}

/** The same where pairs of rows tell all of it: sides, sums and old rows are taken before anything is written. */
async function publishPairs(
  unit: OpenUnit,
  { relation, replacement, rows, writable }: Stage,
  before: VersionedFigures,
  query: StageQuery,
): Promise<Published> {
  const { session, job, targets } = unit;
  const { columns, key } = query;
  const versions = before.versions === undefined ? undefined : versionHash;
  const { rowCount = Number.NaN } = await withMemoryFor(session, rows, () =>
    session.query(differingPairsSql(pairs, { ...query, versions })),
  );
  // A key that is staged twice is one row too many.
  if (rowCount === 0 && rows === before.figures.rows) return { kind: 'same' };
  const [gone, come] = [pairSideSql(pairs, columns, 'old'), pairSideSql(pairs, columns, 'new')];
  const figures = (sql: string, version?: string) =>
    takeFigures(session, relation, { sql, predicate: undefined, ownAge: undefined, versions: version });
  const old = versions === undefined ? gone : pairSideSql(pairs, columns, 'old', undefined, [oldVersion]);
  const went = await figures(old, versions && oldVersion);
  const sum = movedSum(before.figures, went.figures, (await figures(come)).figures);
  const sums =
    job.options.compare === 'rows' ? await sumsAround(unit, relation, query, { gone, come }, targets[0]) : undefined;
  const isPart = rowCount < Math.min(before.figures.rows, rows) / 2;
  if (isPart) {
    await sendFor(unit, replacement.clear, deletePairsSql(pairs, query));
    await sendFor(unit, replacement.fill, insertPairsSql(pairs, query, writable));
  } else {
    await sendFor(unit, replacement.clear, replacement.clear.text);
    await sendFor(unit, replacement.fill, insertStagedSql(query, writable));
  }
  const part = { added: pairSideSql(pairs, columns, 'added'), key: key.map(({ name }) => name) };
  return {
    kind: 'written',
    sides: { old: gone, live: come, predicate: undefined },
    expected: { ...sum, rows },
    gone: isPart ? went : undefined,
    rows: () => differingRows(unit, relation),
    sums,
    oldRows: { rows: gone, part },
  };
}

async function differingRows({ session, job }: OpenUnit, relation: SliceRelation): Promise<RowComparison> {
  const from = pairedRowsSql(pairs, relation.table.columns);
  return (await comparePairs(session, relation, { from, by: '1' }, job.options.samples)).get(1) ?? noRows;
}

/** What the numeric columns of the slice add up to, and will once it is written. */
async function sumsAround(
  { session }: OpenUnit,
  relation: SliceRelation,
  { live, predicate }: StageQuery,
  moved: { readonly gone: string; readonly come: string },
  target: Target | undefined,
): Promise<readonly ColumnSum[]> {
  const sides = { live, predicate, stage: stageTable, ...moved, by: ['1', '1'] as const };
  return (
    (await sumsBySlice(session, relation, sides, target === undefined ? [] : columnsOfCut(target.slice))).get(1) ?? []
  );
}
