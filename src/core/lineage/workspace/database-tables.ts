import type { DatabaseDefinitions, DatabaseRelation } from '../../pipeline/model/database-definitions.ts';
import { makeTaskSql } from '../../pipeline/model/make-task-sql.ts';
import { oncePer } from '../../pipeline/workspace/memo.ts';
import type { TableKeys } from '../queries/table-columns.ts';
import { type TablePart, tablePart } from '../queries/table-parts.ts';
import type { ViewDefinition } from '../queries/view-definition.ts';
import { sqlContext } from '../times/sql-context.ts';
import type { TableNames } from './find-table.ts';
import type { TableDefinition } from './table-definitions.ts';

/** Definitions of a workspace with those of views that only the database has; what a file says of a table stands. */
export function withDatabaseViews(
  definitions: ReadonlyMap<string, TableDefinition>,
  { relations }: DatabaseDefinitions,
  names: TableNames,
): ReadonlyMap<string, TableDefinition> {
  const all = new Map(definitions);
  for (const relation of new Set(relations.values())) {
    const table = names(relation.name);
    const made = all.has(table) ? undefined : definitionOf(relation);
    if (made !== undefined) all.set(table, made);
  }
  return all;
}

/** What the database has, by its name in the workspace. */
export const storedTables = (
  { relations }: DatabaseDefinitions,
  names: TableNames,
): ReadonlyMap<string, DatabaseRelation> =>
  new Map([...new Set(relations.values())].map((relation) => [names(relation.name), relation]));

/** What the database says of the keys of a table; of what has rows of its own. */
export const storedKeys = oncePer(
  ({
    columns,
    keys,
    partialKeys = [],
    numbered = [],
    filled = [],
    notNull = [],
  }: DatabaseRelation): TableKeys | undefined =>
    keys && {
      columns: columns.map((name) => ({
        name,
        notNull: notNull.includes(name),
        ...(filled.includes(name) ? { isFilled: true as const } : {}),
        ...(numbered.includes(name) ? { isNumbered: true as const } : {}),
      })),
      keys,
      ...(partialKeys.length === 0 ? {} : { partialKeys }),
    },
);

/** The partitions of a table whose days the database tells. */
export const storedParts = oncePer(({ bounds = [] }: DatabaseRelation): readonly TablePart[] =>
  bounds.flatMap(({ name, bound }) => tablePart(name, bound) ?? []),
);

/** What a name means in the database, where it was asked and knows it. */
export const databaseName =
  ({ relations }: DatabaseDefinitions) =>
  (name: string): string =>
    relations.get(name)?.name ?? name;

const definitionOf = oncePer(({ kind, query, columns, redirected }: DatabaseRelation): TableDefinition | undefined => {
  if (query === undefined) return undefined;
  const sql = makeTaskSql({ text: query, pieces: [] }, [], 'postgres', 'imported', { plain: true });
  const block = sql.reading.statements[0]?.query;
  if (block === undefined) return undefined;
  const view: ViewDefinition = {
    query: block,
    columns,
    context: sqlContext(sql, 'UTC'),
    ...(redirected && { redirected }),
  };
  const bare = { columns: [], keys: [], partitionedBy: [], createdAt: undefined };
  return kind === 'materialized view' ? { ...bare, materialized: view } : { ...bare, view };
});
