import type { FileTable } from '../../port/file-table.ts';
import type { ResultSet } from '../../port/ports.ts';
import { quoteIdentifier } from './quote.ts';
import { tableSql } from './table-sql.ts';

/**
 * Formats that keep their versions: one is published in one commit, and those of before can be read. Delta and Iceberg belong here once all
 * of their contract has been seen on a real Spark, the bounds of timestamps and the commands as well; until then they are refused by name.
 */
export const versionedFormats: ReadonlySet<string> = new Set();

/** What tells of a row in which file it is, in Iceberg's words; of Delta it is Spark's own. */
export const fileOfRow = ({ provider }: FileTable): string | undefined =>
  provider === 'iceberg' ? '_file' : undefined;

/** The newest versions of a table, at most so many. */
export const versionsSql = (table: FileTable, most: number): string =>
  table.provider === 'delta'
    ? `describe history ${tableSql(table)} limit ${most}`
    : `select cast(snapshot_id as string) as version from ${tableSql(table)}.history where is_current_ancestor order by made_current_at desc limit ${most}`;

/** The newest first. */
export function versionsOf({ columns, rows }: ResultSet): readonly string[] {
  const at = columns.indexOf('version');
  return rows.flatMap((row) => row[at] ?? []);
}

/** A table as it was; a table of Iceberg without a snapshot has no rows, and nothing to name them by. */
export const atVersion = (table: FileTable, version: string | undefined): string =>
  version === undefined ? tableSql(table) : `${tableSql(table)} version as of ${version}`;

/** Puts all rows of one table in the place of the rows of another one that a condition holds for, in one commit. */
export function replaceWhereSql(table: FileTable, condition: string, from: string): string {
  const columns = table.table.columns.map(({ name }) => quoteIdentifier(name)).join(', ');
  return `insert into ${tableSql(table)} replace where ${condition} select ${columns} from ${from}`;
}
