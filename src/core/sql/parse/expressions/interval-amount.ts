import type { IntervalAmount } from '../../model/expression.ts';

const hour = 3_600_000;

const units: Readonly<Record<string, IntervalAmount>> = {
  year: { months: 12, days: 0, ms: 0 },
  quarter: { months: 3, days: 0, ms: 0 },
  month: { months: 1, days: 0, ms: 0 },
  week: { months: 0, days: 7, ms: 0 },
  day: { months: 0, days: 1, ms: 0 },
  hour: { months: 0, days: 0, ms: hour },
  minute: { months: 0, days: 0, ms: 60_000 },
  second: { months: 0, days: 0, ms: 1_000 },
  millisecond: { months: 0, days: 0, ms: 1 },
};

const spellings: Readonly<Record<string, string>> = {
  y: 'year',
  yr: 'year',
  yrs: 'year',
  yyyy: 'year',
  q: 'quarter',
  qtr: 'quarter',
  mon: 'month',
  mons: 'month',
  mm: 'month',
  w: 'week',
  wk: 'week',
  d: 'day',
  dd: 'day',
  h: 'hour',
  hr: 'hour',
  hrs: 'hour',
  hh: 'hour',
  m: 'minute',
  min: 'minute',
  mins: 'minute',
  mi: 'minute',
  s: 'second',
  sec: 'second',
  secs: 'second',
  ms: 'millisecond',
  msec: 'millisecond',
};

/** `days`, `D` → `day`; `undefined` when it is no unit of time. */
export function intervalUnit(word: string): string | undefined {
  const lower = word.toLowerCase();
  const singular = lower.length > 3 && lower.endsWith('s') ? lower.slice(0, -1) : lower;
  return units[singular] !== undefined ? singular : spellings[lower];
}

/** `quantity` of one unit; `undefined` when a fraction of a month would be asked for. */
export function intervalOf(quantity: number, unit: string): IntervalAmount | undefined {
  const one = units[unit];
  if (one === undefined || !Number.isFinite(quantity)) return undefined;
  if (!Number.isInteger(quantity)) {
    const ms = quantity * one.ms;
    return one.months === 0 && one.days === 0 && Number.isInteger(ms) ? { months: 0, days: 0, ms } : undefined;
  }
  return scale(one, quantity);
}

const zeroSafe = (value: number): number => (value === 0 ? 0 : value);

const scale = (one: IntervalAmount, by: number): IntervalAmount => ({
  months: zeroSafe(one.months * by),
  days: zeroSafe(one.days * by),
  ms: zeroSafe(one.ms * by),
});

const add = (a: IntervalAmount, b: IntervalAmount): IntervalAmount => ({
  months: a.months + b.months,
  days: a.days + b.days,
  ms: a.ms + b.ms,
});

/**
 * The content of an interval literal: `6 days`, `1 day 02:00:00`, `-7`, `P1DT2H`. A bare number takes `unit`, the
 * word behind the literal. `undefined`: not understood.
 */
export function parseInterval(text: string, unit: string | undefined): IntervalAmount | undefined {
  const trimmed = text.trim().toLowerCase();
  if (/^[+-]?\d+(\.\d+)?$/.test(trimmed)) return unit === undefined ? undefined : intervalOf(Number(trimmed), unit);
  if (unit !== undefined) return undefined;
  const iso = /^p(?=[\dt])(?:(\d+)y)?(?:(\d+)m)?(?:(\d+)w)?(?:(\d+)d)?(?:t(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?)?$/.exec(
    trimmed,
  );
  if (iso !== null) {
    const [years, months, weeks, days, hours, minutes, seconds] = iso.slice(1).map((part) => Number(part ?? 0));
    return {
      months: (years ?? 0) * 12 + (months ?? 0),
      days: (weeks ?? 0) * 7 + (days ?? 0),
      ms: (hours ?? 0) * hour + (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1_000,
    };
  }
  let total: IntervalAmount = { months: 0, days: 0, ms: 0 };
  let rest = trimmed.replace(/^@\s*/, '');
  let ago = false;
  if (/\bago$/.test(rest)) {
    ago = true;
    rest = rest.slice(0, -3).trimEnd();
  }
  if (rest === '') return undefined;
  const piece = /^([+-]?)(?:(\d+):(\d{2})(?::(\d{2})(?:\.(\d{1,3})\d*)?)?|(\d+(?:\.\d+)?)\s*([a-z]+))\s*/;
  while (rest !== '') {
    const found = piece.exec(rest);
    if (found === null) return undefined;
    const sign = found[1] === '-' ? -1 : 1;
    let part: IntervalAmount | undefined;
    if (found[2] !== undefined) {
      const ms =
        Number(found[2]) * hour +
        Number(found[3]) * 60_000 +
        Number(found[4] ?? 0) * 1_000 +
        Number((found[5] ?? '0').padEnd(3, '0'));
      part = { months: 0, days: 0, ms: sign * ms };
    } else {
      const named = intervalUnit(found[7] ?? '');
      part = named === undefined ? undefined : intervalOf(sign * Number(found[6]), named);
    }
    if (part === undefined) return undefined;
    total = add(total, part);
    rest = rest.slice(found[0].length);
  }
  return ago ? scale(total, -1) : total;
}
