import type { CalendarCellView, CalendarView } from '../../../src/protocol/assistant-state.ts';
import type { PageMemory } from '../../page-memory.ts';

/** The part of a calendar that there is room for, newest at its end. */
export interface CalendarPage {
  readonly cells: readonly CalendarCellView[];
  /** All of them, also those that are not shown. */
  readonly all: readonly CalendarCellView[];
  /** Steps of the layout (months, days, intervals) that are shown, and how many there are. */
  readonly steps: number;
  readonly of: number;
  isIn(cell: CalendarCellView): boolean;
}

/** Pixels of a day, and of a month with its five and a quarter weeks. */
export const cellPx = 15;
const monthPx = 5.25 * cellPx + 10;
const stripPx = 38;
const hourRowsShown = 7;

export function calendarPage({ cells, layout }: CalendarView, { width, back, drag }: PageMemory): CalendarPage {
  const wide = width > 700;
  const room = width - (wide ? 40 + 24 + 330 : 28) - 34;
  const groups = groupBy(cells, layout === 'days' ? monthOf : layout === 'hours' ? dayOf : ({ from }) => from);
  const fit =
    layout === 'hours'
      ? hourRowsShown
      : Math.max(layout === 'days' ? 2 : 5, Math.min(14, Math.floor(room / (layout === 'days' ? monthPx : stripPx))));
  const steps = Math.min(fit, groups.length);
  const end = Math.max(steps, groups.length - back);
  const drawn = drag === undefined ? undefined : rangeOf(cells, drag);
  return {
    cells: groups.slice(end - steps, end).flat(),
    all: cells,
    steps,
    of: groups.length,
    isIn: (cell) => (drawn === undefined ? cell.inRange : drawn.has(cell.from)),
  };
}

/** Cells from one to another, whichever comes first. */
export function between(cells: readonly CalendarCellView[], a: string, b: string): readonly CalendarCellView[] {
  const [first, second] = [cells.findIndex(({ from }) => from === a), cells.findIndex(({ from }) => from === b)];
  if (first < 0 || second < 0) return [];
  return cells.slice(Math.min(first, second), Math.max(first, second) + 1).filter(({ open }) => !open);
}

const rangeOf = (
  cells: readonly CalendarCellView[],
  { from, to }: { readonly from: string; readonly to: string },
): Set<string> => new Set(between(cells, from, to).map((cell) => cell.from));

export const monthOf = ({ from }: CalendarCellView): string => from.slice(0, 7);
export const dayOf = ({ from }: CalendarCellView): string => from.slice(0, 10);

export function groupBy(
  cells: readonly CalendarCellView[],
  keyOf: (cell: CalendarCellView) => string,
): readonly (readonly CalendarCellView[])[] {
  const groups = new Map<string, CalendarCellView[]>();
  for (const cell of cells) {
    const group = groups.get(keyOf(cell));
    if (group === undefined) groups.set(keyOf(cell), [cell]);
    else group.push(cell);
  }
  return [...groups.values()];
}
