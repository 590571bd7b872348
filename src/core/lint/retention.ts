import type { SqlExpression } from '../sql/expression.ts';
import type { Statement } from '../sql/statement.ts';
import { within } from './sql-search.ts';

const clockNames =
  /^(pg_catalog\.)?(now|current_timestamp|current_date|current_time|localtimestamp|localtime|statement_timestamp|transaction_timestamp|clock_timestamp|getdate|getutcdate|sysdate|systimestamp|sysdatetime|curdate|curtime|utc_timestamp|utc_date|unix_timestamp|today|current_datetime|to_timestamp_tz)$/;

/** Whether a call by this name reads the clock. */
export const isClockName = (name: string): boolean => clockNames.test(name.toLowerCase());

/** Whether an expression asks the clock, at any depth outside subqueries. */
export const readsClock = (expression: SqlExpression): boolean => {
  for (const one of within(expression)) {
    if (one.kind === 'call' && isClockName(one.name)) return true;
    if (one.kind === 'column' && isClockName(one.name)) return true;
  }
  return false;
};

/**
 * A DELETE (or soft delete) of what has grown old: every clock call bounds a column from above only. What it removes
 * is meant to follow the clock, and it protects no interval.
 */
export function isRetention(statement: Statement): boolean {
  const soft =
    statement.kind === 'update' &&
    statement.assignments.every(({ value }) => value.kind === 'literal' || readsClock(value));
  if (statement.kind !== 'delete' && !soft) return false;
  const clocked = statement.where.filter(readsClock);
  return clocked.length > 0 && clocked.every(boundsFromAbove);
}

function boundsFromAbove(conjunct: SqlExpression): boolean {
  if (conjunct.kind !== 'binary') return false;
  const clockOnRight = readsClock(conjunct.right);
  const clockOnLeft = readsClock(conjunct.left);
  if (/^(and|or)$/i.test(conjunct.operator)) {
    return [conjunct.left, conjunct.right].every((side) => !readsClock(side) || boundsFromAbove(side));
  }
  if (clockOnLeft && clockOnRight) return false;
  // `now() - created_at > interval '30 days'` is an age: the column is on the clock's side.
  const clockSide = clockOnLeft ? conjunct.left : conjunct.right;
  const isAge = [...within(clockSide)].some((one) => one.kind === 'column' && !isClockName(one.name));
  const above = clockOnRight !== isAge ? ['<', '<='] : ['>', '>='];
  return above.includes(conjunct.operator);
}
