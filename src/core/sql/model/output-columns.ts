import type { QueryBlock, SelectItem } from './expression.ts';

/** Names of the columns that a query gives; `*` stands for columns that only the tables know. */
export const outputColumns = (query: QueryBlock): readonly (string | undefined)[] => query.select.map(nameOfItem);

function nameOfItem(item: SelectItem): string | undefined {
  if (item.name !== undefined) return item.name;
  const { expression } = item;
  // `* EXCLUDE (…)`, `* ILIKE 'a%'`: fewer columns, yet all of them unnamed here.
  const star =
    expression.kind === 'opaque' ? expression.parts[0] : expression.kind === 'binary' ? expression.left : expression;
  return star?.kind === 'star' && item.start === star.start ? '*' : undefined;
}
