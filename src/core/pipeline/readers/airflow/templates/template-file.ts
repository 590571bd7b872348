import type { FileSet } from '../../../model/model.ts';
import { folderOf, joinPath } from '../../../python/library/module-path.ts';
import { normalPath, pathTails, workspaceFile } from '../../../python/library/paths.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Value } from '../../../python/values/value.ts';

/**
 * Finds a template file as Airflow does: in the folder of the DAG file, then along `template_searchpath`. Folders
 * of the scheduler's machine (`/opt/airflow/dags/sql`) are matched with the workspace by their last parts; a relative one
 * is meant from where Airflow was started, which is a folder above the DAG file. When the search path is not known, the
 * only file of the workspace that ends in the path is taken.
 */
export function templateFile(
  files: FileSet,
  path: string,
  dagFile: string,
  searchPath: Value | undefined,
): string | undefined {
  const relative = normalPath(path.replace(/^\/+/, ''));
  const folders = [folderOf(dagFile)];
  const given = searchPath === undefined ? [] : searchPath.kind === 'list' ? searchPath.items : [searchPath];
  let uncertain = searchPath !== undefined && given.length === 0;
  for (const folder of given) {
    const text = folder.kind === 'path' ? folder.path : plainText(folder);
    if (text === undefined) uncertain = true;
    else if (text.startsWith('/')) folders.push(...pathTails(text));
    else folders.push(...pathTails(text), ...foldersAbove(dagFile).map((above) => joinPath(above, text)));
  }
  for (const folder of folders) {
    const candidate = normalPath(joinPath(folder, relative));
    if (files.read(candidate) !== undefined) return candidate;
  }
  return uncertain || path.startsWith('/') || given.some((folder) => plainText(folder)?.startsWith('/') === true)
    ? workspaceFile(files, `/${relative}`)
    : undefined;
}

/** Folders of the workspace along which Airflow would find a template file that it does not find now. */
export function foldersWithTemplate(files: FileSet, path: string): readonly string[] {
  const relative = normalPath(path.replace(/^\/+/, ''));
  return files
    .paths()
    .filter((candidate) => candidate === relative || candidate.endsWith(`/${relative}`))
    .map((candidate) => candidate.slice(0, -relative.length).replace(/\/$/, '') || '.');
}

/** The folders in which a file lies, the nearest first. */
function foldersAbove(file: string): readonly string[] {
  const above: string[] = [];
  for (let folder = folderOf(file); folder !== ''; folder = folderOf(folder)) above.push(folder);
  return above;
}
