import type { FileSet } from '../../core/pipeline/model/model.ts';
import type { Problem } from '../../core/text/span.ts';
import { discoverFiles, isWantedFile } from './discover-files.ts';
import { readText } from './disk-files.ts';

/** The files of a workspace while people edit them: open editors cover the disk, changes on disk are taken in by path. */
export interface LiveFiles {
  readonly files: FileSet;
  readonly problems: readonly Problem[];
  /** Text of an open editor; `undefined` when it was closed and the file on disk counts again. */
  cover(path: string, text: string | undefined): void;
  /** A file was created, changed or deleted on disk; of a folder, that it was deleted. */
  changed(path: string): void;
}

/** Looks a workspace up on disk once; afterwards it is told what changes. */
export function liveFiles(root: string): LiveFiles {
  const found = discoverFiles(root);
  const problems: Problem[] = [...found.problems];
  const known = new Set(found.paths);
  const covers = new Map<string, string>();
  const texts = new Map<string, string | undefined>();
  const onDisk = (path: string): string | undefined => {
    if (!known.has(path)) return undefined;
    if (!texts.has(path)) {
      forget(problems, path);
      texts.set(path, readText(root, path, problems));
    }
    return texts.get(path);
  };
  return {
    problems,
    files: {
      paths: () => [...new Set([...known, ...covers.keys()])],
      read: (path) => covers.get(path) ?? onDisk(path),
    },
    cover(path, text) {
      if (text === undefined) covers.delete(path);
      else covers.set(path, text);
    },
    changed(path) {
      const below = known.has(path) ? [] : [...known].filter((other) => other.startsWith(`${path}/`));
      for (const one of [path, ...below]) {
        texts.delete(one);
        forget(problems, one);
        if (isWantedFile(root, one)) known.add(one);
        else known.delete(one);
      }
    },
  };
}

/** Problems of a file that is read anew. */
function forget(problems: Problem[], path: string): void {
  const kept = problems.filter(({ at }) => at?.file !== path);
  problems.splice(0, problems.length, ...kept);
}
