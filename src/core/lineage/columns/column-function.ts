import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
import type { CalendarOffset, CalendarUnit } from '../../time/zones/calendar.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { isDateField, patternUnit } from '../times/date-pattern.ts';
import { scaled, unitArgument } from '../times/interval-value.ts';
import { prefixUnit, timeFunction, zoneArgument } from '../times/time-function.ts';
import { noOffset, unitLength } from '../times/time-readings.ts';
import { type CutUnit, cutArgument } from '../times/week-start.ts';

type Call = Extract<SqlExpression, { kind: 'call' }>;

/** A monotone function of one column. */
export interface ColumnFunction {
  readonly operand: SqlExpression;
  /** The clock that the operand is put on first. */
  readonly zone?: ZoneName;
  /** What is done to the operand, the first thing first. */
  readonly steps: readonly ColumnStep[];
}

/** `undefined` when the call is not one that keeps the order of its operand. */
export function columnFunction(call: Call, dialect: DialectName): ColumnFunction | undefined {
  const name = call.name.split('.').at(-1) ?? '';
  const [first, second, third] = call.arguments;
  if (first === undefined) return undefined;
  const on = (operand: SqlExpression | undefined, ...steps: ColumnStep[]): ColumnFunction | undefined =>
    operand === undefined ? undefined : { operand, steps };
  const other = timeFunction(call, dialect);
  if (other !== undefined) {
    const { operand, isDay, clock } = other;
    const steps = isDay ? [day] : [];
    if (clock === undefined) return { operand, steps };
    // A column on a local clock that is taken to another one is not told apart from one that is in UTC.
    if (clock === 'unknown' || (clock.from !== undefined && clock.from !== 'UTC')) return undefined;
    return { operand, zone: clock.to, steps };
  }
  switch (name) {
    case 'date_trunc':
    case 'timestamp_trunc':
    case 'datetime_trunc':
    case 'trunc':
      return truncated(call, name, dialect);
    case 'last_day': {
      const cut = second === undefined ? { unit: 'month' as const, weekStart: 0 } : cutArgument(second, dialect);
      if (cut === undefined) return undefined;
      return on(first, ...cutSteps(cut), shift(unitLength(cut.unit)), shift({ ...noOffset, days: -1 }));
    }
    case 'to_char':
    case 'date_format':
    case 'format_datetime':
    case 'format_date':
    case 'format_timestamp':
    case 'strftime': {
      const swapped = second?.kind !== 'literal';
      const pattern = swapped ? first : second;
      if (third !== undefined || pattern?.kind !== 'literal') return undefined;
      const found = patternUnit(pattern.text, name, dialect);
      return found === undefined ? undefined : on(swapped ? second : first, { kind: 'cut', unit: found.unit });
    }
    case 'left':
    case 'substr':
    case 'substring': {
      const unit = prefixUnit(call);
      return unit === undefined ? undefined : on(first, { kind: 'cut', unit });
    }
    case 'date_add':
    case 'dateadd':
    case 'timestamp_add':
    case 'datetime_add':
    case 'timestampadd':
    case 'date_sub':
    case 'datesub':
    case 'timestamp_sub':
    case 'datetime_sub': {
      const sign = name.includes('sub') ? -1 : 1;
      if (third !== undefined) {
        const unit = unitArgument(first);
        const amount = second === undefined ? undefined : integer(second);
        return unit === undefined || amount === undefined
          ? undefined
          : on(third, shift(scaled(unitLength(unit), sign * amount)));
      }
      if (second?.kind === 'interval' && second.amount !== undefined) {
        return on(first, shift(scaled(second.amount, sign)));
      }
      const days = second === undefined ? undefined : integer(second);
      return days === undefined ? undefined : on(first, shift({ ...noOffset, days: sign * days }));
    }
    case 'convert':
    case 'try_convert':
      // `convert(date, x)`, and as MySQL has it `convert(x, date)`.
      if (third === undefined && isDateWord(first)) return on(second, day);
      return third === undefined && isDateWord(second) ? on(first, day) : undefined;
    case 'extract':
    case 'date_part':
      return isDateField(first) ? on(second, day) : undefined;
    default:
      return undefined;
  }
}

const isDateWord = (expression: SqlExpression | undefined): boolean =>
  expression?.kind === 'column' && expression.qualifier === undefined && expression.name === 'date';

const day: ColumnStep = { kind: 'cut', unit: 'day' };
const shift = (offset: CalendarOffset): ColumnStep => ({ kind: 'shift', offset });

function integer(expression: SqlExpression): number | undefined {
  if (expression.kind === 'unary' && expression.operator === '-') {
    const inner = integer(expression.operand);
    return inner === undefined ? undefined : -inner;
  }
  const isWhole = expression.kind === 'literal' && /^[+-]?\d+$/.test(expression.text);
  return isWhole ? Number(expression.text) : undefined;
}

/** A week that starts on another day than Monday is cut that many days away. */
const cutSteps = ({ unit, weekStart }: CutUnit, zone?: ZoneName): readonly ColumnStep[] => {
  const cut: ColumnStep = zone === undefined ? { kind: 'cut', unit } : { kind: 'cut', unit, zone };
  if (weekStart === 0) return [cut];
  return [shift({ ...noOffset, days: -weekStart }), cut, shift({ ...noOffset, days: weekStart })];
};

/** `date_trunc('month', x)`, `date_trunc('day', x, 'Europe/Berlin')`, `date_trunc(x, MONTH)`, `trunc(x, 'MM')`, `trunc(x)`. */
function truncated(call: Call, name: string, dialect: DialectName): ColumnFunction | undefined {
  const [first, second, third] = call.arguments;
  if (first === undefined) return undefined;
  if (second === undefined) {
    return name === 'trunc' ? { operand: first, steps: [day] } : undefined;
  }
  const isAhead = dialect !== 'bigquery' && name === 'date_trunc';
  const [ahead, behind] = [isAhead ? cutArgument(first, dialect) : undefined, cutArgument(second, dialect)];
  // `date_trunc(day, week)`: dialects disagree on which of the two is the column.
  if (ahead !== undefined && behind !== undefined && first.kind === 'column') return undefined;
  const cut = ahead ?? behind;
  if (cut === undefined) return undefined;
  const zone = third === undefined ? undefined : zoneArgument(third);
  if (third !== undefined && zone === undefined) return undefined;
  return { operand: ahead === undefined ? first : second, steps: cutSteps(cut, zone) };
}

/** What is done to a column before it is compared. A cut's `zone` is whose days it cuts; absent: the session's. */
export type ColumnStep =
  | { readonly kind: 'cut'; readonly unit: CalendarUnit; readonly zone?: ZoneName }
  | { readonly kind: 'shift'; readonly offset: CalendarOffset };
