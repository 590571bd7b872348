import type { QueryBlock, SqlExpression } from './expression.ts';
import type { Statement } from './statement.ts';

/** What a walk meets on its way; `query` is the innermost block around it, `undefined` outside of queries. */
export interface Visit {
  readonly expression?: (expression: SqlExpression, query: QueryBlock | undefined) => void;
  readonly query?: (query: QueryBlock) => void;
}

type Item =
  | { readonly expression: SqlExpression; readonly query: QueryBlock | undefined }
  | { readonly block: QueryBlock };

/** Every expression of a statement, operands after the whole, in source order within each clause. Never recurses. */
export const walkExpressions = (
  statement: Statement,
  visit: (expression: SqlExpression, query: QueryBlock | undefined) => void,
): void => walk(itemsOfStatement(statement), { expression: visit });

/** Every query block: of the statement itself, its common tables, derived tables, set operations and subqueries. */
export const walkQueries = (statement: Statement, visit: (query: QueryBlock) => void): void =>
  walk(itemsOfStatement(statement), { query: visit });

/** Every expression inside one expression, itself first. */
export const walkInside = (
  expression: SqlExpression,
  visit: (expression: SqlExpression, query: QueryBlock | undefined) => void,
): void => walk([{ expression, query: undefined }], { expression: visit });

function walk(first: readonly Item[], visit: Visit): void {
  const open: Item[] = [...first].reverse();
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    let inner: readonly Item[];
    if ('block' in item) {
      visit.query?.(item.block);
      inner = itemsOfQuery(item.block);
    } else {
      visit.expression?.(item.expression, item.query);
      inner = itemsOfExpression(item.expression, item.query);
    }
    for (let index = inner.length - 1; index >= 0; index--) {
      const next = inner[index];
      if (next !== undefined) open.push(next);
    }
  }
}

const expressions = (list: readonly SqlExpression[], query: QueryBlock | undefined): Item[] =>
  list.map((expression) => ({ expression, query }));

function itemsOfStatement(statement: Statement): Item[] {
  // A MERGE keeps its source query both as `query` and in `from`; an assignment of several columns shares its value.
  const values = new Set(statement.assignments.map((assignment) => assignment.value));
  const ownQuery = statement.from.some((item) => item.kind === 'query' && item.query === statement.query);
  return [
    // A MERGE from a query has them there as well.
    ...(statement.query === undefined ? statement.with.map((table) => ({ block: table.query })) : []),
    ...(statement.query === undefined || ownQuery ? [] : [{ block: statement.query }]),
    ...itemsOfFrom(statement.from, undefined),
    ...expressions(statement.on, undefined),
    ...expressions(statement.where, undefined),
    ...expressions(statement.values, undefined),
    ...expressions([...values], undefined),
    ...expressions([...(statement.conflict?.asked ?? []), ...(statement.conflict?.where ?? [])], undefined),
    ...statement.branches.flatMap((branch) => expressions([...branch.condition, ...branch.values], undefined)),
    ...expressions(statement.partitionBy, undefined),
  ];
}

const itemsOfFrom = (from: QueryBlock['from'], query: QueryBlock | undefined): Item[] =>
  from.flatMap((item) => [...(item.kind === 'query' ? [{ block: item.query }] : []), ...expressions(item.on, query)]);

const itemsOfQuery = (query: QueryBlock): Item[] => [
  ...query.with.map((table) => ({ block: table.query })),
  ...query.select.map((item) => ({ expression: item.expression, query })),
  ...itemsOfFrom(query.from, query),
  ...expressions(query.where, query),
  ...expressions(query.groupBy, query),
  ...expressions(query.having, query),
  ...expressions(query.qualify, query),
  ...query.then.map((next) => ({ block: next.query })),
];

function itemsOfExpression(expression: SqlExpression, query: QueryBlock | undefined): Item[] {
  switch (expression.kind) {
    case 'interval':
    case 'case':
    case 'opaque':
      return expressions(expression.parts, query);
    case 'cast':
    case 'unary':
      return expressions([expression.operand], query);
    case 'at-time-zone':
      return expressions([expression.operand, expression.zone], query);
    case 'call':
      return expressions(expression.arguments, query);
    case 'binary':
      return expressions([expression.left, expression.right], query);
    case 'between':
      return expressions([expression.operand, expression.low, expression.high], query);
    case 'in':
      return [
        ...expressions([expression.operand, ...expression.list], query),
        ...(expression.query === undefined ? [] : [{ block: expression.query }]),
      ];
    case 'exists':
    case 'subquery':
      return [{ block: expression.query }];
    default:
      return [];
  }
}
