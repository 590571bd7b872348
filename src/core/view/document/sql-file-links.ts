import type { Task, TaskSql } from '../../pipeline/model/model.ts';
import type { SourceSpan } from '../../text/span.ts';

/** The name of a SQL file in an argument of a task, and the file that is meant. */
export interface SqlFileLink {
  readonly at: SourceSpan;
  readonly file: string;
  readonly sql: TaskSql;
}

/** A string that may name a file: a path without spaces that ends like one. */
const literals = /(["'])((?:\.{0,2}\/)?[\w./{}-]+\.(?:sql|hql|ddl|j2|jinja2?))\1/g;

/** Where a file of pipelines names the SQL files of a task. `text` is that of the file. */
export function sqlFileLinks(task: Task, file: string, text: string): readonly SqlFileLink[] {
  const files = new Map<string, TaskSql>();
  for (const sql of task.sql) {
    if (sql.origin !== 'file') continue;
    for (const { source } of sql.source.pieces) if (source.file !== file) files.set(source.file, sql);
  }
  if (files.size === 0 || task.at.file !== file) return [];
  return [...text.slice(task.at.start, task.at.end).matchAll(literals)].flatMap((match): readonly SqlFileLink[] => {
    const name = (match[2] ?? '').replace(/^(?:\.{0,2}\/)+/, '');
    const found = [...files].find(([path]) => path === name || path.endsWith(`/${name}`));
    if (found === undefined) return [];
    const start = task.at.start + match.index + 1;
    return [{ at: { file, start, end: start + (match[2] ?? '').length }, file: found[0], sql: found[1] }];
  });
}
