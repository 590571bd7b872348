import { epochMs } from '../../../warehouse/dialects/postgres/slice-predicate.ts';

/** A length of time that values of columns name. Times are milliseconds since the epoch, in UTC. */
export interface TimeUnit {
  readonly words: 'month' | 'UTC day' | 'UTC hour';
  /** How many characters of an ISO text tell it. */
  readonly digits: number;
}

const month: TimeUnit = { words: 'month', digits: 7 };
const day: TimeUnit = { words: 'UTC day', digits: 10 };
const hour: TimeUnit = { words: 'UTC hour', digits: 13 };

/** By how many columns tell it: one (a day), or those of year and month, of the day, of the hour. */
export const timeUnitOf = (columns: number): TimeUnit => (columns === 2 ? month : columns === 4 ? hour : day);

/** Where a unit begins. */
export const isUnitStart = ({ digits }: TimeUnit, ms: number): boolean =>
  epochMs(`${new Date(ms).toISOString().slice(0, digits)}${wholeFrom.slice(digits)}`) === ms;

/** Where the next one begins. */
export function nextUnit({ words }: TimeUnit, start: number): number {
  if (words !== 'month') return start + (words === 'UTC day' ? 86_400_000 : 3_600_000);
  const at = new Date(start);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
}

/** What follows the part of an instant that tells of its unit. */
const wholeFrom = '0000-01-01T00:00:00.000Z';
