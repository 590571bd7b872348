import type { SqlExpression } from '../../sql/model/expression.ts';
import type { SqlContext } from '../times/sql-context.ts';
import { readingsOfText } from '../times/template-time.ts';
import type { TimeReadings } from '../times/time-readings.ts';
import { timeOfParts } from './date-parts.ts';

/**
 * The time that a text names with more around it: `'p{{ ds_nodash }}'`, `'dt={{ ds }}'`,
 * `'year={{ logical_date.year }}/month={{ logical_date.month }}'`. Such a text can be equal to another one; what lies
 * before and behind it in order is not that of the times.
 */
export function namedTime(expression: SqlExpression, context: SqlContext): TimeReadings | undefined {
  if (expression.kind === 'cast') return namedTime(expression.operand, context);
  if (expression.kind !== 'template-string') return undefined;
  const holes = expression.holes.flatMap((index) => context.holes[index] ?? []);
  const [only, more] = holes;
  if (only === undefined || holes.length !== expression.holes.length) return undefined;
  if (more !== undefined) return timeOfParts(holes, context);
  const time = only.value.kind === 'time' ? readingsOfText(only.value) : undefined;
  return time?.unit === undefined ? undefined : time;
}
