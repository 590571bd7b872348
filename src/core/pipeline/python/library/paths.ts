import type { FileSet } from '../../model/model.ts';

/**
 * Paths of the file that is read: `__file__` is its path from the workspace root, so everything built from it is one
 * too. Absolute paths are those of the machine that runs the scheduler.
 */
export function joinWorkspacePath(base: string, tail: string): string {
  if (tail.startsWith('/')) return tail;
  return normalPath(base === '' ? tail : `${base}/${tail}`);
}

/** Resolves `.` and `..`; a path that climbs out of the workspace keeps its leading `..`. */
export function normalPath(path: string): string {
  const absolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return (absolute ? '/' : '') + parts.join('/');
}

/** Stands at the head of a path whose beginning is not known: `os.path.join(FOLDER, "sql/a.sql")`. */
export const unknownRoot = '/?';

/** A folder or file as it is, and for an absolute one each of its tails: `dags/sql`, `sql`. */
export function pathTails(path: string): readonly string[] {
  const normal = normalPath(path);
  if (!normal.startsWith('/')) return [normal];
  const parts = normal.split('/').filter((part) => part !== '' && part !== '?');
  return parts.map((_, index) => parts.slice(index).join('/'));
}

/**
 * The file of the workspace that a path means. A path of the scheduler's machine (`/opt/airflow/dags/sql/a.sql`), or
 * one whose beginning is not known, is matched by its last parts, and must match one file only.
 */
export function workspaceFile(files: FileSet, path: string): string | undefined {
  const tails = pathTails(path);
  for (const tail of tails) if (files.read(tail) !== undefined) return tail;
  const [longest] = tails;
  if (!path.startsWith('/') || longest === undefined || longest === '') return undefined;
  const matching = files.paths().filter((candidate) => candidate.endsWith(`/${longest}`));
  return matching.length === 1 ? matching[0] : undefined;
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const stem = (path: string): string => baseName(path).replace(/(?<=.)\.[^.]*$/, '');
