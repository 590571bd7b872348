import { html, nothing, type TemplateResult } from 'lit';
import type { UnitState } from '../../src/core/ledger/ledger-store.ts';
import type { PlanRow, PlanView } from '../../src/protocol/assistant-state.ts';
import { formatCount } from '../components/format.ts';
import { type CellContext, gridBuckets, gridCell } from '../components/grid/grid-cell.ts';
import { moveInGrid } from '../components/grid/grid-keys.ts';
import { legend } from '../components/grid/legend.ts';
import { rowCounts, rowLamp } from '../components/grid/row-counts.ts';
import { timeAxis } from '../components/grid/time-axis.ts';
import { stateWords } from '../components/state-word.ts';
import { percent, styled } from '../components/styled.ts';
import { chart } from './chart-view.ts';
import type { PageContext } from './page-context.ts';

/** Tasks × intervals on one time line, and below them, on the same line, what changed. */
export function slicesView(context: PageContext, plan: PlanView): TemplateResult {
  const { state, memory, ask, remember } = context;
  const isUndo = plan.purpose.kind === 'undo';
  const words = stateWords(state.run?.mode, isUndo);
  const axis = timeAxis(plan, memory);
  const stateOf = (index: number): UnitState | 'planned' => state.marks?.states[index] ?? 'planned';
  const cells: CellContext = {
    plan,
    axis,
    words,
    isUndo,
    selected: state.selected?.index,
    focusable: memory.unit ?? state.selected?.index ?? plan.rows.find(({ units }) => units.length > 0)?.units[0],
    stateOf,
    rowsOf: (index) => state.marks?.rows[index],
    open: (index) => {
      remember({ unit: index });
      ask({ type: 'select-unit', index });
    },
    zoom: (from, to) => remember({ zoom: { from, to } }),
  };
  const most = axis.density === 'glyph' || axis.density === 'small' ? `${Math.max(axis.finest * 34, 280)}px` : 'none';
  const wide = plan.units.some(({ widened }) => widened);
  return html`
    <section aria-label="Slices">
      <div class="head">
        <h2>Slices</h2>
        ${legend(state.marks?.states ?? (plan.units.length === 0 ? [] : ['planned']), words, isUndo, wide)}
        ${
          memory.zoom !== undefined
            ? html`<button class="link far" @click=${() => remember({ zoom: undefined })}>Whole range</button>`
            : axis.density === 'bucket'
              ? html`<span class="quiet far">one column is ${axis.bucket.intervals} intervals; press one to zoom in</span>`
              : nothing
        }
      </div>
      <div class="grid ${axis.density}" ${styled({ '--least': `${Math.min(200, axis.finest * 14)}px`, '--most': most })}>
        <div role="grid" aria-label="Tasks by intervals" aria-rowcount=${plan.rows.length}
          @keydown=${(event: KeyboardEvent) =>
            moveInGrid(
              event,
              (index) => remember({ unit: index }),
              (row) => row.dataset.task !== undefined && ask({ type: 'select-task', task: row.dataset.task }),
            )}>
          <div class="row axis" aria-hidden="true">
            <div></div>
            <div class="track">${axis.ticks.map((tick) => html`<span class=${tick.major ? 'major' : ''} ${styled({ left: percent(tick.left) })}>${tick.label}</span>`)}</div>
            <div></div>
          </div>
          ${plan.rows.map((row, index) => html`${groupHead(plan.rows, index)}${rowOf(context, cells, row)}`)}
        </div>
        ${chart(context, plan, axis)}
      </div>
    </section>
  `;
}

function groupHead(rows: readonly PlanRow[], index: number): TemplateResult | typeof nothing {
  const dag = rows[index]?.dag ?? '';
  if (dag === '' || rows[index - 1]?.dag === dag) return nothing;
  return html`<div class="row group" role="presentation"><div>${dag}</div><div></div><div></div></div>`;
}

function rowOf(context: PageContext, cells: CellContext, row: PlanRow): TemplateResult {
  const { state, ask } = context;
  const counts = new Map<UnitState | 'planned', number>();
  for (const index of row.units) counts.set(cells.stateOf(index), (counts.get(cells.stateOf(index)) ?? 0) + 1);
  const out = row.left !== undefined;
  return html`
    <div class="row ${state.calendar?.task === row.task ? 'on' : ''} ${out ? 'out' : ''}" role="row" data-task=${row.task}>
      <div role="rowheader">
        <span class="tick">${lead(context, cells, row, counts)}</span>
        <button class="name" title=${row.task} @click=${() => ask({ type: 'select-task', task: row.task })}>${row.name}</button>
        ${row.engine === undefined ? nothing : html`<span class="badge" title=${row.engine.note}>${row.engine.name}</span>`}
      </div>
      <div class="track" role="presentation">
        ${
          out
            ? html`<span class="quiet left-out" role="gridcell">${row.left}</span>`
            : cells.axis.density === 'bucket'
              ? gridBuckets(cells, row.units)
              : row.units.map((index) => gridCell(cells, row.name, index))
        }
      </div>
      <div class="count">${out ? nothing : rowCounts(counts, cells.words, row.units.length)}</div>
    </div>
  `;
}

/** Before anything is done a check box leaves a task out; then its worst state stands here. */
function lead(
  { state, ask }: PageContext,
  cells: CellContext,
  row: PlanRow,
  counts: ReadonlyMap<UnitState | 'planned', number>,
): TemplateResult | typeof nothing {
  if (state.marks !== undefined || state.plan?.purpose.kind !== 'run') {
    return row.left === undefined ? rowLamp(counts, cells.isUndo) : nothing;
  }
  if (row.task === state.task) return html`<span class="own" title="The task that you selected">●</span>`;
  return html`<input type="checkbox" .checked=${row.left === undefined} ?disabled=${state.status.live}
    aria-label="Include ${row.task} (${formatCount(row.units.length)})"
    @change=${(event: Event) => ask({ type: 'include-task', task: row.task, included: (event.target as HTMLInputElement).checked })} />`;
}
