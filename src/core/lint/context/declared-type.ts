import { type ColumnType, columnType } from '../../lineage/columns/column-type.ts';
import { isNamed } from '../../lineage/columns/query-scope.ts';
import type { ColumnReference, QueryBlock } from '../../sql/model/expression.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';
import { type StatementView, tableKey } from '../source/statement-view.ts';
import type { LintContext } from './lint-context.ts';

/** The type that the definition of its table gives a column; `undefined` where none is at hand, or it is no time. */
export function declaredType(
  context: Pick<LintContext, 'table'>,
  view: StatementView,
  block: QueryBlock | undefined,
  column: ColumnReference,
): ColumnType {
  const table = tableOf(view, block, column.qualifier);
  const known = table && context.table(tableKey(view, table));
  return columnType(known?.columns.find(({ name }) => name.toLowerCase() === column.name)?.type.toLowerCase());
}

/** The table that holds a column of a block, or of a statement without one; `undefined` where several could. */
export function tableOf(
  { statement }: StatementView,
  block: QueryBlock | undefined,
  qualifier: string | undefined,
): TableReference | undefined {
  if (block === undefined) {
    const isOwn = qualifier === undefined || qualifier === statement.targetAlias || statement.from.length === 0;
    return isOwn ? statement.target : undefined;
  }
  const item =
    qualifier === undefined
      ? block.from.length === 1
        ? block.from[0]
        : undefined
      : block.from.find((one) => isNamed(one, qualifier));
  return item?.kind === 'table' && item.cte === undefined ? item.table : undefined;
}
