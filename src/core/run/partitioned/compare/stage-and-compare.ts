import { sameFigures } from '../../../diff/take-figures.ts';
import { plural } from '../../../text/plural.ts';
import type { Rows } from '../../../warehouse/dialects/spark/figures-sql.ts';
import { partitionPath } from '../../../warehouse/dialects/spark/partition-sql.ts';
import { refreshSql, tableSql } from '../../../warehouse/dialects/spark/table-sql.ts';
import { versionsOf, versionsSql } from '../../../warehouse/dialects/spark/version-sql.ts';
import type { FileTable, Partition, PartitionSpec } from '../../../warehouse/port/file-table.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { Applied, AppliedSlice, EscapeVerdict } from '../../record/applied.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import { type LakeTarget, listPartitions, withLocations } from '../target/lake-table.ts';
import { lakeDiff } from './lake-diff.ts';
import { comparedColumns, filesNow, type LakeFigures, lakeFigures, rowsOf, versionRows } from './lake-figures.ts';
import type { Stage } from './stage.ts';
import { stageTable } from './stage.ts';

/** A unit's partitions as they are. */
export interface LiveSlice {
  readonly partitions: readonly Partition[];
  /** Of a table that keeps its versions: the one that was looked at; `undefined`: it has none yet. */
  readonly version?: string | undefined;
  readonly taken: LakeFigures;
}

/** What a stage holds against what is there. */
export interface ComparedStage {
  readonly applied: Applied;
  /** Partitions of the stage that are the unit's own. */
  readonly staged: readonly PartitionSpec[];
}

export async function liveSlice(lake: Session, at: LakeTarget): Promise<LiveSlice> {
  if (at.condition !== undefined) {
    const version = await newestVersion(lake, at);
    return { partitions: [], version, taken: await lakeFigures(lake, at, versionRows(at, at.file, version)) };
  }
  const specs = (await listPartitions(lake, at.file)).filter(at.own.isOwn);
  const rows = rowsOf(at.file, at.own, specs);
  await lake.query(refreshSql(at.file));
  return { partitions: await withLocations(lake, at.file, specs), taken: await lakeFigures(lake, at, rows) };
}

/** The live slice has neither other partitions nor other files than when it was looked at. */
export async function isAsItWas(
  lake: Session,
  at: LakeTarget,
  { partitions, taken, version }: LiveSlice,
): Promise<boolean> {
  if (at.condition !== undefined) {
    const now = await newestVersion(lake, at);
    return now === version || (await filesNow(lake, at, versionRows(at, at.file, now))) === taken.files;
  }
  const specs = (await listPartitions(lake, at.file)).filter(at.own.isOwn);
  if (JSON.stringify(specs) !== JSON.stringify(partitions.map(({ spec }) => spec))) return false;
  return (await filesNow(lake, at, rowsOf(at.file, at.own, specs))) === taken.files;
}

/** The version of a table that keeps them; `undefined`: it has none yet. */
export async function newestVersion(lake: Session, { file }: LakeTarget): Promise<string | undefined> {
  await lake.query(refreshSql(file));
  return versionsOf(await lake.query(versionsSql(file, 1)))[0];
}

/** What a stage holds of the slice, and what else. */
interface Staged {
  readonly rows: Rows | undefined;
  readonly specs: readonly PartitionSpec[];
  /** What of it is not the slice's. */
  readonly elsewhere: EscapeVerdict;
}

async function stagedRows(lake: Session, at: LakeTarget, table: FileTable): Promise<Staged> {
  if (at.condition !== undefined) {
    const others = `select cast(count(*) as string) from ${tableSql(table)} where not coalesce(${at.condition}, false)`;
    const outside = Number((await lake.query(others)).rows[0]?.[0] ?? 0);
    return { rows: versionRows(at, table), specs: [], elsewhere: rowsOutside(at, outside) };
  }
  const all = await listPartitions(lake, table);
  const specs = all.filter(isOwn(at));
  const outside = all.filter((spec) => !specs.includes(spec));
  return { rows: rowsOf(table, at.own, specs), specs, elsewhere: escapeOf(at, outside) };
}

function rowsBefore(at: LakeTarget, { partitions, version }: LiveSlice): Rows | undefined {
  if (at.condition !== undefined) return versionRows(at, at.file, version);
  return rowsOf(
    at.file,
    at.own,
    partitions.map(({ spec }) => spec),
  );
}

function rowsOutside({ target }: LakeTarget, rows: number): EscapeVerdict {
  if (rows === 0) return { kind: 'none' };
  const reason = `It writes ${plural(rows, 'row')} of ${target.qualified} outside of its slice.`;
  return { kind: 'escaped', reason, tables: [target.qualified] };
}

/**
 * Sums up a filled stage, and compares its rows with the live ones where they differ. Partitions of the stage that are not the unit's
 * own are rows outside of its slice: they are told, and are never published.
 */
export async function compareStage(
  lake: Session,
  at: LakeTarget,
  stage: Stage,
  live: LiveSlice,
  { options }: Pick<UnitJob, 'options'>,
): Promise<ComparedStage> {
  const table = stageTable(at, stage);
  const { rows, specs, elsewhere } = await stagedRows(lake, at, table);
  const after = await lakeFigures(lake, at, rows);
  const before = live.taken;
  const equal = sameFigures(before, after);
  const keyUsable = before.keyUsable && after.keyUsable;
  const nothing = { from: tableSql(table), predicate: 'false' };
  const comparison =
    equal || options.compare !== 'rows'
      ? undefined
      : await lakeDiff(
          lake,
          {
            before: rowsBefore(at, live) ?? nothing,
            after: rows ?? nothing,
            ...comparedColumns(at),
          },
          { keyUsable, samples: options.samples },
        );
  const { target } = at;
  const { slice, relation } = target;
  const applied: AppliedSlice = {
    target,
    table: relation.table,
    taken: { index: 0, relation, before, after, keyUsable, replaced: true },
    diff: {
      table: slice.table,
      column: slice.column,
      from: slice.from,
      to: slice.to,
      before: before.figures,
      after: after.figures,
      added: comparison?.added ?? (equal ? 0 : undefined),
      removed: comparison?.removed ?? (equal ? 0 : undefined),
      changed: comparison?.changed ?? (equal ? 0 : undefined),
      columns: comparison?.columns ?? [],
      samples: comparison?.samples ?? [],
      method: comparison?.method ?? (equal ? (keyUsable ? 'key' : 'multiset') : 'none'),
      key: relation.key,
      leftOut: relation.volatile.filter((name) => relation.table.columns.some((column) => column.name === name)),
      leftOver: undefined,
      causes: [],
    },
  };
  return {
    applied: { slices: [applied], notes: [], escape: elsewhere },
    staged: specs,
  };
}

/** A partition that is of no day is not the unit's: of a stage that is told, not thrown. */
const isOwn =
  ({ own }: LakeTarget) =>
  (spec: PartitionSpec): boolean => {
    try {
      return own.isOwn(spec);
    } catch {
      return false;
    }
  };

function escapeOf({ target }: LakeTarget, outside: readonly PartitionSpec[]): EscapeVerdict {
  if (outside.length === 0) return { kind: 'none' };
  const few = outside.slice(0, 3).map(partitionPath).join(', ');
  const more = outside.length > 3 ? `, and ${outside.length - 3} more` : '';
  return {
    kind: 'escaped',
    reason: `It writes partitions of ${target.qualified} outside of its slice: ${few}${more}.`,
    tables: [target.qualified],
  };
}
