import { html, nothing, type TemplateResult } from 'lit';
import type { UnitState } from '../../src/core/ledger/ledger-store.ts';
import type { PlanView } from '../../src/protocol/assistant-state.ts';
import { placed } from './placed.ts';
import type { StateWords } from './state-word.ts';
import { timeAxis } from './time-axis.ts';

export interface UnitGridProps {
  readonly plan: PlanView;
  /** Parallel to the plan's units; `undefined` before a run. */
  readonly states: readonly UnitState[] | undefined;
  readonly words: StateWords;
  readonly selected: number | undefined;
  select(index: number): void;
}

/** Tasks × intervals on one time line. One tab stop; arrow keys move within a row and between rows. */
export function unitGrid({ plan, states, words, selected, select }: UnitGridProps): TemplateResult {
  const axis = timeAxis(plan.units, plan.rows);
  const focusable = selected ?? plan.rows[0]?.units[0];
  return html`
    <div class="grid" role="grid" aria-label="Units of the plan" @keydown=${moveFocus}>
      <div class="grid-row grid-ticks" aria-hidden="true">
        <span class="grid-name"></span>
        <div class="grid-line" data-cells=${axis.finest}>
          ${axis.ticks.map((tick) => html`<span class="tick" ${placed(tick.left, 0)}>${tick.label}</span>`)}
        </div>
      </div>
      ${plan.rows.map(
        (row) => html`
          <div class="grid-row" role="row">
            <span class="grid-name" role="rowheader" title=${row.task}><bdi>${row.task}</bdi></span>
            <div class="grid-line">
              ${row.units.map((index) => {
                const unit = plan.units[index];
                if (unit === undefined) return nothing;
                const { left, width } = axis.place(unit);
                const state = states?.[index];
                const word = state === undefined ? unit.reason : words[state];
                return html`<button
                  class="cell ${state ?? 'planned'} ${unit.widened ? 'widened' : ''}"
                  role="gridcell"
                  tabindex=${index === focusable ? 0 : -1}
                  aria-label="${unit.task}, ${unit.label}: ${word}"
                  aria-selected=${index === selected}
                  title="${unit.label} · ${word}${unit.widened ? ' · added by a downstream window' : ''}"
                  ${placed(left, width)}
                  @click=${() => select(index)}
                ></button>`;
              })}
            </div>
          </div>
        `,
      )}
    </div>
  `;
}

function moveFocus(event: KeyboardEvent): void {
  const cell = event.target as HTMLElement;
  if (!cell.classList.contains('cell')) return;
  const row = cell.closest('.grid-row');
  const next = neighbour(event.key, cell, row);
  if (next === undefined) return;
  event.preventDefault();
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function neighbour(key: string, cell: HTMLElement, row: Element | null): HTMLElement | undefined {
  const cells = (of: Element | null | undefined): HTMLElement[] => [
    ...(of?.querySelectorAll<HTMLElement>('.cell') ?? []),
  ];
  const inRow = cells(row);
  if (key === 'ArrowLeft') return inRow[inRow.indexOf(cell) - 1];
  if (key === 'ArrowRight') return inRow[inRow.indexOf(cell) + 1];
  if (key === 'Home') return inRow[0];
  if (key === 'End') return inRow.at(-1);
  const other =
    key === 'ArrowUp' ? row?.previousElementSibling : key === 'ArrowDown' ? row?.nextElementSibling : undefined;
  const middle = (of: HTMLElement): number => of.offsetLeft + of.offsetWidth / 2;
  return cells(other).reduce<HTMLElement | undefined>(
    (best, candidate) =>
      best === undefined || Math.abs(middle(candidate) - middle(cell)) < Math.abs(middle(best) - middle(cell))
        ? candidate
        : best,
    undefined,
  );
}
