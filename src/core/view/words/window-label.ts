import type { ReadWindow } from '../../lineage/facts/facts.ts';
import { windowRange } from '../../lineage/facts/window-range.ts';
import { windowInWords } from '../../lineage/facts/window-words.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import { formatInterval } from '../../time/intervals/format-interval.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** A read window in words, and what it is for an interval: `day in [start - 6 days, end), here 2026-11-22 to 2026-11-28`. */
export function windowLabel(window: ReadWindow, interval: DataInterval | undefined, zone: ZoneName): string {
  const words = windowInWords(window);
  if (window.kind !== 'range') return words;
  const named = window.column === '' ? words : `${window.column} in ${words}`;
  if (interval === undefined || window.lo.length === 0 || window.hi.length === 0) return named;
  const { from, to } = windowRange(window, interval);
  return `${named}, here ${formatInterval({ start: from, end: to }, zone)}`;
}
