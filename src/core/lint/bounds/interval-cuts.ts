import type { QueryBlock } from '../../sql/model/expression.ts';
import { filtersOf } from '../../sql/model/sql-search.ts';
import type { StatementView } from '../source/statement-view.ts';
import { type Comparison, comparisonOf } from './comparison.ts';
import { usesInterval } from './interval-columns.ts';

/** The conditions by which one block (or a statement without one) cuts one column by the interval. */
export interface IntervalCut {
  readonly block: QueryBlock | undefined;
  readonly column: string;
  readonly comparisons: readonly Comparison[];
}

const known = new WeakMap<StatementView['statement'], readonly IntervalCut[]>();

/** Every such cut of a statement, in the order of its filters; found once, since several rules ask. */
export function intervalCuts(view: StatementView): readonly IntervalCut[] {
  const before = known.get(view.statement);
  if (before !== undefined) return before;
  const found: { block: QueryBlock | undefined; column: string; comparisons: Comparison[] }[] = [];
  for (const { conjunct, block } of filtersOf(view.statement)) {
    const comparison = usesInterval(view, conjunct) ? comparisonOf(conjunct) : undefined;
    if (comparison === undefined) continue;
    const { column } = comparison;
    const same = found.find(
      (one) =>
        one.block === block && one.column === column.name && one.comparisons[0]?.column.qualifier === column.qualifier,
    );
    if (same === undefined) found.push({ block, column: column.name, comparisons: [comparison] });
    else same.comparisons.push(comparison);
  }
  known.set(view.statement, found);
  return found;
}
