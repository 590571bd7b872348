import type { SqlContext } from '../times/sql-context.ts';
import { floorReadings, shiftReadings, shownOnClock, type TimeReadings } from '../times/time-readings.ts';
import { boundRange } from './bound-range.ts';
import type { ColumnRange } from './column-range.ts';
import type { ColumnType } from './column-type.ts';
import type { ComparedColumn } from './compared-column.ts';

/** Range of `date_trunc(unit, column)` and the like for a range of the column: starts are cut, ends stay. */
export function valueOfSide(
  range: ColumnRange,
  side: ComparedColumn,
  type: ColumnType,
  context: SqlContext,
): ColumnRange {
  const image = (end: TimeReadings | undefined, isLower: boolean): TimeReadings | undefined => {
    let value = end && typed(end, side, type, context);
    for (const step of [...side.steps].reverse()) {
      if (value === undefined) return undefined;
      if (step.kind === 'shift') value = shiftReadings(value, step.offset, context.zones);
      else if (isLower) value = floorReadings(value, step.unit, step.zone === undefined ? context.zones : [step.zone]);
    }
    return value;
  };
  return { ...range, lo: image(range.lo, true), hi: image(range.hi, false) };
}

/** Range of the column for a range of `date_trunc(unit, column)` and the like: an end inside a unit takes the whole unit. */
export const comparedRange = (
  range: ColumnRange,
  side: ComparedColumn,
  type: ColumnType,
  context: SqlContext,
): ColumnRange => ({
  ...range,
  lo: range.lo && boundRange(side, '>=', range.lo, context, type).lo,
  hi: range.hi && boundRange(side, '<', range.hi, context, type).hi,
});

/**
 * The end of a range as the column's type has it. The day of a moment is one of the session's zone, so what is cut of
 * a moment is what a clock shows, in any zone that may be the session's.
 */
function typed(end: TimeReadings, side: ComparedColumn, type: ColumnType, context: SqlContext): TimeReadings {
  if (type === 'date' || type === 'timestamp') return { ...end, naive: true, moment: false };
  if (type !== 'timestamptz') return end;
  const isPlaced = end.readings.every(({ zone }) => zone !== undefined && context.zones.includes(zone));
  const unit = isPlaced ? end.unit : undefined;
  if (!side.steps.some((step) => step.kind === 'cut')) {
    const readings = end.readings.map(({ time, zone }) => ({ time, zone: isPlaced ? zone : undefined }));
    return { readings, unit, naive: false, moment: true };
  }
  const others = context.zones.filter((zone) => zone !== 'UTC');
  const shown = [
    ...end.readings.map(({ time }) => ({ time, zone: 'UTC' })),
    ...others.flatMap((zone) => shownOnClock(end, zone).map(({ time }) => ({ time, zone: 'UTC' }))),
  ];
  return { readings: shown, unit: others.length === 0 ? unit : undefined, naive: true, moment: false };
}
