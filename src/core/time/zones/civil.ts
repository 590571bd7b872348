/** Calendar arithmetic of the proleptic Gregorian calendar on day numbers (0 = 1970-01-01). No zone is involved. */

export const dayMs = 86_400_000;

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
}

const daysPer400Years = 146_097;
/** Days from 0000-03-01, where the computational year starts so that the leap day is its last, to 1970-01-01. */
const epochShift = 719_468;

export function civilOf(dayNumber: number): CivilDate {
  const shifted = dayNumber + epochShift;
  const era = Math.floor(shifted / daysPer400Years);
  const dayOfEra = shifted - era * daysPer400Years;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** `month` may be any integer: 13 is January of the next year. `day` is taken as given, so 0 is the day before the first. */
export function dayNumberOf(year: number, month: number, day: number): number {
  const months = year * 12 + (month - 1);
  const marchBased = months - 2;
  const marchYear = Math.floor(marchBased / 12);
  const marchMonth = marchBased - marchYear * 12;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * marchMonth + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * daysPer400Years + dayOfEra - epochShift;
}

export const daysInMonth = (year: number, month: number): number =>
  dayNumberOf(year, month + 1, 1) - dayNumberOf(year, month, 1);

/** 0 is Sunday, as cron counts. */
export const weekdayOf = (dayNumber: number): number => (((dayNumber + 4) % 7) + 7) % 7;
