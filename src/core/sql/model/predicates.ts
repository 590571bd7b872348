import type { SqlExpression } from './expression.ts';
import type { Statement } from './statement.ts';

/** A condition with a bare column on its left: what an outermost WHERE says about the rows themselves. */
export interface ColumnPredicate {
  readonly column: string;
  readonly operator: string;
  readonly expression: SqlExpression;
}

/**
 * Conjuncts of the outermost WHERE that have a bare column on their left; joins, common and derived tables are not
 * looked into.
 */
export const mainPredicates = (statement: Statement): readonly ColumnPredicate[] =>
  [...statement.where, ...(statement.kind === 'merge' ? [] : (statement.query?.where ?? []))].flatMap((expression) => {
    const predicate = columnPredicate(expression);
    return predicate === undefined ? [] : [predicate];
  });

export function columnPredicate(expression: SqlExpression): ColumnPredicate | undefined {
  const found = (left: SqlExpression, operator: string): ColumnPredicate | undefined =>
    left.kind === 'column' ? { column: left.name, operator, expression } : undefined;
  switch (expression.kind) {
    case 'binary':
      return expression.operator === 'or' ? undefined : found(expression.left, expression.operator);
    case 'between':
      return found(expression.operand, expression.negated ? 'not between' : 'between');
    case 'in':
      return found(expression.operand, expression.negated ? 'not in' : 'in');
    case 'unary':
      return expression.operator.startsWith('is ') ? found(expression.operand, expression.operator) : undefined;
    default:
      return undefined;
  }
}
