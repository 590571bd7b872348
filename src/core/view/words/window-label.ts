import type { ReadWindow } from '../../lineage/facts/facts.ts';
import { windowRange } from '../../lineage/facts/window-range.ts';
import { windowInWords } from '../../lineage/facts/window-words.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import { daysInWords } from '../../time/intervals/days-in-words.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** A read window as dates of an interval, then in words: `day 2026-11-22 to 2026-11-28, in words [start - 6 days, end)`. */
export function windowLabel(window: ReadWindow, interval: DataInterval | undefined, zone: ZoneName): string {
  const words = windowInWords(window);
  if (window.kind !== 'range') return words;
  if (interval === undefined || window.lo.length === 0 || window.hi.length === 0)
    return window.column === '' ? words : `${window.column} in ${words}`;
  const { from, to } = windowRange(window, interval);
  const named = window.column === '' ? '' : `${window.column} `;
  return `${named}${daysInWords({ from, to }, zone)}, in words ${words}`;
}
