import { monthNames } from '../../../time/zones/month-names.ts';

/** A range that is often wanted, as it would be typed; `to` is not included. */
export interface RangePreset {
  readonly label: string;
  readonly from: string;
  readonly to: string;
  /** Only these units of it; `undefined`: all of it. */
  readonly only?: readonly string[];
}

export interface PresetInterval {
  readonly unit: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly state: string;
  readonly open: boolean;
}

/** Ranges of the intervals that are there, oldest first; one that would mean nothing is not offered. */
export function rangePresets(intervals: readonly PresetInterval[], isDaily: boolean): readonly RangePreset[] {
  const finished = intervals.filter(({ open }) => !open);
  const last = finished.at(-1);
  if (last === undefined) return [];
  const since = (first: PresetInterval | undefined, label: string): readonly RangePreset[] =>
    first === undefined ? [] : [{ label, from: first.from, to: last.to }];
  /** Exactly those: what lies between them is not touched. */
  const all = (state: string, label: string): readonly RangePreset[] => {
    const found = finished.filter((one) => one.state === state);
    const [from, to] = [found[0], found.at(-1)];
    if (from === undefined || to === undefined) return [];
    const isInRow = finished.indexOf(to) - finished.indexOf(from) + 1 === found.length;
    const only = isInRow ? {} : { only: found.map(({ unit }) => unit) };
    return [{ label: `${label} · ${found.length}`, from: from.from, to: to.to, ...only }];
  };
  const failed = finished.findLast(({ state }) => state === 'failed');
  return [
    ...since(last, isDaily ? 'Last day' : 'Last interval'),
    ...(finished.length >= 7 ? since(finished.at(-7), 'Last 7') : []),
    ...(isDaily ? calendarMonths(finished) : []),
    ...since(failed, 'Since last failure'),
    ...all('stale', 'All stale'),
    ...all('missing', 'Fill what is missing'),
  ];
}

/** The last whole month, and the quarter that the last day lies in so far. */
function calendarMonths(days: readonly PresetInterval[]): readonly RangePreset[] {
  const last = days.at(-1);
  if (last === undefined) return [];
  const [year, month] = [Number(last.from.slice(0, 4)), Number(last.from.slice(5, 7))];
  const isWhole = last.to.slice(8, 10) === '01';
  const whole = isWhole ? { year, month } : month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 };
  const after = whole.month === 12 ? { year: whole.year + 1, month: 1 } : { year: whole.year, month: whole.month + 1 };
  const quarter = Math.floor((month - 1) / 3) * 3 + 1;
  const first = (at: { readonly year: number; readonly month: number }): string =>
    `${at.year}-${String(at.month).padStart(2, '0')}-01`;
  const beginning = days[0]?.from ?? '';
  return [
    { label: monthNames[whole.month - 1] ?? '', from: first(whole), to: first(after) },
    { label: 'This quarter', from: first({ year, month: quarter }), to: last.to },
  ].filter(({ from }) => from >= beginning.slice(0, 10));
}
