import type { ColumnReference, FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { type ColumnType, columnType } from '../columns/column-type.ts';
import { isNamed, outputIndex } from '../columns/query-scope.ts';

/** The type of an output column that a query passes on from a table, or casts to. */
export function outputType(
  query: QueryBlock,
  name: string,
  columns: readonly string[],
  typeOf: (item: FromItem, column: string) => ColumnType,
): ColumnType {
  const index = outputIndex(query, name, columns);
  const found = index === undefined ? undefined : query.select[index]?.expression;
  const [only, ...others] = query.from;
  if (found === undefined) {
    const isStar = query.select.some(({ expression }) => expression.kind === 'star');
    return isStar && only !== undefined && others.length === 0 ? typeOf(only, name) : undefined;
  }
  return typeOfExpression(found, ({ qualifier, name: column }) => {
    const owner =
      qualifier !== undefined
        ? query.from.find((item) => isNamed(item, qualifier))
        : others.length === 0
          ? only
          : undefined;
    return owner === undefined ? undefined : typeOf(owner, column);
  });
}

function typeOfExpression(expression: SqlExpression, typeOf: (column: ColumnReference) => ColumnType): ColumnType {
  switch (expression.kind) {
    case 'column':
      return typeOf(expression);
    case 'cast':
      return columnType(expression.type);
    case 'at-time-zone': {
      const type = typeOfExpression(expression.operand, typeOf);
      return type === undefined ? undefined : type === 'timestamptz' ? 'timestamp' : 'timestamptz';
    }
    case 'binary': {
      if (expression.right.kind !== 'interval') return undefined;
      const type = typeOfExpression(expression.left, typeOf);
      return type === 'date' ? 'timestamp' : type;
    }
    case 'call': {
      if (expression.name === 'date' || expression.name === 'to_date') return 'date';
      const operand = expression.name === 'date_trunc' ? expression.arguments[1] : undefined;
      const type = operand === undefined ? undefined : typeOfExpression(operand, typeOf);
      // PostgreSQL takes a date for the moment at which it begins in the session's zone.
      return type === 'date' ? 'timestamptz' : type;
    }
    default:
      return undefined;
  }
}
