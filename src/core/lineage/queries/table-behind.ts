import type { ViewDefinition } from './view-definition.ts';

/** The one table whose rows a view shows, each as it is, so that what is written to the view is written there. */
export interface TableBehind {
  readonly table: string;
  /** A view on the way leaves rows of the table out. */
  readonly isFiltered: boolean;
}

/** Views over views beyond this are not followed. */
const maxDepth = 8;

/**
 * The table behind a view whose rows the server writes there by itself: one table, columns as they are and under their own
 * names, nothing that joins rows or makes new ones. `undefined` for every other view and for what is none.
 */
export function tableBehind(
  name: string,
  viewOf: (table: string) => ViewDefinition | undefined,
): TableBehind | undefined {
  let table = name;
  let isFiltered = false;
  for (let depth = 0; depth < maxDepth; depth++) {
    const view = viewOf(table);
    if (view === undefined) return depth === 0 ? undefined : { table, isFiltered };
    const { query } = view;
    const [from, more] = query.from;
    if (from?.kind !== 'table' || more !== undefined || from.cte !== undefined || from.table.templated)
      return undefined;
    if (view.redirected === true || !showsRowsAsTheyAre(view)) return undefined;
    isFiltered ||= query.where.length > 0;
    table = from.table.name;
  }
  return undefined;
}

function showsRowsAsTheyAre({ query, columns }: ViewDefinition): boolean {
  const { select, groupBy, having, qualify, limit, then, distinct, distinctOn = [] } = query;
  if (distinct || limit !== undefined || query.with.length > 0) return false;
  if ([groupBy, having, qualify, then, distinctOn].some(({ length }) => length > 0)) return false;
  return select.every(({ expression, name }, index) =>
    expression.kind === 'star'
      ? columns.length === 0
      : expression.kind === 'column' && (columns[index] ?? name) === expression.name,
  );
}
