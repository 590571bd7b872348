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
  /** A rule or a trigger of the database takes what is written to it elsewhere. */
  readonly redirected?: true;
}

/** `undefined`: no view, or one that is materialised, whose rows are those of its last refresh. */
export function viewDefinition(statement: Statement, sql: TaskSql): ViewDefinition | undefined {
  return isMaterialized(statement, sql) ? undefined : definitionIn(statement, sql);
}

/** What a refresh of a materialised view reads; `undefined` for every other statement. */
export const materializedDefinition = (statement: Statement, sql: TaskSql): ViewDefinition | undefined =>
  isMaterialized(statement, sql) ? definitionIn(statement, sql) : undefined;

const isMaterialized = ({ kind, head }: Statement, { source }: TaskSql): boolean =>
  kind === 'create_view' && /\bmaterialized\b/i.test(source.text.slice(head.start, head.end));

function definitionIn({ kind, query, target }: Statement, sql: TaskSql): ViewDefinition | undefined {
  if (kind !== 'create_view' || query === undefined || target === undefined) return undefined;
  const context = sqlContext(sql, 'UTC');
  return { query, columns: columnList(context.text.slice(target.end, query.start)), context };
}

/** `(day, "Net", total COMMENT 'all of it')` behind the name of a view: each entry begins with its name. */
function columnList(text: string): readonly string[] {
  const list = /^\s*\(([\s\S]*?)\)\s*(?:as|comment|with|options|security|sql|tblproperties)\b/i.exec(text)?.[1] ?? '';
  return [...list.matchAll(/(?:^|,)\s*(?:(\w+)|["`]([^"`]+)["`])/g)].map(([, bare, quoted]) =>
    bare === undefined ? (quoted ?? '') : bare.toLowerCase(),
  );
}
