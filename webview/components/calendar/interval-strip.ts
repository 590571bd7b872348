import { html, type TemplateResult } from 'lit';
import { monthName } from '../format.ts';
import type { CalendarPage } from './calendar-page.ts';
import type { DrawCell } from './draw-cell.ts';

/** Weeks, months, years and whatever has no layout of its own: one strip. */
export function intervalStrip(page: CalendarPage, draw: DrawCell): TemplateResult {
  const { cells } = page;
  let year = '';
  return html`<div class="strip" role="presentation">
    ${cells.map((cell, index) => {
      const [before, after] = [cells[index - 1], cells[index + 1]];
      const edges = `et eb ${before !== undefined && page.isIn(before) ? '' : 'el'} ${after !== undefined && page.isIn(after) ? '' : 'er'}`;
      const isNew = cell.from.slice(0, 4) !== year;
      year = cell.from.slice(0, 4);
      return html`<div class="mo" role="presentation"><span aria-hidden="true">${headOf(cell.from, cell.label)}</span>${draw(cell, edges)}<small aria-hidden="true">${isNew ? year : ''}</small></div>`;
    })}
  </div>`;
}

/** `Oct` for a month, `10-05` for a week, `05:15` for a part of an hour. */
function headOf(from: string, label: string): string {
  if (/^\d{4}-\d\d$/.test(label)) return monthName(label);
  return from.length === 10 ? from.slice(5) : from.slice(11, 16);
}
