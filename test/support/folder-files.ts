import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileSet } from '../../src/core/pipeline/model/model.ts';

/** The text of every file below a folder, by its path from there with `/`. */
export function folderFiles(folder: URL): Map<string, string> {
  const root = fileURLToPath(folder);
  const files = new Map<string, string>();
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8'));
  }
  return files;
}

export const fileSetOf = (files: ReadonlyMap<string, string>): FileSet => ({
  read: (path) => files.get(path),
  paths: () => [...files.keys()],
});
