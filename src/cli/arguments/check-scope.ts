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
 * The workspace is the folder that is named as one, else what is around the paths: up to the nearest `backfill.yaml`; else of
 * files up to `.git` or the current folder, of a folder inside of that up to what tells a project. The current folder, and
 * one outside of it, are workspaces of their own. `paths`: none for all of it.
 */
export function checkScope(paths: readonly string[], cwd: string, workspace?: string): CheckScope {
  if (workspace !== undefined && !isFolder(workspace, cwd))
    throw new UsageError(`${workspace} is not a folder`, 'name the folder of the pipelines');
  const named = workspace === undefined ? undefined : resolve(cwd, workspace);
  const given = (paths.length > 0 ? paths : [named ?? '.']).map((path) => ({
    path: resolve(cwd, path),
    isFolder: isFolder(path, cwd),
  }));
  const [first] = given;
  const folder = given.length === 1 && first?.isFolder === true ? first.path : undefined;
  const common = commonFolder(given.map((one) => (one.isFolder ? one.path : dirname(one.path))));
  const root = named ?? (folder === undefined ? rootAround(common, cwd) : rootOfFolder(folder, resolve(cwd)));
  const outside = given.find(({ path }) => !isInside(path, root));
  if (outside !== undefined)
    throw new UsageError(`${relative(cwd, outside.path)} is not in the workspace ${workspace ?? root}`);
  const wanted = given.map(({ path }) => slashed(relative(root, path)));
  const isWanted = (file: string): boolean =>
    wanted.some((one) => one === '' || file === one || file.startsWith(`${one}/`));
  return {
    root,
    isRoot: resolve(cwd) === root,
    choose(reading) {
      const files = reading.files.filter(({ file }) => isWanted(file));
      // What tasks of other files run is spoken of where it stands, and a file that was asked for even when no reader made
      // anything of it.
      const run = reading.files.flatMap(({ dependsOn }) => dependsOn.filter(isWanted));
      const own = files.flatMap(({ file, dependsOn }) => [file, ...dependsOn]);
      return new Set([...own, ...run, ...wanted]);
    },
    isBelow: isWanted,
    toShown: (file) => slashed(relative(cwd, join(root, file))),
    fromShown: (file) => slashed(relative(root, join(cwd, file))),
  };
}

/** A folder is a part of the project around it, as far as the current folder; one that is none of a project is read alone. */
function rootOfFolder(folder: string, cwd: string): string {
  const settled = upwards(folder, configNames);
  if (settled !== undefined) return settled;
  const project = folder !== cwd && isInside(folder, cwd) ? upwards(folder, projectMarks) : undefined;
  return project !== undefined && isInside(project, cwd) ? project : projectOf(folder);
}

const projectMarks = ['.git', 'dags', 'pyproject.toml', 'requirements.txt'];

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
