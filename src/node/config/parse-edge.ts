import type { DeclaredEdge } from '../../core/lineage/facts/declared-facts.ts';
import type { CalendarOffset } from '../../core/time/zones/calendar.ts';
import { isZone } from '../../core/time/zones/zone.ts';

const unitsPerOffset: Readonly<
  Record<string, { readonly months?: number; readonly days?: number; readonly ms?: number }>
> = {
  year: { months: 12 },
  quarter: { months: 3 },
  month: { months: 1 },
  week: { days: 7 },
  day: { days: 1 },
  hour: { ms: 3_600_000 },
  minute: { ms: 60_000 },
  second: { ms: 1000 },
};

const shape =
  /^(?:(hour|day|week|month|quarter|year)\s+of\s+)?(start|end)(?:\s*\(([\w+/-]+)\))?((?:\s*[+-]\s*\d+\s*[a-z]+)*)$/i;
const step = /([+-])\s*(\d+)\s*([a-z]+)/g;

export const edgeExamples = 'start, end, start - 6 days, month of start, day of start (UTC), day of end + 1 day';

/** One bound of a declared window in words, the same that the product shows: see {@link edgeExamples}. */
export function parseEdge(source: string): { readonly value: DeclaredEdge } | { readonly wrong: string } {
  const match = shape.exec(source.trim());
  const wrong = `"${source}" is not a bound of a window; write it like ${edgeExamples}`;
  if (match === null) return { wrong };
  const offset = { months: 0, days: 0, ms: 0 };
  for (const [, sign, amount, unit] of (match[4] ?? '').toLowerCase().matchAll(step)) {
    const size = unitsPerOffset[(unit ?? '').replace(/s$/, '')];
    if (size === undefined)
      return { wrong: `"${unit}" is not a unit of time; use ${Object.keys(unitsPerOffset).join(', ')}` };
    const factor = (sign === '-' ? -1 : 1) * Number(amount);
    offset.months += factor * (size.months ?? 0);
    offset.days += factor * (size.days ?? 0);
    offset.ms += factor * (size.ms ?? 0);
  }
  const zone = match[3];
  if (zone !== undefined && !isZone(zone))
    return { wrong: `"${zone}" is no time zone; write it like UTC or Europe/Berlin` };
  return {
    value: {
      anchor: match[2]?.toLowerCase() as DeclaredEdge['anchor'],
      floor: match[1]?.toLowerCase() as DeclaredEdge['floor'],
      offset,
      ...(zone === undefined ? {} : { zone }),
    },
  };
}

export type DeclaredCut = 'all' | { readonly lo: DeclaredEdge; readonly hi: DeclaredEdge };

/** What one interval owns of a table, in words: `all`, or a unit of the calendar such as `day of start`. */
export function parseCut(source: string): { readonly value: DeclaredCut } | { readonly wrong: string } {
  if (source.trim().toLowerCase() === 'all') return { value: 'all' };
  const parsed = parseEdge(source);
  if ('wrong' in parsed || parsed.value.floor === undefined)
    return {
      wrong: `"${source}" is no slice; write all, or a unit like day of start, month of start, day of start (UTC)`,
    };
  const { value: lo } = parsed;
  const unit = unitsPerOffset[lo.floor ?? 'day'] ?? {};
  const { months, days, ms } = lo.offset;
  const offset = {
    months: months + (unit.months ?? 0),
    days: days + (unit.days ?? 0),
    ms: ms + (unit.ms ?? 0),
  };
  return { value: { lo, hi: { ...lo, offset } } };
}

/** Whether the first bound is at or behind the second one in every interval, as far as their words tell. */
export function isNeverBefore(from: DeclaredEdge, to: DeclaredEdge): boolean {
  const parts = ['months', 'days', 'ms'] as const;
  const isNoLess = parts.every((part) => from.offset[part] >= to.offset[part]);
  return isNoLess && from.floor === to.floor && (from.anchor === to.anchor || from.anchor === 'end');
}

/** A span of calendar time, `90 days` or `6 months`, that is not nothing. */
export function parseSpan(
  source: string,
): { readonly value: { readonly offset: CalendarOffset; readonly words: string } } | { readonly wrong: string } {
  const [, amount = '0', unit = ''] = /^(\d+)\s*([a-z]+)$/.exec(source.trim().toLowerCase()) ?? [];
  const size = unitsPerOffset[unit.replace(/s$/, '')];
  const count = Number(amount);
  if (size === undefined || count === 0) {
    return { wrong: `"${source}" is not a span of time; write it like 90 days, 36 hours or 6 months` };
  }
  const { months = 0, days = 0, ms = 0 } = size;
  return { value: { offset: { months: count * months, days: count * days, ms: count * ms }, words: source.trim() } };
}

const dayMs = 86_400_000;

/** A span of calendar time as milliseconds, a month as its longest: how much goes together at most. */
export function parseBatch(source: string): { readonly value: number } | { readonly wrong: string } {
  const parsed = parseSpan(source);
  if ('wrong' in parsed)
    return { wrong: parsed.wrong.replace('90 days, 36 hours or 6 months', '7 days, 12 hours or 1 month') };
  const { months = 0, days = 0, ms = 0 } = parsed.value.offset;
  return { value: (months * 31 + days) * dayMs + ms };
}

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/** What a server takes as a time limit, in whole hours. */
const mostHours = 596;

/**
 * `30s`, `5min`, `1h`, `500ms` as milliseconds. None at all is refused, because it means no limit to a server and an
 * end at once to whoever counts.
 */
export function parseDuration(source: string, leastMs = 1): { readonly value: number } | { readonly wrong: string } {
  const match = /^(\d+)\s*(ms|s|m|min|h)$/.exec(source.trim());
  const unit = durationUnits[match?.[2] ?? ''];
  if (match === null || unit === undefined)
    return { wrong: `"${source}" is not a duration; write it like 30s, 5min or 1h` };
  const value = Number(match[1]) * unit;
  if (value > mostHours * 3_600_000) return { wrong: `"${source}" is too long; write at most ${mostHours}h` };
  const least = leastMs < 1000 ? `${leastMs}ms` : `${leastMs / 1000}s`;
  return value < leastMs ? { wrong: `"${source}" is too short; write at least ${least}` } : { value };
}
