import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { WorkspaceReading } from '../../core/pipeline/model/workspace-reading.ts';
import { UsageError } from '../terminal/shell.ts';

/** Which workspace is read for the paths that were given, and which of its files are spoken of. */
export interface CheckScope {
  /** Absolute. */
  readonly root: string;
  /** The root is where the command was called, so names need no change. */
  readonly isRoot: boolean;
  /** The files below the given paths, with the files whose text their tasks run; relative to the root. */
  choose(reading: WorkspaceReading): ReadonlySet<string>;
  /** Whether a file lies below the given paths, also one that no reader could read. */
  isBelow(file: string): boolean;
  /**
   * From a path relative to the root to one relative to where the command was called, and back: there a terminal opens
   * it, and there the annotations of CI look for it.
   */
  toShown(file: string): string;
  fromShown(file: string): string;
}

/**
 * One folder is a workspace of its own, unless a `backfill.yaml` stands above it, or it is the `dags` of a project. Files, and several paths, are read
 * with everything around them: up to the nearest `backfill.yaml` or `.git`, else the current folder if it holds them.
 */
export function checkScope(paths: readonly string[], cwd: string): CheckScope {
  const given = paths.map((path) => ({ path: resolve(cwd, path), isFolder: isFolder(path, cwd) }));
  const [first] = given;
  const folder = given.length === 1 && first?.isFolder === true ? first.path : undefined;
  const common = commonFolder(given.map((one) => (one.isFolder ? one.path : dirname(one.path))));
  const root = folder === undefined ? rootAround(common, cwd) : (upwards(folder, configNames) ?? projectOf(folder));
  const wanted = given.map(({ path }) => slashed(relative(root, path)));
  const isWanted = (file: string): boolean =>
    wanted.some((one) => one === '' || file === one || file.startsWith(`${one}/`));
  return {
    root,
    isRoot: resolve(cwd) === root,
    choose(reading) {
      const files = reading.files.filter(({ file }) => isWanted(file));
      // A file that was asked for is spoken of even when no reader made anything of it.
      return new Set([...files.map(({ file }) => file), ...files.flatMap(({ dependsOn }) => dependsOn), ...wanted]);
    },
    isBelow: isWanted,
    toShown: (file) => slashed(relative(cwd, join(root, file))),
    fromShown: (file) => slashed(relative(root, join(cwd, file))),
  };
}

/** The DAG folder of an Airflow is a part of its project: beside it stand the modules and the SQL that DAGs take from there. */
const projectOf = (folder: string): string => (basename(folder) === 'dags' ? dirname(folder) : folder);

const configNames = ['backfill.yaml', 'backfill.yml'];

function isFolder(path: string, cwd: string): boolean {
  const absolute = resolve(cwd, path);
  if (!existsSync(absolute)) throw new UsageError(`there is no file or folder ${path}`);
  return statSync(absolute).isDirectory();
}

const rootAround = (folder: string, cwd: string): string =>
  upwards(folder, configNames) ?? upwards(folder, ['.git']) ?? (isInside(folder, cwd) ? cwd : folder);

/** The nearest folder upwards, itself included, that holds one of the names. */
function upwards(from: string, names: readonly string[]): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (names.some((name) => existsSync(join(folder, name)))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function commonFolder(folders: readonly string[]): string {
  let common = folders[0] ?? '';
  for (const folder of folders) while (!isInside(folder, common)) common = dirname(common);
  return common;
}

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

const slashed = (path: string): string => path.split(sep).join('/');
