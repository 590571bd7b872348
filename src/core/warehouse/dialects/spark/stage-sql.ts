import type { FileTable } from '../../port/file-table.ts';
import { quoteIdentifier, quoteLiteral } from './quote.ts';
import { besideSql, tableSql } from './table-sql.ts';

/** A table of the same columns, partitions and file format over an empty folder; dropping it leaves its files. */
export const createStageSql = (target: FileTable, name: string, location: string): string =>
  `create table ${stageName(target, name)} like ${tableSql(target)} location ${quoteLiteral(location)}`;

/** Beside the target, so that nobody needs a right in another schema. */
export const stageName = (target: FileTable, name: string): string => besideSql(target, name);

/** A table of the same format that has files of its own; dropping it deletes them. */
export const createOwnStageSql = (target: FileTable, name: string): string => {
  const cut = (target.cutBy.length > 0 ? target.cutBy : target.partitionedBy.map(quoteIdentifier)).join(', ');
  return target.provider === 'delta'
    ? `create table ${stageName(target, name)} like ${tableSql(target)}`
    : `create table ${stageName(target, name)} using ${target.provider} ${cut === '' ? '' : `partitioned by (${cut}) `}as select * from ${tableSql(target)} where false`;
};

export const dropOwnStageSql = (target: FileTable, name: string): string =>
  `drop table if exists ${stageName(target, name)} purge`;

export const dropStageSql = (target: FileTable, name: string): string =>
  `drop table if exists ${stageName(target, name)}`;

/**
 * Statements that delete folders. SQL has no other way to the files than a managed table's own: one that is made for it is
 * given the folders as its partitions, and loses them again.
 */
export function sweepSql(target: FileTable, name: string, locations: readonly string[]): readonly string[] {
  const broom = stageName(target, name);
  const each = quoteIdentifier('folder');
  return [
    `create table if not exists ${broom} (nothing int, ${each} string) using parquet partitioned by (${each})`,
    ...locations.flatMap((location, index) => [
      `alter table ${broom} add if not exists partition (${each} = '${index}') location ${quoteLiteral(location)}`,
      `alter table ${broom} drop partition (${each} = '${index}')`,
    ]),
    `drop table ${broom}`,
  ];
}
