import { checksum, type TakenFigures } from '../../../diff/take-figures.ts';
import { duplicateKeysSql, figuresSql, filesSql, type Rows } from '../../../warehouse/dialects/spark/figures-sql.ts';
import { refreshSql, tableSql } from '../../../warehouse/dialects/spark/table-sql.ts';
import { atVersion, fileOfRow } from '../../../warehouse/dialects/spark/version-sql.ts';
import type { FileTable, PartitionSpec } from '../../../warehouse/port/file-table.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { LakeTarget } from '../target/lake-table.ts';
import type { SlicePartitions } from '../target/slice-partitions.ts';

/** Columns that are compared, and those of the key. */
export function comparedColumns({ target: { relation } }: LakeTarget) {
  const { columns } = relation.table;
  return {
    columns: columns.filter(({ name }) => !relation.volatile.includes(name)),
    key: relation.key.flatMap((name) => columns.find((column) => column.name === name) ?? []),
  };
}

/** Rows of the slice in a table that keeps its versions; without a version as they are now. */
export const versionRows = ({ condition }: LakeTarget, file: FileTable, version?: string): Rows => ({
  from: atVersion(file, version),
  predicate: condition,
  file: fileOfRow(file),
});

/** Rows of some partitions of a table; without partitions none, which are not looked for. */
export const rowsOf = (file: FileTable, own: SlicePartitions, specs: readonly PartitionSpec[]): Rows | undefined =>
  specs.length === 0 ? undefined : { from: tableSql(file), predicate: own.predicate(specs) };

/** With the sum over the files that hold the rows: another one once somebody else has written them. */
export interface LakeFigures extends TakenFigures {
  readonly files: string;
}

const noFiles = '0';

/** Count and checksums in one pass, and in a second one whether the key tells rows apart. */
export async function lakeFigures(lake: Session, at: LakeTarget, rows: Rows | undefined): Promise<LakeFigures> {
  const { columns, key } = comparedColumns(at);
  const { server } = at.target.relation;
  const found = rows === undefined ? [] : ((await lake.query(figuresSql(rows, columns, key))).rows[0] ?? []);
  const [count = '0', row0, row1, key0, key1, nulls, files] = found;
  const duplicates =
    rows === undefined || key.length === 0 || Number(count) < 2
      ? 0
      : Number((await lake.query(duplicateKeysSql(rows, key))).rows[0]?.[0]);
  return {
    files: files ?? noFiles,
    figures: {
      rows: Number(count),
      keyChecksum: key.length === 0 ? undefined : checksum(key0, key1),
      rowChecksum: checksum(row0, row1),
      algorithm: `spark-xxhash64/1 ${server.split('.')[0]} ${columns.map(({ name, type }) => `${name} ${type}`).join(',')}`,
      duplicateKeys: key.length === 0 ? undefined : duplicates,
    },
    ownRows: 0,
    keyUsable: key.length > 0 && duplicates === 0 && Number(nulls ?? 0) === 0,
  };
}

/** The sum over the files that hold the rows now. */
export async function filesNow(lake: Session, { file }: LakeTarget, rows: Rows | undefined): Promise<string> {
  await lake.query(refreshSql(file));
  return rows === undefined ? noFiles : ((await lake.query(filesSql(rows))).rows[0]?.[0] ?? noFiles);
}
