import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileSet } from '../../core/pipeline/model/model.ts';
import type { Problem } from '../../core/text/span.ts';
import { discoverFiles, reasonOf } from './discover-files.ts';

/** The files of a workspace as they were when first read; what could not be read is said in `problems`. */
export interface DiskFiles {
  readonly root: string;
  readonly files: FileSet;
  /** Grows while files are read. */
  readonly problems: readonly Problem[];
}

/** Looks a workspace up on disk; contents are read when a reader first asks, and kept. */
export function diskFiles(root: string): DiskFiles {
  const found = discoverFiles(root);
  const problems = [...found.problems];
  const known = new Set(found.paths);
  const texts = new Map<string, string | undefined>();
  return {
    root,
    problems,
    files: {
      paths: () => found.paths,
      read(path) {
        if (!known.has(path)) return undefined;
        if (!texts.has(path)) texts.set(path, readText(root, path, problems));
        return texts.get(path);
      },
    },
  };
}

/** The text without a byte order mark; `undefined` and a problem when it is not UTF-8 or cannot be read. */
export function readText(root: string, path: string, problems: Problem[]): string | undefined {
  const complain = (message: string): undefined => {
    problems.push({ message, at: { file: path, start: 0, end: 0 }, severity: 'warning' });
    return undefined;
  };
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(join(root, path));
  } catch (error) {
    return complain(`not read: ${reasonOf(error)}`);
  }
  const foreign = 'not read: it is not UTF-8 text; save it as UTF-8';
  // UTF-16 of plain English is valid UTF-8 with a NUL behind each letter.
  if (bytes.includes(0)) return complain(foreign);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return complain(foreign);
  }
}
