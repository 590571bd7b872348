import type { CalendarOffset } from './calendar.ts';

const elapsedUnits = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['millisecond', 1],
] as const;

/** An offset by its units, largest first; units that are zero are left out. */
export function offsetParts({ months, days, ms }: CalendarOffset): readonly { amount: number; unit: string }[] {
  const parts: { amount: number; unit: string }[] = [];
  if (months !== 0) {
    parts.push(months % 12 === 0 ? { amount: months / 12, unit: 'year' } : { amount: months, unit: 'month' });
  }
  if (days !== 0) parts.push({ amount: days, unit: 'day' });
  if (ms !== 0) {
    const [unit, length] = elapsedUnits.find(([, size]) => ms % size === 0) ?? elapsedUnits[3];
    parts.push({ amount: ms / length, unit });
  }
  return parts;
}
