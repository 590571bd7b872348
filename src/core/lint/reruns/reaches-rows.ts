import { isNamed, queryOf } from '../../lineage/columns/query-scope.ts';
import type { CommonTable, FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { blocksOf, filtersIn, within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { Span } from '../../text/span.ts';

/**
 * Whether what an expression gives can stand in the rows of a statement: false for a column of a common or derived
 * table that no query above it takes, by its name or with a star.
 */
export function reachesRows(statement: Statement, expression: Span): boolean {
  const blocks = blocksOf(statement);
  const commons = [...statement.with, ...blocks.flatMap((block) => block.with)];
  const inside = (span: Span): boolean => span.start <= expression.start && expression.end <= span.end;
  const innermost = blocks
    .filter((block) => block.select.some((item) => inside(item.expression)))
    .reduce<QueryBlock | undefined>(
      (least, block) => (least === undefined || block.end - block.start <= least.end - least.start ? block : least),
      undefined,
    );
  if (innermost === undefined) return true;
  const at = innermost.select.findIndex((item) => inside(item.expression));
  const open: (readonly [QueryBlock, number])[] = [[innermost, at]];
  const seen = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [block, index] = next;
    const key = `${block.start} ${index}`;
    if (seen.has(key)) continue;
    seen.add(key);
    // A part of a UNION gives its columns by their place, under the names of the first.
    const whole = blocks.find((one) => one.then.some(({ query }) => query === block));
    if (whole !== undefined) {
      open.push([whole, index]);
      continue;
    }
    const uses = usesOf(blocks, commons, block, index);
    if (uses === undefined) return true;
    open.push(...uses);
  }
  return false;
}

/** The select items that take a column of a block; `undefined` where no query stands above it, or its name is not known. */
function usesOf(
  blocks: readonly QueryBlock[],
  commons: readonly CommonTable[],
  block: QueryBlock,
  index: number,
): readonly (readonly [QueryBlock, number])[] | undefined {
  const users = blocks.flatMap((user) => {
    const item = user.from.find((one) => queryOf(one, commons)?.query === block);
    return item === undefined ? [] : [{ user, item, columns: queryOf(item, commons)?.columns ?? [] }];
  });
  if (users.length === 0) return undefined;
  const name = block.select[index]?.name;
  if (name === undefined || block.select.slice(0, index).some(({ expression }) => expression.kind === 'star'))
    return undefined;
  const takes = (expression: SqlExpression, item: FromItem, known: string): boolean =>
    within(expression).some(
      (one) =>
        // What cannot be looked into may take anything.
        /^(?:star|opaque|subquery|hole)$/.test(one.kind) ||
        (one.kind === 'column' && one.name === known && (one.qualifier === undefined || isNamed(item, one.qualifier))),
    );
  // Where it decides which rows there are, it is in them all the same.
  const decides = users.some(({ user, item, columns }) =>
    [...filtersIn(user), ...user.groupBy].some((one) => takes(one, item, columns[index] ?? name)),
  );
  if (decides) return undefined;
  return users.flatMap(({ user, item, columns }) =>
    user.select.flatMap(({ expression }, at) =>
      takes(expression, item, columns[index] ?? name) ? [[user, at] as const] : [],
    ),
  );
}
