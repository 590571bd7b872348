import type { TaskSql } from '../../pipeline/model/model.ts';
import type { QueryBlock } from '../../sql/model/expression.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { type SqlContext, sqlContext } from '../times/sql-context.ts';

/** A view: who reads it reads the tables of its query, then and there. */
export interface ViewDefinition {
  readonly query: QueryBlock;
  /** Names of its columns, where it gives its own. */
  readonly columns: readonly string[];
  /** Of the text that defines it; the calendars are the reader's. */
  readonly context: SqlContext;
}

/** `undefined`: no view, or one that is materialised, whose rows are those of its last refresh. */
export function viewDefinition(statement: Statement, sql: TaskSql): ViewDefinition | undefined {
  const { kind, query, head, target } = statement;
  if (kind !== 'create_view' || query === undefined || target === undefined) return undefined;
  const context = sqlContext(sql, 'UTC');
  if (/\bmaterialized\b/i.test(context.text.slice(head.start, head.end))) return undefined;
  return { query, columns: columnList(context.text.slice(target.end, query.start)), context };
}

/** `(day, "Net", total COMMENT 'all of it')` behind the name of a view: each entry begins with its name. */
function columnList(text: string): readonly string[] {
  const list = /^\s*\(([\s\S]*?)\)\s*(?:as|comment|with|options|security|sql|tblproperties)\b/i.exec(text)?.[1] ?? '';
  return [...list.matchAll(/(?:^|,)\s*(?:(\w+)|["`]([^"`]+)["`])/g)].map(([, bare, quoted]) =>
    bare === undefined ? (quoted ?? '') : bare.toLowerCase(),
  );
}
