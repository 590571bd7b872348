import type { SqlExpression } from '../../sql/model/expression.ts';
import { walkInside } from '../../sql/model/walk.ts';
import type { ColumnName } from './column-range.ts';

/** Columns of the row itself that an expression names, each once; those of subqueries are of other rows. */
export function columnsIn(expression: SqlExpression): readonly ColumnName[] {
  const found = new Map<string, ColumnName>();
  walkInside(expression, (inner, query) => {
    if (query !== undefined || inner.kind !== 'column') return;
    found.set(JSON.stringify([inner.qualifier ?? '', inner.name]), { qualifier: inner.qualifier, name: inner.name });
  });
  return [...found.values()];
}
