import type { PlanView, UnitView } from '../../../src/protocol/assistant-state.ts';
import type { PageMemory } from '../../page-memory.ts';
import { monthName, weekdayOf } from '../format.ts';

/** How much of a cell can be drawn at its width. */
export type Density = 'glyph' | 'small' | 'plain' | 'bucket';

/** Where the units of a plan stand on one common time line, as shares (0…1) of its width. */
export interface TimeAxis {
  readonly from: number;
  readonly to: number;
  /** Intervals of the finest row that fit into the line. */
  readonly finest: number;
  readonly density: Density;
  /** Intervals of the finest row, and milliseconds, that one column stands for. */
  readonly bucket: { readonly intervals: number; readonly ms: number };
  place(unit: UnitView): { readonly left: number; readonly width: number };
  isShown(unit: UnitView): boolean;
  readonly ticks: readonly { readonly left: number; readonly label: string; readonly major: boolean }[];
}

/** Columns of names and counts beside the line, in pixels, and what pads them. */
const besides = (width: number): number => (width <= 732 ? 132 + 74 + 28 : 190 + 122 + 40);

/** A line is at least as long as this many intervals of its finest row. */
const leastIntervals = 8;

/** Pixels of a label with a month or an hour, and of a day alone. */
const labelPx = 54;
const shortPx = 24;
const bucketSizes = [7, 14, 28, 56, 91];

export function timeAxis(plan: PlanView, { width, zoom }: Pick<PageMemory, 'width' | 'zoom'>): TimeAxis {
  const { units, rows } = plan;
  const times = units.map((unit) => ({ start: Date.parse(unit.start), end: Date.parse(unit.end) }));
  const first = times.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const last = times.reduce((most, { end }) => Math.max(most, end), Number.NEGATIVE_INFINITY);
  const from = zoom === undefined ? first : Math.max(first, zoom.from);
  const to = zoom === undefined ? last : Math.min(last, zoom.to);
  const row = rows.reduce<readonly number[]>((most, { units: of }) => (of.length > most.length ? of : most), []);
  const length = shortest(row.flatMap((index) => times[index] ?? []));
  // One slice is no beam.
  const whole = Math.max(to - from, leastIntervals * length);
  const finest = Math.round(whole / length);
  const room = Math.max(200, width - besides(width));
  const per = room / finest;
  const intervals = bucketSizes.find((size) => room / (finest / size) >= 8) ?? 91;
  const left = (at: number): number => (at - from) / whole;
  return {
    from,
    to: from + whole,
    finest,
    density: per >= 12 ? 'glyph' : per >= 7.5 ? 'small' : per >= 5 ? 'plain' : 'bucket',
    bucket: { intervals, ms: intervals * length },
    place(unit) {
      const [start, end] = [Math.max(from, Date.parse(unit.start)), Math.min(to, Date.parse(unit.end))];
      return { left: left(start), width: Math.max(0, end - start) / whole };
    },
    isShown: (unit) => Date.parse(unit.start) < to && Date.parse(unit.end) > from,
    ticks: ticksOf(
      marksOf(
        row.flatMap((index) => units[index] ?? []),
        { from, to: from + whole, length },
      ).map(({ at, label }) => ({ left: left(at), label })),
      Math.min(room, finest * 34),
      per,
    ),
  };
}

/** Length of the shortest interval of a row: a day of a clock change, or a gap, is no measure. */
function shortest(times: readonly { readonly start: number; readonly end: number }[]): number {
  const lengths = times.map(({ start, end }) => end - start).sort((a, b) => a - b);
  return Math.max(1, lengths[Math.floor(lengths.length / 2)] ?? 1);
}

const dayMs = 86_400_000;

/** Where a tick may stand: at each unit; where they are days, at every day of the line, whether or not the plan has it. */
function marksOf(
  units: readonly UnitView[],
  line: { readonly from: number; readonly to: number; readonly length: number },
): readonly { readonly at: number; readonly label: string }[] {
  const marks = units.map(({ start, label }) => ({ at: Date.parse(start), label }));
  const [first] = marks;
  const isOn = ({ at }: { readonly at: number }): boolean => at >= line.from && at < line.to;
  if (first === undefined || !marks.every(({ label }) => isDay(label))) return marks.filter(isOn);
  const days: { at: number; label: string }[] = [];
  const date = Date.parse(`${first.label}T00:00Z`);
  for (let day = Math.ceil((line.from - first.at) / line.length); ; day++) {
    const mark = { at: first.at + day * line.length, label: new Date(date + day * dayMs).toISOString().slice(0, 10) };
    if (mark.at >= line.to) return days;
    days.push(mark);
  }
}

const isDay = (label: string): boolean => /^\d{4}-\d\d-\d\d$/.test(label);

/** Mondays of days, first months where a cell is a few pixels, and whatever has room of anything else. */
function ticksOf(
  marks: readonly { readonly left: number; readonly label: string }[],
  room: number,
  per: number,
): TimeAxis['ticks'] {
  const ticks: { left: number; label: string; major: boolean }[] = [];
  const isDaily = marks.every(({ label }) => isDay(label));
  const coarse = isDaily && per < 5;
  let said = '';
  let taken = Number.NEGATIVE_INFINITY;
  for (const [index, { left, label }] of marks.entries()) {
    if (isDaily && coarse && label.slice(8) !== '01' && index > 0) continue;
    if (isDaily && !coarse && marks.length > 16 && weekdayOf(label) !== 0 && index > 0) continue;
    const at = left * room;
    const text = isDaily ? dayLabel(label, said, coarse) : otherLabel(label, said);
    const isLong = text.length > 3;
    if (at < taken || (isLong && at > room - 40)) continue;
    ticks.push({ left, label: text, major: isLong });
    taken = at + (isLong ? labelPx : shortPx);
    said = label;
  }
  return ticks;
}

/** `Sep 28`, then `12`: the month only where it is another one. */
function dayLabel(label: string, before: string, coarse: boolean): string {
  const month = monthName(label);
  if (coarse) return label.slice(0, 4) === before.slice(0, 4) ? month : `${month} ${label.slice(0, 4)}`;
  return label.slice(0, 7) === before.slice(0, 7)
    ? String(Number(label.slice(8)))
    : `${month} ${Number(label.slice(8))}`;
}

/** The day is said once for its hours; the year is in every cell's tooltip. */
function otherLabel(label: string, before: string): string {
  const short = label.split(' – ')[0] ?? label;
  if (/^\d{4}-\d\d-\d\d /.test(short))
    return short.slice(0, 10) === before.slice(0, 10) ? short.slice(11, 16) : short.slice(5, 16);
  return short.slice(0, 4) === before.slice(0, 4) ? short.slice(5) : short;
}
