import { html, type TemplateResult } from 'lit';
import type { CalendarCellView } from '../../../src/protocol/assistant-state.ts';
import { withWeekday } from '../format.ts';
import { styled } from '../styled.ts';
import { type CalendarPage, dayOf, groupBy } from './calendar-page.ts';
import type { DrawCell } from './draw-cell.ts';

/** One day a row. Its intervals stand in their order, so that a day of a clock change has 23 or 25 of them. */
export function hourRows(page: CalendarPage, draw: DrawCell): TemplateResult {
  const days = groupBy(page.cells, dayOf);
  const most = Math.max(...days.map(({ length }) => length), 24);
  const at = (row: number, column: number): boolean => {
    const cell = days[row]?.[column - offset(days[row])];
    return cell !== undefined && page.isIn(cell);
  };
  return html`
    <div class="hour-heads" aria-hidden="true"><em></em>${Array.from({ length: most }, (_, hour) => html`<em>${hour % 6 === 0 && hour < 24 ? String(hour).padStart(2, '0') : ''}</em>`)}</div>
    ${days.map(
      (cells, row) => html`
        <div class="hour-row" role="presentation">
          <span aria-hidden="true">${withWeekday(cells[0]?.from.slice(0, 10) ?? '').replace(/\d{4}-/, '')}</span>
          ${cells.map((cell, index) => {
            const column = index + offset(cells);
            const edges = [
              at(row - 1, column) ? '' : 'et',
              at(row + 1, column) ? '' : 'eb',
              at(row, column - 1) ? '' : 'el',
              at(row, column + 1) ? '' : 'er',
            ].join(' ');
            return html`<div role="presentation" class="slot" ${styled({ 'grid-column': String(column + 2) })}>${draw(cell, edges)}</div>`;
          })}
        </div>
      `,
    )}
  `;
}

/** A day whose first intervals are not there, because the task began at noon, begins at its hour. */
const offset = (cells: readonly CalendarCellView[] | undefined): number => {
  const first = cells?.[0]?.from ?? '';
  return first.length === 10
    ? 0
    : Math.floor(Number(first.slice(11, 13)) || 0) * (cells !== undefined && cells.length > 12 ? 1 : 0);
};
