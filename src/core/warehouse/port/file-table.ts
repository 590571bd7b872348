import type { TableDescription } from './table-description.ts';

/** A table whose rows are files below a folder, one for each partition, as a catalog has it. */
export interface FileTable {
  /** The catalog that has it, where that is not the session's own. */
  readonly catalog?: string | undefined;
  /** As the rest of the protocol sees it: columns and name; none of what only a database has. */
  readonly table: TableDescription;
  /** Columns that the folders are cut by, in order; they come last among the columns. */
  readonly partitionedBy: readonly string[];
  /** What the files are cut by where that is more than values of columns, in words of the format, e.g. `days(at)`; else empty. */
  readonly cutBy: readonly string[];
  /** What reads its files, e.g. `parquet`, lower case. */
  readonly provider: string;
  readonly kind: 'table' | 'view';
  readonly location: string | undefined;
  /** The catalog knows its partitions, so that each can be given another folder. */
  readonly tracksPartitions: boolean;
}

/** Value of each partition column, as text; null where it is NULL. */
export type PartitionSpec = Readonly<Record<string, string | null>>;

/** A partition and the folder that holds its rows. */
export interface Partition {
  readonly spec: PartitionSpec;
  readonly location: string;
}
