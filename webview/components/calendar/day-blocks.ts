import { html, type TemplateResult } from 'lit';
import type { CalendarCellView } from '../../../src/protocol/assistant-state.ts';
import { monthName, weekdayOf } from '../format.ts';
import { styled } from '../styled.ts';
import { type CalendarPage, groupBy, monthOf } from './calendar-page.ts';
import type { DrawCell } from './draw-cell.ts';

/** Weeks as columns, months as blocks, Monday first. */
export function dayBlocks(page: CalendarPage, draw: DrawCell): TemplateResult {
  return html`
    <div class="days" aria-hidden="true"><span>Mon</span><span></span><span>Wed</span><span></span><span>Fri</span><span></span><span>Sun</span></div>
    ${groupBy(page.cells, monthOf).map((cells) => month(cells, page, draw))}
  `;
}

function month(cells: readonly CalendarCellView[], page: CalendarPage, draw: DrawCell): TemplateResult {
  const date = cells[0]?.from ?? '';
  const first = weekdayOf(`${date.slice(0, 7)}-01`);
  const days = new Map(cells.map((cell) => [dayNumber(cell), cell]));
  const same = (day: number): boolean => {
    const cell = days.get(day);
    return cell !== undefined && page.isIn(cell);
  };
  return html`
    <div class="month">
      <span aria-hidden="true">${monthName(date)}${date.slice(5, 7) === '01' ? ` ${date.slice(0, 4)}` : ''}</span>
      <div role="presentation">
        ${cells.map((cell) => {
          const day = dayNumber(cell);
          const row = (first + day - 1) % 7;
          const edges = [
            row === 0 || !same(day - 1) ? 'et' : '',
            row === 6 || !same(day + 1) ? 'eb' : '',
            same(day - 7) ? '' : 'el',
            same(day + 7) ? '' : 'er',
          ].join(' ');
          const column = Math.floor((first + day - 1) / 7) + 1;
          return html`<div role="presentation" class="slot" ${styled({ 'grid-row': String(row + 1), 'grid-column': String(column) })}>${draw(cell, edges)}</div>`;
        })}
      </div>
    </div>
  `;
}

const dayNumber = ({ from }: CalendarCellView): number => Number(from.slice(8, 10));
