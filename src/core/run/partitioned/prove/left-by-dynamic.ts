import type { SliceDiff } from '../../../diff/slice-diff.ts';
import type { TakenFigures } from '../../../diff/take-figures.ts';
import type { Rows } from '../../../warehouse/dialects/spark/figures-sql.ts';
import {
  partitionHashSql,
  partitionPath,
  partitionPredicate,
} from '../../../warehouse/dialects/spark/partition-sql.ts';
import { tableSql } from '../../../warehouse/dialects/spark/table-sql.ts';
import type { FileTable, PartitionSpec } from '../../../warehouse/port/file-table.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import { lakeDiff } from '../compare/lake-diff.ts';
import { comparedColumns, lakeFigures, versionRows } from '../compare/lake-figures.ts';
import type { LiveSlice } from '../compare/stage-and-compare.ts';
import type { LakeTarget } from '../target/lake-table.ts';
import type { Overwrite } from '../target/overwrite.ts';

/** What was staged for the slice. */
interface Made extends Pick<TakenFigures, 'figures'> {
  readonly made: readonly PartitionSpec[];
  readonly stage: FileTable;
}

/**
 * What a run of its scheduler would leave over: a dynamic overwrite replaces the partitions that get rows, so those of the slice that get
 * none keep the rows of before. `undefined`: nothing. The slice as such runs leave it, against what is made for it.
 */
export async function leftByDynamic(
  { own, at }: { readonly own: Session; readonly at: LakeTarget },
  { job, overwrite }: { readonly job: UnitJob; readonly overwrite: Overwrite },
  live: LiveSlice,
  { made, stage, figures }: Made,
): Promise<SliceDiff | undefined> {
  if (!overwrite.byRows || !(await isDynamic(own, overwrite))) return undefined;
  const inFiles = at.condition === undefined ? inOwnFolders(at, live, made) : keptRows(at, stage);
  if (inFiles === undefined) return undefined;
  const left = (await lakeFigures(own, at, inFiles)).figures;
  if (left.rows === 0) return undefined;
  const nothing = { from: tableSql(at.file), predicate: 'false' };
  const query = { before: inFiles, after: nothing, ...comparedColumns(at) };
  const { samples } = await lakeDiff(own, query, { keyUsable: false, samples: job.options.samples });
  const { slice, relation } = at.target;
  return {
    table: slice.table,
    column: slice.column,
    from: slice.from,
    to: slice.to,
    before: { ...figures, rows: figures.rows + left.rows, rowChecksum: '', keyChecksum: undefined },
    after: figures,
    added: 0,
    removed: left.rows,
    changed: 0,
    columns: [],
    samples,
    method: 'multiset',
    key: relation.key,
    leftOut: relation.volatile,
    leftOver: undefined,
    causes: [],
  };
}

/** Rows of partitions that the stage does not have. */
function inOwnFolders(
  { file }: LakeTarget,
  { partitions }: LiveSlice,
  made: readonly PartitionSpec[],
): Rows | undefined {
  const filled = new Set(made.map(partitionPath));
  const kept = partitions.map(({ spec }) => spec).filter((spec) => !filled.has(partitionPath(spec)));
  if (kept.length === 0) return undefined;
  return { from: tableSql(file), predicate: kept.map((spec) => `(${partitionPredicate(spec)})`).join(' or ') };
}

/** The same of a table whose partitions are not listed. */
function keptRows(at: LakeTarget, stage: FileTable): Rows | undefined {
  const partition = partitionHashSql(at.file);
  if (partition === undefined) return undefined;
  const { from, predicate, file } = versionRows(at, at.file);
  return {
    from,
    predicate: `(${predicate}) and ${partition} not in (select ${partition} from ${tableSql(stage)})`,
    file,
  };
}

async function isDynamic(own: Session, { overwrites }: Overwrite): Promise<boolean> {
  if (overwrites !== undefined) return overwrites === 'dynamic';
  const { rows } = await own.query('set spark.sql.sources.partitionOverwriteMode');
  return rows[0]?.[1]?.toLowerCase() === 'dynamic';
}
