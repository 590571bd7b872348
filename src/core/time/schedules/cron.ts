/** A weekday of a month: its nth, or its last. 0 is Sunday. */
export interface NthWeekday {
  readonly weekday: number;
  readonly nth: 1 | 2 | 3 | 4 | 5 | 'last';
}

/** What a five-field cron expression says, on the wall clock. Lists are sorted and hold each value once. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** `undefined`: the field is a wildcard. */
  readonly daysOfMonth: { readonly days: readonly number[]; readonly last: boolean } | undefined;
  /** `undefined`: the field is a wildcard. 0 is Sunday. Exactly one of the two lists is not empty. */
  readonly daysOfWeek: { readonly days: readonly number[]; readonly nth: readonly NthWeekday[] } | undefined;
}

export type CronParse = { readonly cron: Cron } | { readonly cron: undefined; readonly reason: string };

/** What Airflow's cron library knows under a name, in any case. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

/** Airflow replaces its own presets before, in lower case only; this is the one that the library does not know. */
const presets: ReadonlyMap<string, string> = new Map([['@quarterly', '0 0 1 */3 *']]);

interface FieldRules {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const minuteRules: FieldRules = { name: 'minute', min: 0, max: 59, names: [] };
const hourRules: FieldRules = { name: 'hour', min: 0, max: 23, names: [] };
const dayRules: FieldRules = { name: 'day of month', min: 1, max: 31, names: [] };
const monthRules: FieldRules = {
  name: 'month',
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const weekdayRules: FieldRules = {
  name: 'day of week',
  min: 0,
  max: 6,
  names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
};

/** Longest month of each, so that `0 0 31 2 *` can be told never to fire. */
const longestMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Ends the reading of an expression; never leaves this file. */
class Refusal extends Error {}

/**
 * Reads a cron expression as Airflow does (croniter's dialect, five fields or a preset). Whatever could mean
 * something else to Airflow than to us is refused with a reason.
 */
export function parseCron(expression: string): CronParse {
  const expanded = presets.get(expression) ?? aliases.get(expression.toLowerCase()) ?? expression.toLowerCase();
  // Other white space than this does not separate fields.
  const fields = expanded.match(/[^ \t\n\r\f\v]+/g) ?? [];
  if (fields[0]?.startsWith('@')) return refused('there is no such preset');
  if (fields.length === 6 || fields.length === 7) return refused('cron expressions with seconds or years are not read');
  if (fields.length !== 5) return refused(`a cron expression has five fields, this one has ${fields.length}`);
  try {
    return { cron: readFields(fields) };
  } catch (error) {
    if (error instanceof Refusal) return refused(error.message);
    throw error;
  }
}

const refused = (reason: string): CronParse => ({ cron: undefined, reason });

function readFields(fields: readonly string[]): Cron {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const lastDay = day.split(',').includes('l');
  const dayItems = day.split(',').filter((item) => item !== 'l');
  const nthItems = weekday.split(',').filter((item) => item.includes('#') || item.startsWith('l'));
  const nth = nthItems.map(readNth);
  if (nth.length > 0 && nth.length !== weekday.split(',').length) {
    throw new Refusal('a day of week field mixes plain days with nth or last ones, which Airflow refuses');
  }

  const days = dayItems.length === 0 ? [] : fieldValues(dayItems.join(','), dayRules);
  const weekdays = nth.length > 0 ? [] : fieldValues(weekday, weekdayRules);
  // croniter takes a full list for a wildcard only where the other day field is written with a star.
  const dayWild = !lastDay && isWild(day, days.length === 31, weekday);
  const weekdayWild = nth.length === 0 && isWild(weekday, weekdays.length === 7, day);
  if (nth.length > 0 && !dayWild) throw new Refusal('a day of month together with an nth or last weekday is not read');
  const cron: Cron = {
    minutes: fieldValues(minute, minuteRules),
    hours: fieldValues(hour, hourRules),
    months: fieldValues(month, monthRules),
    daysOfMonth: dayWild ? undefined : { days, last: lastDay },
    daysOfWeek: weekdayWild ? undefined : { days: weekdays, nth },
  };
  if (neverFires(cron)) throw new Refusal('no month of it has such a day, so it never fires');
  return cron;
}

const isWild = (field: string, full: boolean, otherDayField: string): boolean =>
  field === '*' || field === '?' || (full && otherDayField.includes('*'));

function neverFires({ daysOfMonth, daysOfWeek, months }: Cron): boolean {
  if (daysOfMonth === undefined || daysOfMonth.last || daysOfWeek !== undefined) return false;
  const longest = Math.max(...months.map((month) => longestMonth[month - 1] ?? 31));
  return Math.min(...daysOfMonth.days) > longest;
}

/** `5#2`, `fri#2` (second Friday) or `l5` (last Friday). */
function readNth(item: string): NthWeekday {
  const [, day, nth, lastDay] = /^(?:([0-7]|[a-z]{3})#([1-5])|l([0-7]))$/.exec(item) ?? [];
  const written = day ?? lastDay;
  if (written === undefined) throw new Refusal(`day of week '${item}' is not read`);
  const weekday = valueOfName(written, weekdayRules) % 7;
  return { weekday, nth: lastDay === undefined ? (Number(nth) as 1 | 2 | 3 | 4 | 5) : 'last' };
}

/** The values of a plain list, sorted, each once. Whatever croniter reads in a way of its own is refused. */
function fieldValues(field: string, rules: FieldRules): readonly number[] {
  const { name, min, max } = rules;
  if (field === '*' || (field === '?' && (rules === dayRules || rules === weekdayRules))) return range(min, max, 1);
  const values = new Set<number>();
  for (const item of field.split(',')) {
    if (item === '*') throw new Refusal(`${name} '${field}' has a star among other values`);
    for (const value of itemValues(item, rules)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

function itemValues(item: string, rules: FieldRules): readonly number[] {
  const { name, min, max } = rules;
  const [, from, to, stepText] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(item) ?? [];
  if (from === undefined || (from === '*' && to !== undefined)) throw new Refusal(`${name} '${item}' is not read`);
  const step = Number(stepText ?? 1);
  if (step === 0) throw new Refusal(`${name} '${item}' has a step of zero`);
  if (from === '*') return range(min, max, step);
  const low = valueOfName(from, rules);
  if (to === undefined && stepText === undefined) return [low > max ? 0 : low];
  const high = to === undefined ? max : to === 'l' && rules === dayRules ? max : valueOfName(to, rules);
  // croniter counts on from Sunday as 0 here, and takes a range of one value for the whole cycle.
  if (low > max || (to !== undefined && low === high)) throw new Refusal(`${name} '${item}' is not read`);
  if (low <= high && high <= max) return range(low, high, step);
  if (step !== 1) throw new Refusal(`${name} '${item}' is a range past the end with a step, which is not read`);
  return [...range(low, max, 1), ...range(min, high > max ? 0 : high, 1)];
}

function range(first: number, last: number, step: number): number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

function valueOfName(written: string, { name, min, max, names }: FieldRules): number {
  const named = names.indexOf(written);
  if (named >= 0) return named + min;
  const value = /^\d{1,2}$/.test(written) ? Number(written) : Number.NaN;
  // Sunday is 0 and 7.
  const largest = name === weekdayRules.name ? 7 : max;
  if (!(value >= min && value <= largest)) throw new Refusal(`${name} '${written}' is not read`);
  return value;
}
