import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
import type { CalendarUnit } from '../../time/zones/calendar.ts';
import { unitArgument } from './interval-value.ts';

/** A unit to cut to. `weekStart`: days from Monday to the day that begins a week; 0 for every other unit. */
export interface CutUnit {
  readonly unit: CalendarUnit;
  readonly weekStart: number;
}

const daysFromMonday: Readonly<Record<string, number>> = {
  monday: 0,
  tuesday: 1,
  wednesday: 2,
  thursday: 3,
  friday: 4,
  saturday: 5,
  sunday: -1,
};

/** The unit that an argument of a truncation names. BigQuery's plain WEEK starts on Sunday, everybody else's on Monday. */
export function cutArgument(expression: SqlExpression | undefined, dialect: DialectName): CutUnit | undefined {
  if (expression?.kind === 'call' && expression.name === 'week') {
    const day = expression.arguments[0];
    const name = day?.kind === 'column' ? day.name.toLowerCase() : '';
    const weekStart = Object.hasOwn(daysFromMonday, name) ? daysFromMonday[name] : undefined;
    return weekStart === undefined ? undefined : { unit: 'week', weekStart };
  }
  const unit = unitArgument(expression);
  if (unit === undefined) return undefined;
  const sundays = dialect === 'bigquery' && expression?.kind === 'column' && expression.name.toLowerCase() === 'week';
  return { unit, weekStart: sundays ? -1 : 0 };
}
