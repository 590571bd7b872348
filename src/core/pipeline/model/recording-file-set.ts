import type { FileSet } from './model.ts';

/** Remembers which files a reading looked at, found or not, so that it is known when the reading is out of date. */
export interface RecordingFileSet extends FileSet {
  /** Text by path; `undefined` where there was no such file. */
  readonly seen: ReadonlyMap<string, string | undefined>;
  /** True when the reading depended on which files there are. */
  readonly sawPaths: boolean;
}

export function recordingFileSet(files: FileSet): RecordingFileSet {
  const seen = new Map<string, string | undefined>();
  let sawPaths = false;
  return {
    seen,
    get sawPaths() {
      return sawPaths;
    },
    read(path) {
      const text = files.read(path);
      seen.set(path, text);
      return text;
    },
    paths() {
      sawPaths = true;
      return files.paths();
    },
  };
}
