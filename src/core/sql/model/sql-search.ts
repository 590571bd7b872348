import type { FromItem, QueryBlock, SqlExpression } from './expression.ts';
import type { Statement } from './statement.ts';
import { walkInside, walkQueries } from './walk.ts';

/** Found once for each expression: rules ask for the same conjuncts again and again. */
const below = new WeakMap<SqlExpression, readonly SqlExpression[]>();

/** The expression and everything below it, queries inside left out. */
export function within(expression: SqlExpression): readonly SqlExpression[] {
  const known = below.get(expression);
  if (known !== undefined) return known;
  const found: SqlExpression[] = [];
  walkInside(expression, (one, query) => {
    if (query === undefined) found.push(one);
  });
  below.set(expression, found);
  return found;
}

/** The queries directly inside an expression: subqueries, EXISTS, IN. */
export const queriesIn = (expression: SqlExpression): readonly QueryBlock[] =>
  within(expression).flatMap((one) =>
    one.kind === 'subquery' || one.kind === 'exists' || one.kind === 'in' ? (one.query ?? []) : [],
  );

/**
 * A block and every block below it: CTEs, derived tables, set operations, subqueries. With `alone` the block's own
 * set operations are left out, as though it were the only branch.
 */
export function blocksBelow(block: QueryBlock, alone = false): readonly QueryBlock[] {
  const found: QueryBlock[] = [];
  const open = [block];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    if (!alone || next !== block) open.push(...next.then.map(({ query }) => query));
    for (const expression of clauses(next)) open.push(...queriesIn(expression));
    for (const item of next.from) if (item.kind === 'query') open.push(item.query);
    open.push(...next.with.map(({ query }) => query));
  }
  return found;
}

const clauses = (block: QueryBlock): readonly SqlExpression[] => [
  ...block.select.map((item) => item.expression),
  ...block.groupBy,
  ...filtersIn(block),
];

/** Every conjunct of a block that decides which rows there are. */
export const filtersIn = (block: QueryBlock): readonly SqlExpression[] => [
  ...block.from.flatMap((item) => item.on),
  ...block.where,
  ...block.having,
  ...block.qualify,
];

/** Found once for each statement: every rule asks, and statements outlive the edits of other files. */
const blocks = new WeakMap<Statement, readonly QueryBlock[]>();
const filters = new WeakMap<Statement, readonly Filter[]>();

/** Every block of the statement, wherever it stands. */
export function blocksOf(statement: Statement): readonly QueryBlock[] {
  const known = blocks.get(statement);
  if (known !== undefined) return known;
  const found: QueryBlock[] = [];
  walkQueries(statement, (block) => found.push(block));
  blocks.set(statement, found);
  return found;
}

/** A conjunct that decides which rows there are, with the block that it belongs to (none for UPDATE, DELETE, MERGE). */
export interface Filter {
  readonly conjunct: SqlExpression;
  readonly block: QueryBlock | undefined;
}

/** Every conjunct of WHERE, ON, HAVING and QUALIFY, in every block of the statement. */
export function filtersOf(statement: Statement): readonly Filter[] {
  const known = filters.get(statement);
  if (known !== undefined) return known;
  const own = [
    ...statement.where,
    ...statement.from.flatMap((item) => item.on),
    ...statement.on,
    ...statement.branches.flatMap((branch) => branch.condition),
    ...(statement.conflict?.where ?? []),
  ];
  const found = [
    ...own.map((conjunct) => ({ conjunct, block: undefined })),
    ...blocksOf(statement).flatMap((block) => filtersIn(block).map((conjunct) => ({ conjunct, block }))),
  ];
  filters.set(statement, found);
  return found;
}

/** Tables that a block names in FROM, CTE names left out. */
export const tablesOf = (block: QueryBlock): readonly Extract<FromItem, { kind: 'table' }>[] =>
  block.from.filter((item) => item.kind === 'table').filter((item) => item.cte === undefined);
