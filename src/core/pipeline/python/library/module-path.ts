import type { FileSet } from '../../model/model.ts';

/** Folders that schedulers and projects put on Python's path besides the importing file's own parents. */
export const moduleRoots = [
  'dags',
  'plugins',
  'src',
  'include',
  'config',
  'airflow',
  'airflow/dags',
  'airflow/plugins',
];

/**
 * The workspace file of a module. An absolute name is looked for from the importing file's folder outwards to the
 * workspace root, then in the usual roots; a relative one (`.a.b`) from the importing package only.
 */
export function moduleFile(files: FileSet, name: string, from: string): string | undefined {
  const found = lookedUp(files, name, from);
  return found !== undefined && /^airflow(?:\.|$)/.test(name) && isAirflowItself(files, found) ? undefined : found;
}

/** A workspace that holds the source of Airflow: what is known of Airflow holds for it, better than what its code does. */
function isAirflowItself(files: FileSet, found: string): boolean {
  const home = /^(?:.*\/)?airflow\//.exec(found)?.[0];
  return (
    home !== undefined &&
    files.read(`${home}models/baseoperator.py`) !== undefined &&
    files.read(`${home}exceptions.py`) !== undefined
  );
}

function lookedUp(files: FileSet, name: string, from: string): string | undefined {
  const leading = /^\.+/.exec(name)?.[0].length ?? 0;
  const rest = name.slice(leading).split('.').filter(Boolean);
  let folder = folderOf(from);
  if (leading > 0) {
    for (let up = 1; up < leading; up++) folder = folderOf(folder);
    return fileOfModule(files, joinPath(folder, ...rest));
  }
  for (;;) {
    const found = fileOfModule(files, joinPath(folder, ...rest));
    if (found !== undefined && found !== from) return found;
    if (folder === '') break;
    folder = folderOf(folder);
  }
  for (const root of [...moduleRoots, ...homeRoots(from)]) {
    const found = fileOfModule(files, joinPath(root, ...rest));
    if (found !== undefined && found !== from) return found;
  }
  return undefined;
}

/** The folders beside `dags` where the scheduler's home is not the workspace root: `src/dags`, `src/plugins`. */
function homeRoots(from: string): readonly string[] {
  const home = /^(.+)\/(?:dags|plugins)\//.exec(from)?.[1];
  return home === undefined ? [] : ['plugins', 'dags', 'include', 'config', 'src'].map((name) => `${home}/${name}`);
}

/** The file of an absolute name below a folder that the Python itself has put on its path. */
export const moduleUnder = (files: FileSet, folder: string, name: string): string | undefined =>
  name.startsWith('.') ? undefined : fileOfModule(files, joinPath(folder, ...name.split('.')));

function fileOfModule(files: FileSet, path: string): string | undefined {
  if (path === '') return undefined;
  for (const candidate of [`${path}.py`, `${path}/__init__.py`])
    if (files.read(candidate) !== undefined) return candidate;
  return undefined;
}

export const folderOf = (path: string): string => {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
};

/** Joins with `/`, without empty parts. */
export const joinPath = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/');
