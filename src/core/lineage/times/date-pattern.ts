import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
import type { CalendarUnit } from '../../time/zones/calendar.ts';

/** `EXTRACT(DATE FROM ts)`. */
export const isDateField = (expression: SqlExpression): boolean =>
  expression.kind === 'column' && expression.name.toLowerCase() === 'date';

/** What a text in a pattern says of a time: the unit that it is exact to; `firstDay`: it names the unit's first day. */
export interface PatternUnit {
  readonly unit: CalendarUnit;
  readonly firstDay: boolean;
}

type Field = 'Y' | 'm' | 'd' | 'H' | 'M' | 'S';

const order: readonly Field[] = ['Y', 'm', 'd', 'H', 'M', 'S'];
const units: readonly CalendarUnit[] = ['year', 'month', 'day', 'hour', 'minute', 'second'];

/** `%Y-%m-%d` of MySQL and Trino (`%i` are minutes) and of BigQuery and DuckDB (`%M` are). */
const percentFields: Readonly<Record<string, readonly Field[]>> = {
  Y: ['Y'],
  m: ['m'],
  d: ['d'],
  F: ['Y', 'm', 'd'],
  H: ['H'],
  k: ['H'],
  i: ['M'],
  S: ['S'],
  s: ['S'],
  T: ['H', 'M', 'S'],
};

/** `YYYY-MM-DD HH24:MI:SS`, in any case. */
const oracleTokens = /^(?:(yyyy)|(mm)|(dd)|(hh24)|(mi)|(ss))/i;
/** `yyyy-MM-dd HH:mm:ss`; the case tells months from minutes, and `YYYY` is the year of the week. */
const javaTokens = /^(?:(yyyy)|(MM)|(dd)|(HH)|(mm)|(ss))/;

/**
 * Reads a pattern of `to_char` and its kin whose texts sort as the times do. `undefined`: another order, a missing
 * part, or something that is not understood.
 */
export function patternUnit(pattern: string, call: string, dialect: DialectName): PatternUnit | undefined {
  if (isWeekPattern(pattern)) return { unit: 'week', firstDay: false };
  const isJava = dialect === 'spark' || call === 'format_datetime' || call === 'from_unixtime';
  const read = pattern.includes('%') ? percentTexts(pattern, dialect) : tokenTexts(pattern, isJava);
  if (read === undefined) return undefined;
  const { fields, tail } = read;
  const exact = fields.every((field, index) => field === order[index]);
  const unit = units[fields.length - 1];
  if (!exact || unit === undefined) return undefined;
  const digits = tail.replace(/[^0-9]/g, '');
  if (/^0*$/.test(digits)) return { unit, firstDay: false };
  const first = unit === 'year' ? /^01010*$/ : unit === 'month' ? /^010*$/ : undefined;
  return first?.test(digits) === true ? { unit, firstDay: true } : undefined;
}

/** The year and the number of an ISO week, which begins on Monday: `IYYY-IW`, `IYYY"W"IW`, `%G-W%V`. */
export const isWeekPattern = (pattern: string): boolean =>
  /^(?:iyyy[-_. ]?(?:"?w"?)?iw|%G[-_. ]?W?%V)$/i.test(pattern) && !/%g|%v/.test(pattern);

interface PatternText {
  readonly fields: readonly Field[];
  /** The constant text behind the last field. */
  readonly tail: string;
}

function percentTexts(pattern: string, dialect: DialectName): PatternText | undefined {
  const fields: Field[] = [];
  let tail = '';
  const minutes = dialect === 'mysql' || dialect === 'trino' ? 'i' : 'M';
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at + 1] ?? '';
    if (pattern[at] !== '%') {
      tail += pattern[at];
      continue;
    }
    const found = letter === 'M' && minutes === 'M' ? (['M'] as const) : percentFields[letter];
    if (found === undefined || (letter === 'i' && minutes === 'M') || /\d/.test(tail)) return undefined;
    fields.push(...found);
    tail = '';
    at++;
  }
  return { fields, tail };
}

function tokenTexts(pattern: string, isJava: boolean): PatternText | undefined {
  const fields: Field[] = [];
  let tail = '';
  for (let rest = pattern; rest !== ''; ) {
    const found = (isJava ? javaTokens : oracleTokens).exec(rest);
    const index = found === null ? -1 : found.slice(1).findIndex((group) => group !== undefined);
    const field = order[index];
    if (found === null || field === undefined) {
      // A letter that is none of these may be a field that is not understood; `T` and quotes only separate.
      if (/[a-su-z]/i.test(rest.charAt(0))) return undefined;
      tail += rest.charAt(0);
      rest = rest.slice(1);
      continue;
    }
    if (/\d/.test(tail)) return undefined;
    fields.push(field);
    tail = '';
    rest = rest.slice(found[0].length);
  }
  return { fields, tail };
}
