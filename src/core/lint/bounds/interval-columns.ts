import type { SqlExpression } from '../../sql/model/expression.ts';
import { filtersOf, within } from '../../sql/model/sql-search.ts';
import type { Hole } from '../../template/mask/masked-text.ts';
import type { StatementView } from '../source/statement-view.ts';
import { comparisonOf } from './comparison.ts';

/** The template expressions inside an expression of the statement. */
export function holesIn(view: StatementView, expression: SqlExpression): readonly Hole[] {
  const indexes = [...within(expression)].flatMap((one) =>
    one.kind === 'hole' ? [one.hole] : one.kind === 'template-string' ? one.holes : [],
  );
  return indexes.flatMap((index) => view.sql.masked.holes[index] ?? []);
}

/** Whether an expression is a function of the data interval. */
export const usesInterval = (view: StatementView, expression: SqlExpression): boolean =>
  holesIn(view, expression).some((hole) => hole.value.kind === 'time');

/** A function of the interval, or of an argument of a job: each run is given its own. */
export const isOfRun = (view: StatementView, expression: SqlExpression): boolean =>
  holesIn(view, expression).some(
    ({ value }) => value.kind === 'time' || (value.kind === 'parameter' && value.source === 'argument'),
  );

/** Names of the columns that some filter of the statement cuts by the data interval. */
export function intervalColumns(view: StatementView): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { conjunct } of filtersOf(view.statement)) {
    if (!usesInterval(view, conjunct)) continue;
    const found = comparisonOf(conjunct);
    if (found) names.add(found.column.name);
  }
  return names;
}
