import type { WriteFact } from '../../lineage/facts/facts.ts';
import { cutInWords } from '../../lineage/facts/slice-cut.ts';
import { sliceInWords } from '../../lineage/facts/window-words.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import { formatInterval } from '../../time/intervals/format-interval.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { HintView } from './document-view.ts';

/** `→ mart.sales_daily · day 2026-11-28` at the end of the line in which each write's head ends. */
export function sliceHints(
  writes: readonly WriteFact[],
  file: string,
  text: string,
  interval: DataInterval | undefined,
  zone: ZoneName,
): readonly HintView[] {
  return writes.flatMap((write) =>
    write.at?.file !== file
      ? []
      : [
          {
            offset: lineEnd(text, write.at.end),
            label: `→ ${write.table} · ${sliceLabel(write, interval, zone)}`,
            tooltip: `${write.mode}; slice ${sliceInWords(write.slice)}`,
            kind: 'slice' as const,
          },
        ],
  );
}

/** The rows that one interval owns: `day 2026-11-28`, `whole table`, `table of 2026-11-28`, `slice unknown`. */
export function sliceLabel({ slice }: WriteFact, interval: DataInterval | undefined, zone: ZoneName): string {
  if (slice.kind === 'whole-table') return 'whole table';
  if (slice.kind === 'unknown') return 'slice unknown';
  const by = slice.kind === 'own-table' ? 'table of' : cutInWords(slice);
  if (interval === undefined) return slice.kind === 'own-table' ? 'a table for each interval' : `by ${by}`;
  const start = exactTime(slice.lo, interval);
  const end = exactTime(slice.hi, interval);
  return `${by} ${formatInterval({ start, end }, zone)}`;
}

function lineEnd(text: string, from: number): number {
  const found = /[\r\n]/.exec(text.slice(from));
  return found === null ? text.length : from + found.index;
}
