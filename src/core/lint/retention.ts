import type { SqlExpression } from '../sql/expression.ts';
import type { Statement } from '../sql/statement.ts';
import type { Span } from '../text/span.ts';
import { within } from './sql-search.ts';

/**
 * A DELETE (or soft delete) of what has grown old: every clock call bounds a column from above only. What it removes
 * is meant to follow the clock, and it protects no interval.
 */
export function isRetention(statement: Statement): boolean {
  const readsClock = (span: Span): boolean =>
    statement.nondeterministic.some(
      (call) => call.family === 'clock' && span.start <= call.start && call.end <= span.end,
    );
  const soft =
    statement.kind === 'update' &&
    statement.assignments.every(({ value }) => value.kind === 'literal' || readsClock(value));
  if (statement.kind !== 'delete' && !soft) return false;
  const clocked = statement.where.filter(readsClock);
  return clocked.length > 0 && clocked.every((conjunct) => boundsFromAbove(conjunct, readsClock));
}

function boundsFromAbove(conjunct: SqlExpression, readsClock: (span: Span) => boolean): boolean {
  if (conjunct.kind !== 'binary') return false;
  const { left, right, operator } = conjunct;
  if (operator === 'and' || operator === 'or') {
    return [left, right].every((side) => !readsClock(side) || boundsFromAbove(side, readsClock));
  }
  if (readsClock(left) && readsClock(right)) return false;
  // `now() - created_at > interval '30 days'` is an age: the column is on the clock's side.
  const clockSide = readsClock(left) ? left : right;
  const isAge = within(clockSide).some((one) => one.kind === 'column');
  const above = readsClock(right) !== isAge ? ['<', '<='] : ['>', '>='];
  return above.includes(operator);
}
