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

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const stem = (path: string): string => baseName(path).replace(/(?<=.)\.[^.]*$/, '');
