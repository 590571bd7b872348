import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { ColumnReference, SqlExpression } from '../../sql/model/expression.ts';
import type { CalendarOffset, CalendarUnit } from '../../time/zones/calendar.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { zoneArgument } from '../times/time-function.ts';
import { noOffset, unitLength } from '../times/time-readings.ts';
import { type ColumnFunction, type ColumnStep, columnFunction } from './column-function.ts';

/** A column as one side of a comparison: bare, cut to a unit, on another clock, or moved by a constant. */
export interface ComparedColumn {
  readonly column: ColumnReference;
  /** The coarsest unit that it is cut to: `date_trunc(unit, column)`, `day` for a cast to date. */
  readonly unit: CalendarUnit | undefined;
  /** `column AT TIME ZONE zone`. */
  readonly zone: ZoneName | undefined;
  /** What is done to the column on that clock, the last thing first. */
  readonly steps: readonly ColumnStep[];
}

/** `undefined` when the expression is not one column under monotone functions. */
export function comparedColumn(expression: SqlExpression, dialect: DialectName = 'ansi'): ComparedColumn | undefined {
  switch (expression.kind) {
    case 'column':
      return { column: expression, unit: undefined, zone: undefined, steps: [] };
    case 'cast': {
      const inner = comparedColumn(expression.operand, dialect);
      const type = expression.type.replace(/\(.*?\)/g, '').trim();
      return inner === undefined || type !== 'date' ? inner : cutTo(inner, { kind: 'cut', unit: 'day' });
    }
    case 'at-time-zone': {
      const inner = comparedColumn(expression.operand, dialect);
      const zone = zoneArgument(expression.zone);
      return inner === undefined || zone === undefined ? undefined : onClock(inner, zone);
    }
    case 'binary': {
      const inner = comparedColumn(expression.left, dialect);
      const amount = expression.right.kind === 'interval' ? expression.right.amount : undefined;
      const sign = expression.operator === '-' ? -1 : expression.operator === '+' ? 1 : 0;
      if (inner === undefined || amount === undefined || sign === 0) return undefined;
      return moved(inner, { months: sign * amount.months, days: sign * amount.days, ms: sign * amount.ms });
    }
    case 'call': {
      const call = expression.window === undefined ? columnFunction(expression, dialect) : undefined;
      const inner = call === undefined ? undefined : comparedColumn(call.operand, dialect);
      return call === undefined || inner === undefined ? undefined : applied(inner, call);
    }
    default:
      return undefined;
  }
}

function applied(inner: ComparedColumn, { steps, zone }: ColumnFunction): ComparedColumn | undefined {
  let side: ComparedColumn | undefined = zone === undefined ? inner : onClock(inner, zone);
  for (const step of steps) {
    if (side === undefined) return undefined;
    side = step.kind === 'cut' ? cutTo(side, step) : moved(side, step.offset);
  }
  return side;
}

/** The same column on a local clock, or, where its days were cut on that clock, the moment at which they begin. */
function onClock(inner: ComparedColumn, zone: ZoneName): ComparedColumn | undefined {
  if (inner.zone === undefined && inner.steps.length === 0) return zone === 'UTC' ? inner : { ...inner, zone };
  // `date_trunc('day', ts AT TIME ZONE z) AT TIME ZONE z`: days of z, as moments again.
  if (inner.zone !== zone && !(inner.zone === undefined && zone === 'UTC')) return undefined;
  const steps = inner.steps.map((step) => (step.kind === 'cut' ? { ...step, zone } : step));
  return { ...inner, zone: undefined, steps };
}

function cutTo(inner: ComparedColumn, step: Extract<ColumnStep, { kind: 'cut' }>): ComparedColumn {
  const longest = inner.unit !== undefined && lengthOf(inner.unit) > lengthOf(step.unit) ? inner.unit : step.unit;
  return { ...inner, unit: longest, steps: [step, ...inner.steps] };
}

const lengthOf = (unit: CalendarUnit): number => {
  const { months, days, ms } = unitLength(unit);
  return (months * 30 + days) * 86_400_000 + ms;
};

function moved(inner: ComparedColumn, offset: CalendarOffset): ComparedColumn {
  const [outer, ...rest] = inner.steps;
  const before = outer?.kind === 'shift' ? outer.offset : noOffset;
  // Months clamp the day, so two moves by months do not add up.
  if (outer?.kind !== 'shift' || before.months !== 0 || offset.months !== 0) {
    return { ...inner, steps: [{ kind: 'shift', offset }, ...inner.steps] };
  }
  const sum = { months: 0, days: before.days + offset.days, ms: before.ms + offset.ms };
  return { ...inner, steps: [{ kind: 'shift', offset: sum }, ...rest] };
}
