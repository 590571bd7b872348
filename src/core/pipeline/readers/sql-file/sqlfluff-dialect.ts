import { type DialectName, dialectNames } from '../../../sql/model/dialect-name.ts';
import type { FileSet } from '../../model/model.ts';
import { folderOf, joinPath } from '../../python/library/module-path.ts';

/** Names of SQLFluff's for what is read as another dialect. */
const sameAs: Readonly<Record<string, DialectName>> = {
  sparksql: 'spark',
  databricks: 'spark',
  hive: 'spark',
  athena: 'trino',
  mariadb: 'mysql',
  greenplum: 'postgres',
};

/** The dialect that the nearest `.sqlfluff` around a file names, when it is one that is read. */
export function sqlfluffDialect(path: string, files: FileSet): DialectName | undefined {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const settings = files.read(joinPath(folder, '.sqlfluff'));
    const named = settings === undefined ? undefined : dialectIn(settings);
    if (named !== undefined) return dialectNames.find((name) => name === named) ?? sameAs[named];
    if (folder === '') return undefined;
  }
}

/** `dialect = snowflake` of the section `[sqlfluff]`. */
function dialectIn(settings: string): string | undefined {
  let section = '';
  for (const line of settings.split(/\r\n|\r|\n/)) {
    section = /^\s*\[([^\]]+)\]/.exec(line)?.[1]?.trim() ?? section;
    const value = /^\s*dialect\s*[=:]\s*(\w+)/.exec(line)?.[1];
    if (section === 'sqlfluff' && value !== undefined) return value.toLowerCase();
  }
  return undefined;
}
