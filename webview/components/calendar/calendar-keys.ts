import type { CalendarCellView } from '../../../src/protocol/assistant-state.ts';
import { isFixed, type PageContext } from '../../views/page-context.ts';
import { between, type CalendarPage } from './calendar-page.ts';

/** What pointer, wheel and keys do in the calendar. */
export interface CalendarKeys {
  press(event: PointerEvent): void;
  draw(event: PointerEvent): void;
  release(event: PointerEvent): void;
  key(event: KeyboardEvent): void;
  wheel(event: WheelEvent): void;
}

/** Cells that an arrow moves by. */
const steps: Readonly<Record<'days' | 'hours' | 'strip', Readonly<Record<string, number>>>> = {
  days: { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7 },
  hours: { ArrowUp: -24, ArrowDown: 24, ArrowLeft: -1, ArrowRight: 1 },
  strip: { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 },
};

export function calendarKeys(context: PageContext, page: CalendarPage): CalendarKeys {
  const { memory, remember, ask, state } = context;
  const fromOf = (event: Event): string | undefined => {
    const cell = (event.target as HTMLElement | null)?.closest?.<HTMLElement>('.d[data-from]');
    return cell?.getAttribute('aria-disabled') === 'true' ? undefined : cell?.dataset.from;
  };
  const choose = (a: string, b: string): void => {
    const cells = between(page.all, a, b);
    const [first, last] = [cells[0], cells.at(-1)];
    if (first !== undefined && last !== undefined) ask({ type: 'set-range', from: first.from, to: last.to });
  };
  const firstChosen = (): string | undefined => page.all.find(({ inRange }) => inRange)?.from;
  /** Where the selection was begun here; dates that were typed since begin where they begin. */
  const anchor = (): string | undefined =>
    page.all.find(({ from, inRange }) => inRange && from === memory.anchor)?.from ?? firstChosen();
  const scroll = (by: number): void => {
    const back = Math.max(0, Math.min(page.of - page.steps, memory.back + by));
    if (memory.back + by > page.of - page.steps) older(context);
    if (back !== memory.back) remember({ back });
  };
  const focus = (cell: CalendarCellView): void => {
    remember({ day: cell.from });
    const shown = (): HTMLElement | null => document.querySelector<HTMLElement>(`.d[data-from="${cell.from}"]`);
    // At once, so that the next key goes on from there however soon it comes; what is not drawn yet takes it when it is.
    if (shown() === null) requestAnimationFrame(() => shown()?.focus());
    else shown()?.focus();
  };

  return {
    press(event) {
      const at = fromOf(event);
      if (at === undefined || event.button !== 0) return;
      const start = event.shiftKey ? (firstChosen() ?? at) : at;
      remember({ drag: { from: start, to: at }, day: at, anchor: start });
    },
    draw(event) {
      const at = fromOf(event);
      if (at === undefined || memory.drag === undefined || (event.buttons & 1) === 0) return;
      if (at !== memory.drag.to) remember({ drag: { ...memory.drag, to: at } });
    },
    release() {
      if (memory.drag === undefined) return;
      choose(memory.drag.from, memory.drag.to);
    },
    key(event) {
      // Such a key is one of the page or of the editor: Ctrl+Enter begins what is chosen, and chooses nothing else.
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const at = (event.target as HTMLElement).dataset.from;
      const layout = state.calendar?.layout ?? 'days';
      const index = page.all.findIndex(({ from }) => from === at);
      if (at === undefined || index < 0) return;
      const to = target(event.key, index, layout, page.all);
      if (event.key === ' ' || event.key === 'Enter') {
        event.preventDefault();
        if (isFixed(state)) return;
        remember({ anchor: at });
        choose(at, at);
        return;
      }
      if (to === undefined) return;
      event.preventDefault();
      const cell = page.all[Math.max(0, Math.min(page.all.length - 1, to))];
      if (cell === undefined) return;
      if (to < 0) older(context);
      if (!page.cells.includes(cell)) scroll(to < index ? 1 : -1);
      focus(cell);
      if (event.shiftKey && !isFixed(state)) choose(anchor() ?? at, cell.from);
    },
    wheel(event) {
      const by = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.shiftKey ? event.deltaY : 0;
      if (by === 0) return;
      event.preventDefault();
      scroll(by < 0 ? 1 : -1);
    },
  };
}

function older({ state, ask }: PageContext): void {
  const { calendar } = state;
  const first = calendar?.cells[0];
  if (calendar?.more === true && first !== undefined)
    ask({ type: 'set-calendar', task: calendar.task, before: first.from });
}

function target(
  key: string,
  index: number,
  layout: 'days' | 'hours' | 'strip',
  cells: readonly CalendarCellView[],
): number | undefined {
  const step = steps[layout][key];
  if (step !== undefined) return index + step;
  const month = (at: number): string | undefined => cells[at]?.from.slice(0, 7);
  if (key === 'Home') return cells.findIndex((_, at) => month(at) === month(index));
  if (key === 'End') return cells.findLastIndex((_, at) => month(at) === month(index));
  if (layout === 'days' && (key === 'PageUp' || key === 'PageDown'))
    return sameDay(index, key === 'PageUp' ? -1 : 1, cells);
  const page = layout === 'hours' ? 24 * 7 : 12;
  if (key === 'PageUp') return index - page;
  if (key === 'PageDown') return index + page;
  return undefined;
}

/** The same day of the month before or after, or the last of it that there is; beyond the calendar a step of four weeks. */
function sameDay(index: number, by: -1 | 1, cells: readonly CalendarCellView[]): number {
  const from = cells[index]?.from ?? '';
  const month = Number(from.slice(0, 4)) * 12 + Number(from.slice(5, 7)) - 1 + by;
  const wanted = `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
  const found = cells.findLastIndex(
    (cell) => cell.from.startsWith(wanted) && cell.from.slice(8, 10) <= from.slice(8, 10),
  );
  return found < 0 ? index + by * 28 : found;
}
