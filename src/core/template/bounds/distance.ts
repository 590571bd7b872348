import type { CalendarOffset } from '../../time/zones/calendar.ts';
import type { CallArguments, JinjaExpression } from '../language/expression.ts';
import type { SymbolicValue } from '../names/symbolic-value.ts';
import type { Moment } from './moment.ts';

/** A `timedelta` or `relativedelta` of constant length. */
export interface Distance {
  readonly kind: 'distance';
  readonly offset: CalendarOffset;
}

const units = {
  years: { months: 12, days: 0, ms: 0 },
  months: { months: 1, days: 0, ms: 0 },
  weeks: { months: 0, days: 7, ms: 0 },
  days: { months: 0, days: 1, ms: 0 },
  hours: { months: 0, days: 0, ms: 3_600_000 },
  minutes: { months: 0, days: 0, ms: 60_000 },
  seconds: { months: 0, days: 0, ms: 1000 },
  milliseconds: { months: 0, days: 0, ms: 1 },
} as const;

export type DistanceUnit = keyof typeof units;
/** The named arguments of `timedelta`, and of `relativedelta`, `add` and `subtract`. */
export const elapsedUnits: readonly DistanceUnit[] = ['weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds'];
export const calendarUnits: readonly DistanceUnit[] = [
  'years',
  'months',
  'weeks',
  'days',
  'hours',
  'minutes',
  'seconds',
];

/**
 * The length that a call such as `timedelta(days=1, hours=2)` makes; a first positional argument counts in
 * `positional`. `undefined` when an argument is not a constant whole number of a unit in `allowed`.
 */
export function distance(
  callArguments: CallArguments,
  allowed: readonly DistanceUnit[],
  read: (expression: JinjaExpression) => Reading,
  positional: DistanceUnit = 'days',
): Distance | undefined {
  const parts = callArguments.keyword.map(({ name, value }) => [name, read(value)] as const);
  const [first, ...others] = callArguments.positional;
  if (others.length > 0) return undefined;
  if (first !== undefined) parts.push([positional, read(first)]);
  let total: Distance = { kind: 'distance', offset: { months: 0, days: 0, ms: 0 } };
  for (const [name, value] of parts) {
    const unit = allowed.find((known) => known === name);
    if (
      unit === undefined ||
      value.kind !== 'literal' ||
      typeof value.value !== 'number' ||
      !Number.isInteger(value.value)
    )
      return undefined;
    total = added(total, scaled({ kind: 'distance', offset: units[unit] }, value.value));
  }
  return total;
}

export const scaled = ({ offset }: Distance, by: number): Distance => ({
  kind: 'distance',
  offset: { months: offset.months * by, days: offset.days * by, ms: offset.ms * by },
});

export const added = (left: Distance, right: Distance): Distance => ({
  kind: 'distance',
  offset: {
    months: left.offset.months + right.offset.months,
    days: left.offset.days + right.offset.days,
    ms: left.offset.ms + right.offset.ms,
  },
});

/** A value while an expression is being read. */
export type Reading = Moment | Distance | SymbolicValue;
