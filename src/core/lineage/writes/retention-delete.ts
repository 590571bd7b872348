import type { SqlExpression } from '../../sql/model/expression.ts';
import { within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { Span } from '../../text/span.ts';

/**
 * A DELETE (or soft delete) of what has grown old: everything in it that moves with time, the clock or the interval,
 * bounds a column from above only. What it removes is meant to move on, and it makes room for no interval.
 */
export function isRetentionDelete(statement: Statement): boolean {
  const asksClock = (span: Span): boolean =>
    statement.nondeterministic.some(
      (call) => call.family === 'clock' && span.start <= call.start && call.end <= span.end,
    );
  const moves = (expression: SqlExpression): boolean => asksClock(expression) || hasHole(expression);
  const soft =
    statement.kind === 'update' &&
    statement.assignments.every(({ value }) => value.kind === 'literal' || asksClock(value)) &&
    statement.where.some(asksClock);
  if (statement.kind !== 'delete' && !soft) return false;
  const moving = statement.where.filter(moves);
  return moving.length > 0 && moving.every((conjunct) => boundsFromAbove(conjunct, moves));
}

const hasHole = (expression: SqlExpression): boolean =>
  within(expression).some((one) => one.kind === 'hole' || one.kind === 'template-string');

function boundsFromAbove(conjunct: SqlExpression, moves: (expression: SqlExpression) => boolean): boolean {
  // `id IN (SELECT id FROM leavers WHERE left_at < now())`: whatever else chooses them, all of the rows have grown old.
  if (conjunct.kind === 'in' || conjunct.kind === 'exists') {
    if (conjunct.negated || conjunct.query === undefined) return false;
    const moving = [...conjunct.query.where, ...conjunct.query.from.flatMap(({ on }) => on)].filter(moves);
    return moving.length > 0 && moving.every((one) => boundsFromAbove(one, moves));
  }
  if (conjunct.kind !== 'binary') return false;
  const { left, right, operator } = conjunct;
  if (operator === 'and' || operator === 'or') {
    return [left, right].every((side) => !moves(side) || boundsFromAbove(side, moves));
  }
  if (moves(left) && moves(right)) return false;
  // Also for an age, `now() - created_at > interval '30 days'`: the column gets older on the side of the clock.
  return (moves(left) ? ['>', '>='] : ['<', '<=']).includes(operator);
}
