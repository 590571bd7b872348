import type { FileTable } from '../../port/file-table.ts';
import type { ResultSet } from '../../port/ports.ts';
import { quoteIdentifier } from './quote.ts';
import { tableSql } from './table-sql.ts';

/** Formats that keep their versions: a slice is published in one commit, and the rows of before can be read. */
export const versionedFormats: ReadonlySet<string> = new Set(['delta', 'iceberg']);

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

/**
 * Puts all rows of one table in the place of the rows of another one that a condition holds for, in one commit. `over`: the version that
 * has to be the newest one as to these rows. Iceberg holds that by itself, and refuses the commit; Delta cannot be asked to.
 */
export function replaceWhereSql(table: FileTable, condition: string, from: string, over?: string): string {
  const columns = table.table.columns.map(({ name }) => quoteIdentifier(name)).join(', ');
  const held =
    table.provider === 'iceberg' && over !== undefined
      ? ` with ('validate-from-snapshot-id' = '${over}', 'isolation-level' = 'serializable')`
      : '';
  return `insert into ${tableSql(table)}${held} replace where ${condition} select ${columns} from ${from}`;
}

/** A commit was refused for another one beside it, by what is said of it: another try may be taken. */
export const isCommitConflict = (message: string): boolean =>
  /DELTA_CONCURRENT|concurrent|conflict|Cannot determine history between|Commit failed/i.test(message);

/** A version cannot be read any more, or its files are gone, by what is said of it. */
export const isVersionGone = (message: string): boolean =>
  /Cannot find (?:a )?snapshot|Cannot time travel|VERSION_NOT_FOUND|FILE_NOT_EXIST|FileNotFound|does not exist/i.test(
    message,
  );
