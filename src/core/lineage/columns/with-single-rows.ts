import type { FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import type { Span } from '../../text/span.ts';
import { isNamed, outputIndex } from './query-scope.ts';

/** The query behind an entry of FROM, with the names that stand behind a common table's own; `undefined` for a table. */
export type QueryOf = (
  item: FromItem,
) => { readonly query: QueryBlock; readonly columns: readonly string[]; readonly queryOf: QueryOf } | undefined;

/** Deeper than any list of parameters that a person writes. */
const maxDepth = 16;

/**
 * `from orders o, (select '{{ ds }}'::date as day) p where o.day = p.day`: a query of one row only gives a name to a value,
 * so its columns stand for that value. What one row holds of a table (`select max(day) from …`) is a subquery.
 */
export function withSingleRows(
  expressions: readonly SqlExpression[],
  from: readonly FromItem[],
  queryOf: QueryOf,
  depth = 0,
): readonly SqlExpression[] {
  const rows = depth > maxDepth ? [] : from.flatMap((item) => rowOf(item, queryOf, depth) ?? []);
  const value = (expression: SqlExpression): SqlExpression => {
    if (expression.kind === 'column') {
      const { qualifier, name } = expression;
      for (const { item, given } of rows) {
        const found = qualifier === undefined || isNamed(item, qualifier) ? given(name) : undefined;
        if (found !== undefined) return found.kind === 'subquery' ? { ...found, ...spanOf(expression) } : found;
      }
      return expression;
    }
    if (expression.kind === 'subquery' && depth < maxDepth) return ofSubquery(expression, queryOf, depth);
    return mapOperands(expression, value);
  };
  return expressions.map(value);
}

interface Row {
  readonly item: FromItem;
  given(column: string): SqlExpression | undefined;
}

function rowOf(item: FromItem, queryOf: QueryOf, depth: number): readonly Row[] | undefined {
  const behind = queryOf(item);
  if (behind === undefined) return undefined;
  const { query, columns, queryOf: inside } = behind;
  const isOfTable = isAggregate(query);
  if (!isOfTable && !isConstant(query, inside, depth)) return undefined;
  const given = (column: string): SqlExpression | undefined => {
    const index = outputIndex(query, column, columns);
    const written = index === undefined ? undefined : query.select[index]?.expression;
    if (written === undefined) return undefined;
    if (isOfTable) return { kind: 'subquery', query, start: query.start, end: query.end };
    return withSingleRows([written], query.from, inside, depth + 1)[0];
  };
  return [{ item, given }];
}

/** `(select day from params)` where params is one row of values. */
function ofSubquery(
  expression: Extract<SqlExpression, { kind: 'subquery' }>,
  queryOf: QueryOf,
  depth: number,
): SqlExpression {
  const { query } = expression;
  const [given, ...others] = query.select;
  const isPlain = query.from.length > 0 && query.with.length === 0 && isConstant(query, queryOf, depth);
  if (given === undefined || others.length > 0 || !isPlain) return expression;
  return withSingleRows([given.expression], query.from, queryOf, depth + 1)[0] ?? expression;
}

const isOneBlock = (query: QueryBlock): boolean =>
  query.then.length === 0 && query.limit === undefined && query.having.length + query.qualify.length === 0;

/** Values alone, or of entries that are one row of values themselves. */
const isConstant = (query: QueryBlock, queryOf: QueryOf, depth: number): boolean =>
  isOneBlock(query) &&
  query.where.length + query.groupBy.length === 0 &&
  query.select.every(({ expression }) => expression.kind !== 'star') &&
  query.from.every((item) => {
    const behind = depth > maxDepth ? undefined : queryOf(item);
    return behind !== undefined && item.on.length === 0 && isConstant(behind.query, behind.queryOf, depth + 1);
  });

/** One row whatever is read: aggregates without GROUP BY. */
const isAggregate = (query: QueryBlock): boolean =>
  isOneBlock(query) &&
  query.from.length > 0 &&
  query.groupBy.length === 0 &&
  query.select.length > 0 &&
  query.select.every(({ expression }) => isAggregated(expression));

const aggregates: ReadonlySet<string> = new Set(['max', 'min', 'count', 'sum', 'avg']);

/** No column outside of an aggregate. */
function isAggregated(expression: SqlExpression): boolean {
  if (expression.kind === 'column' || expression.kind === 'star') return false;
  if (expression.kind === 'call' && (expression.window !== undefined || aggregates.has(expression.name)))
    return expression.window === undefined;
  let isFree = true;
  mapOperands(expression, (operand) => {
    if (!isAggregated(operand)) isFree = false;
    return operand;
  });
  return isFree;
}

const spanOf = ({ start, end }: SqlExpression): Span => ({ start, end });

/** The same expression over other operands; queries inside stay as they are. */
function mapOperands(expression: SqlExpression, change: (operand: SqlExpression) => SqlExpression): SqlExpression {
  switch (expression.kind) {
    case 'interval':
    case 'case':
    case 'opaque':
      return { ...expression, parts: expression.parts.map(change) };
    case 'cast':
    case 'unary':
      return { ...expression, operand: change(expression.operand) };
    case 'at-time-zone':
      return { ...expression, operand: change(expression.operand), zone: change(expression.zone) };
    case 'call':
      return { ...expression, arguments: expression.arguments.map(change) };
    case 'binary':
      return { ...expression, left: change(expression.left), right: change(expression.right) };
    case 'between':
      return {
        ...expression,
        operand: change(expression.operand),
        low: change(expression.low),
        high: change(expression.high),
      };
    case 'in':
      return { ...expression, operand: change(expression.operand), list: expression.list.map(change) };
    default:
      return expression;
  }
}
