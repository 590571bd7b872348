import { CronExpressionParser } from 'cron-parser';

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

/** Airflow's own presets, then those that only its cron library (croniter) knows. */
const presets: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@quarterly': '0 0 1 */3 *',
  '@yearly': '0 0 1 1 *',
  '@midnight': '0 0 * * *',
  '@annually': '0 0 1 1 *',
};

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
  const preset = presets[expression.trim().toLowerCase()];
  const fields = (preset ?? expression).trim().toLowerCase().split(/\s+/);
  if (preset === undefined && expression.trim().startsWith('@'))
    return refused(`unknown preset '${expression.trim()}'`);
  if (fields.length === 6 || fields.length === 7) return refused('cron expressions with seconds or years are not read');
  if (fields.length !== 5)
    return refused(`a cron expression has five fields, this one has ${expression.trim() === '' ? 0 : fields.length}`);
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

  const text = {
    minute: plainList(minute, minuteRules),
    hour: plainList(hour, hourRules),
    day: dayItems.length === 0 ? '*' : plainList(dayItems.join(','), dayRules),
    month: plainList(month, monthRules),
    weekday: nth.length > 0 ? '*' : plainList(weekday, weekdayRules),
  };
  // Days and months apart: the library refuses days that no month of the expression has, even next to weekdays.
  const values = {
    ...parseWithLibrary(`${text.minute} ${text.hour} ${text.day} * ${text.weekday}`),
    months: parseWithLibrary(`0 0 * ${text.month} *`).months,
  };

  // croniter takes a full list for a wildcard only where the other day field is written with a star.
  const dayWild = !lastDay && isWild(day, values.days.length === 31, weekday);
  const weekdayWild = nth.length === 0 && isWild(weekday, values.weekdays.length === 7, day);
  if (nth.length > 0 && !dayWild) throw new Refusal('a day of month together with an nth or last weekday is not read');
  const cron: Cron = {
    minutes: values.minutes,
    hours: values.hours,
    months: values.months,
    daysOfMonth: dayWild ? undefined : { days: dayItems.length === 0 ? [] : values.days, last: lastDay },
    daysOfWeek: weekdayWild ? undefined : { days: nth.length > 0 ? [] : values.weekdays, nth },
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
  const weekday = fieldValue(written, weekdayRules) % 7;
  return { weekday, nth: lastDay === undefined ? (Number(nth) as 1 | 2 | 3 | 4 | 5) : 'last' };
}

/**
 * One field rewritten with numbers, explicit range ends and no wrap-around, a form that the library and croniter
 * read alike; what has no such form is refused.
 */
function plainList(field: string, rules: FieldRules): string {
  if (field === '*') return '*';
  if (field === '?' && (rules === dayRules || rules === weekdayRules)) return '*';
  return field
    .split(',')
    .map((item) => plainItem(item, rules, field))
    .join(',');
}

function plainItem(item: string, rules: FieldRules, field: string): string {
  const { name, min, max } = rules;
  const [, from, to, stepText] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(item) ?? [];
  if (from === undefined || (from === '*' && to !== undefined)) throw new Refusal(`${name} '${item}' is not read`);
  const step = stepText === undefined ? undefined : Number(stepText);
  if (step === 0) throw new Refusal(`${name} '${item}' has a step of zero`);
  if (from === '*') {
    if (step === undefined) throw new Refusal(`${name} '${field}' has a star among other values`);
    return `${min}-${max}/${step}`;
  }
  const low = fieldValue(from, rules);
  if (to === undefined) {
    if (step === undefined) return String(low % 7 === 0 && rules === weekdayRules ? 0 : low);
    if (low > max) throw new Refusal(`${name} '${item}' is not read`);
    return low === max ? String(low) : `${low}-${max}/${step}`;
  }
  const high = to === 'l' && rules === dayRules ? max : fieldValue(to, rules);
  if (low > max || low === high)
    throw new Refusal(`${name} '${item}' is a range that Airflow takes for the whole cycle`);
  if (low < high && high <= max) return `${low}-${high}/${step ?? 1}`;
  if (step !== undefined) throw new Refusal(`${name} '${item}' is a range past the end with a step, which is not read`);
  const rest = high > max ? 0 : high;
  return `${low === max ? low : `${low}-${max}`},${rest === min ? rest : `${min}-${rest}`}`;
}

function fieldValue(written: string, { name, min, max, names }: FieldRules): number {
  const named = names.indexOf(written);
  if (named >= 0) return named + min;
  const value = /^\d{1,2}$/.test(written) ? Number(written) : Number.NaN;
  // Sunday is 0 and 7.
  if (!(value >= min && value <= (name === weekdayRules.name ? 7 : max)))
    throw new Refusal(`${name} '${written}' is not read`);
  return value;
}

interface FieldValues {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
}

function parseWithLibrary(expression: string): FieldValues {
  // A fixed date: the library would otherwise read the clock.
  const { fields } = CronExpressionParser.parse(expression, { currentDate: new Date(0), tz: 'UTC' });
  const sorted = (values: readonly (number | string)[]): number[] =>
    [...new Set(values.map(Number))].sort((a, b) => a - b);
  return {
    minutes: sorted(fields.minute.values),
    hours: sorted(fields.hour.values),
    days: sorted(fields.dayOfMonth.values),
    months: sorted(fields.month.values),
    weekdays: sorted(fields.dayOfWeek.values.map((day) => Number(day) % 7)),
  };
}
