import { withoutLeadingComments } from '../../../sql/lex/leading-comments.ts';
import type { FileSet } from '../../model/model.ts';
import { folderOf, joinPath } from '../../python/library/module-path.ts';

/** The format of a SQL file that belongs to another tool and is not a task by itself; `undefined` for plain SQL. */
export function foreignFormat(path: string, text: string, files: FileSet): 'dbt' | 'SQLMesh' | 'Bruin' | undefined {
  if (/\/\*\s*@bruin\b|^[ \t]*--\s*@bruin\b/m.test(text)) return 'Bruin';
  if (/^(?:MODEL|AUDIT)\s*\(/.test(withoutLeadingComments(text))) return 'SQLMesh';
  if (
    /\{\{-?\s*(?:config|ref|source)\s*\(|\{%-?\s*(?:macro|snapshot|test|materialization|if\s+is_incremental)\b/.test(
      text,
    )
  )
    return 'dbt';
  return belongsToDbt(path, files) ? 'dbt' : undefined;
}

/** Folders that dbt reads or writes when its project file names no others. */
const usualFolders: ReadonlySet<string> = new Set([
  'models',
  'snapshots',
  'tests',
  'analyses',
  'analysis',
  'macros',
  'seeds',
  'data',
  'target',
  'dbt_packages',
  'dbt_modules',
]);

/** Whether the file lies in a folder of a dbt project around it; other folders beside `dbt_project.yml` are not dbt's. */
function belongsToDbt(path: string, files: FileSet): boolean {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const project = files.read(joinPath(folder, 'dbt_project.yml'));
    if (project !== undefined) {
      const inside = folder === '' ? path : path.slice(folder.length + 1);
      if (usualFolders.has(inside.split('/')[0] ?? '') && inside.includes('/')) return true;
      if (namedFolders(project).some((named) => inside.startsWith(`${named}/`))) return true;
    }
    if (folder === '') return false;
  }
}

/** `model-paths: ["a", "b"]`, in one line or as a list below. */
const namedFolders = (project: string): readonly string[] =>
  [...project.matchAll(/^[\w-]+-paths:[ \t]*(?:\[([^\]]*)\]|((?:\r?\n[ \t]*-[^\r\n]*)+))/gm)].flatMap(
    ([, inline, below]) =>
      (inline?.split(',') ?? below?.split(/\r?\n[ \t]*-/) ?? [])
        .map((name) =>
          name
            .replace(/\s#.*$/, '')
            .trim()
            .replace(/^["']|["']$/g, '')
            .replace(/\/$/, ''),
        )
        .filter((name) => name !== ''),
  );
