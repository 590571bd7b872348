import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../core/text/span.ts';

/** Folders that never hold pipelines of the workspace itself. Folders whose name starts with a dot are skipped too. */
const skippedFolders = new Set(['node_modules', '__pycache__', 'site-packages', 'dist', 'dbt_packages']);

/** Pipelines and their SQL. */
const pipelineFile = /\.(py|hql|sql|sql\.(j2|jinja|jinja2))$/i;
const largestPipelineBytes = 2_000_000;

/** What tells the version and the settings of Airflow, which folders belong to dbt, and the dialect of a folder's SQL. */
const settingsFile =
  /^((requirements|constraints)[\w.-]*\.(txt|in)|pyproject\.toml|setup\.cfg|airflow\.cfg|dbt_project\.yml|\.sqlfluff|(poetry|uv|pdm)\.lock|pipfile(\.lock)?|environment\.ya?ml|([\w.-]+\.)?dockerfile(\.[\w.-]+)?|(docker-)?compose[\w.-]*\.ya?ml)$/i;
const largestSettingsBytes = 20_000_000;

/** Settings that DAG files read for themselves. */
const dataFile = /\.(json|ya?ml)$/i;
const largestDataBytes = 200_000;

/** How large a file may be to be read; `undefined` for files that no reader looks at. */
function mostBytes(name: string): number | undefined {
  if (pipelineFile.test(name)) return largestPipelineBytes;
  if (settingsFile.test(name)) return largestSettingsBytes;
  return dataFile.test(name) ? largestDataBytes : undefined;
}

/** Whether a path is of a file that says something of Airflow, dbt or SQL for other files. */
export const isSettingsFile = (path: string): boolean => settingsFile.test(path.slice(path.lastIndexOf('/') + 1));

const mostFiles = 50_000;

export interface FoundFiles {
  /** Relative to the root, with `/`, sorted. */
  readonly paths: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * Walks a workspace. Virtual environments (a `pyvenv.cfg` inside), vendored and generated folders are left out;
 * symbolic links are followed, each real folder once. What cannot be looked into is a problem, never an exception.
 *
 * It keeps its thread until it is done: thousands of small questions to the disk cost less than the turns between them.
 */
export function discoverFiles(root: string): FoundFiles {
  const paths: string[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const complain = (file: string, message: string): void => {
    problems.push({ message, at: { file, start: 0, end: 0 }, severity: 'warning' });
  };

  const take = (relative: string, name: string): void => {
    const most = mostBytes(name);
    if (most === undefined) return;
    const { size } = statSync(join(root, relative));
    if (size <= most) paths.push(relative);
    // Data that is larger than any settings is nobody's concern.
    else if (most !== largestDataBytes)
      complain(relative, `not read: ${(size / 1e6).toFixed(1)} MB is more than ${most / 1e6} MB`);
  };

  const walk = (relative: string): void => {
    if (paths.length >= mostFiles) return;
    const folder = join(root, relative);
    const real = realpathSync.native(folder);
    if (seen.has(real)) return;
    seen.add(real);
    if (relative !== '' && existsSync(join(folder, 'pyvenv.cfg'))) return;
    const entries = readdirSync(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const child = relative === '' ? entry.name : `${relative}/${entry.name}`;
      try {
        const kind = kindOf(entry, join(root, child));
        if (kind === 'folder' && !entry.name.startsWith('.') && !skippedFolders.has(entry.name)) walk(child);
        else if (kind === 'file') take(child, entry.name);
      } catch (error) {
        complain(child, `not read: ${reasonOf(error)}`);
      }
    }
  };

  try {
    walk('');
  } catch (error) {
    problems.push({ message: `${root} cannot be read: ${reasonOf(error)}`, at: undefined, severity: 'error' });
  }
  if (paths.length >= mostFiles) {
    problems.push({ message: `only the first ${mostFiles} files are read`, at: undefined, severity: 'warning' });
  }
  return { paths: paths.sort(), problems };
}

/**
 * Whether a path would be found by {@link discoverFiles} now; for single files that came or went since. A file that
 * cannot be looked at is not found.
 */
export function isWantedFile(root: string, path: string): boolean {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  const most = mostBytes(name);
  if (most === undefined || parts.some((part) => part.startsWith('.') || skippedFolders.has(part))) return false;
  try {
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size <= most;
  } catch {
    return false;
  }
}

function kindOf(entry: Dirent, path: string): 'file' | 'folder' | 'other' {
  const target = entry.isSymbolicLink() ? statSync(path) : entry;
  return target.isDirectory() ? 'folder' : target.isFile() ? 'file' : 'other';
}

/** The reason of a failed file operation for a person. */
export function reasonOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file or folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ELOOP':
      return 'its symbolic links lead in a circle';
    case 'ENOTDIR':
      return 'it is not a folder';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
