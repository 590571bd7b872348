import { withoutLeadingComments } from '../../../sql/lex/leading-comments.ts';
import type { DialectName } from '../../../sql/model/dialect-name.ts';
import { readSql } from '../../../sql/read-sql.ts';
import { plainText } from '../../../template/mask/plain-text.ts';

/** A text whose clock calls are another moment's, and the names of the calls that were moved. */
export interface ShiftedText {
  readonly text: string;
  readonly shifted: readonly string[];
}

/**
 * A query of its own keeps the column name that the call alone would give; where no query may stand (a column's
 * default, the arguments of CALL and EXECUTE), there are no column names either.
 */
const takesQueries = /^[\s(]*(?:insert|update|delete|merge|select|with|values)\b|\bas[\s(]+(?:select|with)\b/i;

/** What stands for a clock call, by its name; `%` is the call. */
export type ClockShift = ReadonlyMap<string, string>;

const clocks = [
  'now',
  'current_timestamp',
  'localtimestamp',
  'clock_timestamp',
  'statement_timestamp',
  'transaction_timestamp',
  'getdate',
  'sysdate',
];

/**
 * A day, an hour and a second later, so that a rerun falls into another day, hour and minute. A date takes whole days
 * only, a time of day no days.
 */
export const anotherDay: ClockShift = new Map([
  ['current_date', '(% + 1)'],
  ['current_time', "(% + interval '1 hour 1 second')"],
  ['localtime', "(% + interval '1 hour 1 second')"],
  ...clocks.map((name) => [name, "(% + interval '1 day 1 hour 1 second')"] as const),
]);

/** Later on the same day, as a rerun soon after would be. */
export const secondsLater = (seconds: number): ClockShift =>
  new Map(
    ['current_time', 'localtime', ...clocks].map((name) => [name, `(% + interval '${seconds} seconds')`] as const),
  );

/** Moves the clock calls that stand in a rendered statement, at their places; calls in views and functions stay. */
export function shiftClocks(text: string, dialect: DialectName, shifts: ClockShift = anotherDay): ShiftedText {
  const { statements } = readSql(plainText(text), dialect);
  const calls = statements
    .flatMap((statement) => [
      ...statement.nondeterministic,
      ...statement.modifying.flatMap((one) => one.nondeterministic),
    ])
    .filter(({ name }) => shifts.has(name))
    .sort((a, b) => a.start - b.start);
  let shifted = '';
  let at = 0;
  // Spark takes no name in quotes, and finds columns of an overwrite by their place.
  const named = dialect !== 'spark' && takesQueries.test(withoutLeadingComments(text));
  const names: string[] = [];
  for (const { name, start, end } of calls) {
    const shift = shifts.get(name);
    if (shift === undefined || start < at) continue;
    const moved = shift.replace('%', () => text.slice(start, end));
    shifted += text.slice(at, start) + (named ? `(select ${moved} as "${name}")` : moved);
    at = end;
    names.push(name);
  }
  return { text: shifted + text.slice(at), shifted: [...new Set(names)] };
}
