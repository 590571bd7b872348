import type { FileSet } from '../../model.ts';
import { folderOf, joinPath } from '../../python/module-path.ts';

/** The format of a SQL file that belongs to another tool and is not a task by itself; `undefined` for plain SQL. */
export function foreignFormat(path: string, text: string, files: FileSet): 'dbt' | 'SQLMesh' | 'Bruin' | undefined {
  if (/\/\*\s*@bruin\b|^\s*--\s*@bruin\b/m.test(text)) return 'Bruin';
  if (/^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:MODEL|AUDIT)\s*\(/.test(text)) return 'SQLMesh';
  if (
    /\{\{-?\s*(?:config|ref|source)\s*\(|\{%-?\s*(?:macro|snapshot|test|materialization|if\s+is_incremental)\b/.test(
      text,
    )
  )
    return 'dbt';
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    if (files.read(joinPath(folder, 'dbt_project.yml')) !== undefined) return 'dbt';
    if (folder === '') return undefined;
  }
}
