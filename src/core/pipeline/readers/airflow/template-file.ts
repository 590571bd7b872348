import type { FileSet } from '../../model.ts';
import { folderOf, joinPath } from '../../python/module-path.ts';
import { normalPath } from '../../python/paths.ts';
import { plainText } from '../../python/text-value.ts';
import type { Value } from '../../python/value.ts';

/**
 * Finds a template file as Airflow does: in the folder of the DAG file, then along `template_searchpath`. Folders
 * of the scheduler's machine (`/opt/airflow/dags/sql`) are matched with the workspace by their last parts. When the
 * search path is not known, the only file of the workspace that ends in the path is taken.
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
    else folders.push(...candidates(text));
  }
  for (const folder of folders) {
    const candidate = normalPath(joinPath(folder, relative));
    if (files.read(candidate) !== undefined) return candidate;
  }
  if (path.startsWith('/'))
    for (const candidate of candidates(path)) if (files.read(candidate) !== undefined) return candidate;
  if (!uncertain && !given.some((folder) => plainText(folder)?.startsWith('/') === true)) return undefined;
  const matching = files.paths().filter((candidate) => candidate === relative || candidate.endsWith(`/${relative}`));
  return matching.length === 1 ? matching[0] : undefined;
}

/** A folder as it is, and for an absolute one each of its tails: `dags/sql`, `sql`. */
function candidates(folder: string): string[] {
  const normal = normalPath(folder);
  if (!normal.startsWith('/')) return [normal];
  const parts = normal.split('/').filter(Boolean);
  return parts.map((_, index) => parts.slice(index).join('/'));
}
