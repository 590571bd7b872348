import type { FileSet } from './model.ts';

/** Numbers for paths that files look for and do not find: the same few hundred for each file of a folder. */
export class PathNumbers {
  private readonly numbers = new Map<string, number>();
  private readonly paths: string[] = [];

  of(path: string): number {
    const known = this.numbers.get(path);
    if (known !== undefined) return known;
    const number = this.paths.length;
    this.numbers.set(path, number);
    this.paths.push(path);
    return number;
  }

  path(number: number): string {
    return this.paths[number] ?? '';
  }
}

/** What a reading looked at, kept small: it stays for as long as the reading does. */
export interface LookedAt {
  /** Text by path. */
  readonly found: ReadonlyMap<string, string>;
  /** Numbers of the paths at which there was nothing. */
  readonly missing: Uint32Array;
}

/** Remembers which files a reading looked at, found or not, so that it is known when the reading is out of date. */
export interface RecordingFileSet extends FileSet {
  lookedAt(): LookedAt;
  /** True when the reading depended on which files there are. */
  readonly sawPaths: boolean;
}

export function recordingFileSet(files: FileSet, numbers: PathNumbers): RecordingFileSet {
  const found = new Map<string, string>();
  const missing = new Set<number>();
  let sawPaths = false;
  return {
    lookedAt: () => ({ found, missing: Uint32Array.from(missing) }),
    get sawPaths() {
      return sawPaths;
    },
    read(path) {
      const text = files.read(path);
      if (text === undefined) missing.add(numbers.of(path));
      else found.set(path, text);
      return text;
    },
    paths() {
      sawPaths = true;
      return files.paths();
    },
  };
}

/** Whether the same would be found and missed now. */
export function findsTheSame({ found, missing }: LookedAt, files: FileSet, numbers: PathNumbers): boolean {
  for (const [path, text] of found) if (files.read(path) !== text) return false;
  for (const number of missing) if (files.read(numbers.path(number)) !== undefined) return false;
  return true;
}
