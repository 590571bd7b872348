import type { SqlExpression } from '../../sql/model/expression.ts';
import { within } from '../../sql/model/sql-search.ts';
import { holesIn } from '../bounds/interval-columns.ts';
import type { StatementView } from '../source/statement-view.ts';

/** Why a value is another one in each run. */
export interface Volatile {
  readonly kind: 'random' | 'sequence' | 'unordered';
  /** As it is called, e.g. `gen_random_uuid()`. */
  readonly name: string;
}

/** What makes a value another one in each run, the clock left out, of which another rule speaks. */
export function volatileValue(view: StatementView, expression: SqlExpression): Volatile | undefined {
  for (const { start, end, family, name } of view.statement.nondeterministic)
    if (family !== 'clock' && expression.start <= start && end <= expression.end)
      return { kind: family, name: family === 'sequence' && name === 'nextval' ? 'a sequence' : `${name}()` };
  const hole = holesIn(view, expression).find(({ source }) => randomInPython.test(source));
  if (hole !== undefined) return { kind: 'random', name: hole.source };
  return within(expression).some(isUnordered) ? { kind: 'unordered', name: 'row_number()' } : undefined;
}

const randomInPython = /\buuid\.?(?:uuid)?[14]?\s*\(|\brandom\.\w+\s*\(|\bsecrets\.\w+\s*\(/;

/** `row_number() OVER ()`, `OVER (ORDER BY 1)`, `OVER (ORDER BY (SELECT NULL))`. */
export const isUnordered = (expression: SqlExpression): boolean =>
  expression.kind === 'call' &&
  expression.name === 'row_number' &&
  expression.window !== undefined &&
  !expression.window.isNamed &&
  (expression.window.orderBy?.by ?? []).every(isConstant);

/** Says nothing of the row. */
export const isConstant = (expression: SqlExpression): boolean =>
  expression.kind === 'literal' ||
  (expression.kind === 'subquery' &&
    expression.query.from.length === 0 &&
    expression.query.select.every((item) => item.expression.kind === 'literal'));
