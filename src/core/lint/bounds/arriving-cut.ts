import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { blocksBelow, filtersIn, within } from '../../sql/model/sql-search.ts';
import type { StatementView } from '../source/statement-view.ts';
import { comparisonOf, mentionsColumn } from './comparison.ts';
import { isOfRun } from './interval-columns.ts';

/** A bound of the interval on what a statement reads, whose column comes out among its rows. */
export interface ArrivingCut {
  readonly conjunct: SqlExpression;
  readonly column: string;
}

/**
 * The bound by which a query takes one interval's rows: from below, so that it is a share of all there are, and by a
 * column that its rows still have, or that they get as a constant of the interval. Of rows without a date nothing tells
 * that another interval's should be beside them.
 */
export function arrivingCut(view: StatementView): ArrivingCut | undefined {
  const { query } = view.statement;
  if (query === undefined) return undefined;
  const outputs = [query, ...query.then.map((next) => next.query)];
  for (const block of blocksBelow(query)) {
    for (const conjunct of filtersIn(block)) {
      const found = comparisonOf(conjunct);
      if (found?.low === undefined || !isOfRun(view, found.low.value)) continue;
      const column = found.column.name;
      if (outputs.some((one) => brings(view, one, column))) return { conjunct, column };
    }
  }
  return undefined;
}

const brings = (view: StatementView, { select }: QueryBlock, column: string): boolean =>
  select.some(
    ({ expression }) =>
      expression.kind === 'star' ||
      mentionsColumn(expression, column) ||
      (isConstant(expression) && isOfRun(view, expression)),
  );

const isConstant = (expression: SqlExpression): boolean =>
  !within(expression).some((one) => one.kind === 'column' || one.kind === 'subquery');
