import { html, nothing, type TemplateResult } from 'lit';
import type { CalendarCellView, IntervalState } from '../../../src/protocol/assistant-state.ts';
import { isFixed, type PageContext } from '../../views/page-context.ts';
import { withWeekday } from '../format.ts';
import { glyph } from '../glyph.ts';
import { calendarKeys } from './calendar-keys.ts';
import { type CalendarPage, calendarPage } from './calendar-page.ts';
import { dayBlocks } from './day-blocks.ts';
import type { DrawCell } from './draw-cell.ts';
import { hourRows } from './hour-rows.ts';
import { intervalStrip } from './interval-strip.ts';

export const intervalWords: Readonly<Record<IntervalState | 'open', string>> = {
  never: 'never run from here',
  there: 'not made from here',
  odd: 'far from the days around it',
  missing: 'no row, although others have some',
  fresh: 'fresh',
  stale: 'stale: its code or an input changed since',
  changed: 'changed by this run',
  held: 'held',
  failed: 'failed',
  running: 'running',
  unknown: 'not known before a ledger is asked',
  open: 'not finished yet',
};

/** The intervals of the selected task: their state as colour, the selection as an outline around them. */
export function calendar(context: PageContext): TemplateResult | typeof nothing {
  const shown = context.state.calendar;
  if (shown === undefined) return nothing;
  if (shown.cells.length === 0)
    return html`<p class="quiet cal-none">This task has no interval that could be shown.</p>`;
  const page = calendarPage(shown, context.memory);
  const fixed = isFixed(context.state);
  const focusable =
    page.cells.find(({ from }) => from === context.memory.day) ?? page.cells.find(isChosen) ?? page.cells.at(-1);
  const draw: DrawCell = (cell, edges) => {
    const state = cell.open ? 'open' : cell.state;
    const said = `${withWeekday(cell.label)}, ${cell.open ? intervalWords.open : (cell.said ?? intervalWords[state])}`;
    const chosen = page.isIn(cell);
    return html`<div
      class="d ${state} ${chosen ? `in ${edges}` : ''}"
      role="option"
      data-from=${cell.from}
      tabindex=${cell === focusable ? 0 : -1}
      aria-selected=${chosen}
      aria-disabled=${cell.open}
      aria-label=${said}
      title=${said.replace(', ', ' · ')}
    ><i>${state === 'held' ? glyph('held') : state === 'failed' ? glyph('cross') : nothing}</i></div>`;
  };
  const keys = calendarKeys(context, page);
  return html`
    <div class="cal ${shown.layout}" role="listbox" aria-multiselectable="true" aria-label="Intervals of ${shown.name}"
      @pointerdown=${fixed ? nothing : keys.press} @pointerover=${fixed ? nothing : keys.draw}
      @pointerup=${fixed ? nothing : keys.release} @keydown=${keys.key} @wheel=${keys.wheel}>
      ${layouts[shown.layout](page, draw)}
    </div>
  `;
}

const isChosen = ({ inRange }: CalendarCellView): boolean => inRange;

const layouts: Readonly<Record<'days' | 'hours' | 'strip', (page: CalendarPage, draw: DrawCell) => TemplateResult>> = {
  days: dayBlocks,
  hours: hourRows,
  strip: intervalStrip,
};

/** The colours that stand in the calendar right now, each with its word. */
export function calendarLegend({ state, memory }: PageContext): TemplateResult {
  const shown = state.calendar === undefined ? [] : calendarPage(state.calendar, memory).cells;
  const present = new Set(shown.filter(({ open }) => !open).map((cell) => cell.state));
  return html`<span class="legend" aria-hidden="true">
    ${(
      ['never', 'unknown', 'there', 'odd', 'missing', 'fresh', 'stale', 'changed', 'running', 'held', 'failed'] as const
    )
      .filter((one) => present.has(one))
      .map(
        (one) =>
          html`<span class="d ${one}"><i>${one === 'held' ? glyph('held') : one === 'failed' ? glyph('cross') : nothing}</i>${short[one]}</span>`,
      )}
  </span>`;
}

const short: Readonly<Record<IntervalState, string>> = {
  never: 'never run',
  unknown: 'not known',
  there: 'has rows',
  odd: 'odd',
  missing: 'missing',
  fresh: 'fresh',
  stale: 'stale',
  changed: 'changed',
  running: 'running',
  held: 'held',
  failed: 'failed',
};
