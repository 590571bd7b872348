import { columnsOfCut } from '../../../lineage/facts/slice-cut.ts';
import { epochMs } from '../../../warehouse/dialects/postgres/slice-predicate.ts';
import {
  describePartitionSql,
  partitionLocation,
  partitionsOf,
  showPartitionsSql,
} from '../../../warehouse/dialects/spark/partition-sql.ts';
import { unhashable } from '../../../warehouse/dialects/spark/row-hash.ts';
import { describeTableSql, fileTableOf, tableSql } from '../../../warehouse/dialects/spark/table-sql.ts';
import { versionedFormats } from '../../../warehouse/dialects/spark/version-sql.ts';
import type { FileTable, Partition, PartitionSpec } from '../../../warehouse/port/file-table.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { Target } from '../../tables/target.ts';
import type { OwnPartitions } from './overwrite.ts';
import { sliceCondition } from './slice-condition.ts';
import { type SlicePartitions, slicePartitions } from './slice-partitions.ts';

/** The target of a unit as the catalog has it. */
export interface LakeTarget {
  readonly file: FileTable;
  readonly target: Target & { readonly relation: NonNullable<Target['relation']> };
  readonly own: SlicePartitions;
  /** Of a table that keeps its versions: the condition of its slice, which is replaced in one commit. Else partitions get other folders. */
  readonly condition?: string | undefined;
}

/** Formats of tables whose partitions are folders of files, as `USING` names them. */
const providers: ReadonlySet<string> = new Set(['parquet', 'orc']);

/** The target of a unit; throws {@link WarehouseError} where it cannot be published partition by partition, with the cure. */
export async function lakeTarget(lake: Session, asked: OwnPartitions, serverVersion: string): Promise<LakeTarget> {
  const file = fileTableOf(await lake.query(describeTableSql(asked.target)));
  const { table } = file;
  const { slice } = asked;
  const elsewhere = 'Let its scheduler run it.';
  if (file.kind === 'view') throw cannot(`${table.qualified} is a view.`, 'Name the table behind it.');
  const isVersioned = versionedFormats.has(file.provider);
  if (!isVersioned && !providers.has(file.provider))
    throw cannot(
      `${table.qualified} is a table of ${file.provider || 'an unknown format'}, and only those made USING parquet, orc, delta or iceberg are carried out from here.`,
      elsewhere,
    );
  if (!isVersioned) refuseUncut(file, asked);
  else if (file.provider === 'iceberg') refuseWholeFiles(file, asked);
  const left = new Set(slice.volatile);
  const compared = table.columns.filter(({ name }) => !left.has(name));
  const [odd] = unhashable(compared);
  if (odd !== undefined)
    throw cannot(
      `Column ${odd.name} of ${table.qualified} is ${odd.type}, of which no checksum can be made.`,
      'Declare it under volatile of its writes in backfill.yaml; it is then not compared.',
    );
  const missing = slice.key.find((name) => !table.columns.some((column) => column.name === name));
  if (missing !== undefined)
    throw cannot(`${table.qualified} has no column ${missing} of its declared key.`, 'Mend the key in backfill.yaml.');
  return {
    file,
    ...(isVersioned
      ? { own: noPartitions, condition: sliceCondition(file, asked) }
      : { own: slicePartitions(file, asked) }),
    target: {
      slice,
      qualified: table.qualified,
      relation: {
        table,
        predicate: undefined,
        key: slice.key,
        keyGuaranteed: false,
        volatile: slice.volatile,
        hash: 'hash',
        server: serverVersion,
      },
    },
  };
}

/** What keeps the partitions of a table from being replaced one by one. */
function refuseUncut(file: FileTable, { slice, replaces }: OwnPartitions): void {
  const { qualified } = file.table;
  if (replaces === true)
    throw cannot(
      `${qualified} is a table of ${file.provider}, and REPLACE WHERE is for tables of Delta and Iceberg.`,
      `Write INSERT OVERWRITE ${qualified} PARTITION (…), or make the table USING delta.`,
    );
  if (file.partitionedBy.length === 0)
    throw cannot(
      `${qualified} is not partitioned, so that nothing less than the whole table can be replaced.`,
      `Partition it by ${slice.column}, or let its scheduler run the task.`,
    );
  if (!file.tracksPartitions || file.location === undefined)
    throw cannot(
      `The catalog does not know the partitions of ${qualified}, so that none can be given another folder.`,
      `Have them tracked: MSCK REPAIR TABLE ${tableSql(file)}, with spark.sql.hive.manageFilesourcePartitions on.`,
    );
}

const dayMs = 86_400_000;

/** How much time one value of a transform of Iceberg holds at most; of a month or a year a slice is seldom whole. */
const finest: Readonly<Record<string, number>> = { hours: 3_600_000, days: dayMs };

/** Iceberg replaces whole files: one that holds rows of two slices is refused at the commit, when all has been computed. */
function refuseWholeFiles({ table, partitionedBy, cutBy }: FileTable, { slice }: OwnPartitions): void {
  const isCut = (column: string): boolean => {
    if ([...partitionedBy, ...cutBy].some((name) => name.toLowerCase() === column.toLowerCase())) return true;
    return cutBy.some((transform) => {
      const [, name = '', of = ''] = /^(\w+)\((.*)\)$/.exec(transform) ?? [];
      const length = finest[name.toLowerCase()];
      const isWhole = (iso: string | undefined) => (epochMs(iso ?? '') ?? Number.NaN) % (length ?? Number.NaN) === 0;
      return of.toLowerCase() === column.toLowerCase() && isWhole(slice.from) && isWhole(slice.to);
    });
  };
  const open = columnsOfCut(slice).filter((column) => !isCut(column));
  if (open.length === 0) return;
  const by = [...partitionedBy, ...cutBy].join(', ') || 'nothing';
  throw cannot(
    `${table.qualified} is partitioned by ${by}, and the slice is cut by ${open.join(', ')}: Iceberg replaces whole files, and one of them may hold rows of two intervals.`,
    `Partition it by ${open.join(', ')} (ALTER TABLE ${table.qualified} ADD or REPLACE PARTITION FIELD …, then rewrite its files), or let its scheduler run the task.`,
  );
}

/** Of a table whose slice is told by a condition. */
const noPartitions: SlicePartitions = { isOwn: () => false, predicate: () => 'false' };

/** All partitions of a table, by their values. */
export const listPartitions = async (lake: Session, file: FileTable): Promise<readonly PartitionSpec[]> =>
  partitionsOf(await lake.query(showPartitionsSql(file)));

/** Partitions with the folders that hold their rows now. */
export async function withLocations(
  lake: Session,
  file: FileTable,
  specs: readonly PartitionSpec[],
): Promise<readonly Partition[]> {
  const found: Partition[] = [];
  for (const spec of specs) {
    const location = partitionLocation(await lake.query(describePartitionSql(file, spec)));
    if (location === undefined)
      throw new WarehouseError('other', `Spark does not say where a partition of ${file.table.qualified} is.`, false);
    found.push({ spec, location });
  }
  return found;
}

const cannot = (message: string, hint: string): WarehouseError => new WarehouseError('other', message, false, { hint });
