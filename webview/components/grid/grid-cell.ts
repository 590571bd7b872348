import { html, nothing, type TemplateResult } from 'lit';
import type { UnitState } from '../../../src/core/ledger/ledger-store.ts';
import type { PlanView, UnitFigures, UnitView } from '../../../src/protocol/assistant-state.ts';
import { formatCount, plural, withWeekday } from '../format.ts';
import { stateGlyph } from '../glyph.ts';
import { byWeight, type StateWords } from '../state-word.ts';
import { percent, styled } from '../styled.ts';
import type { TimeAxis } from './time-axis.ts';

export interface CellContext {
  readonly plan: PlanView;
  readonly axis: TimeAxis;
  readonly words: StateWords;
  readonly isUndo: boolean;
  readonly selected: number | undefined;
  readonly focusable: number | undefined;
  stateOf(index: number): UnitState | 'planned';
  rowsOf(index: number): UnitFigures | undefined;
  open(index: number): void;
  zoom(from: number, to: number): void;
}

/** One slice: its state as colour and sign, the share of its rows that changed as the height of its foot. */
export function gridCell(context: CellContext, name: string, index: number): TemplateResult | typeof nothing {
  const { plan, axis, words, isUndo, selected, focusable } = context;
  const unit = plan.units[index];
  if (unit === undefined || !axis.isShown(unit)) return nothing;
  const state = context.stateOf(index);
  const { left, width } = axis.place(unit);
  const looks = isUndo && state === 'planned' ? 'changed' : state;
  const share = context.rowsOf(index)?.share;
  const foot = looks === 'changed' && share !== undefined ? share : undefined;
  const scale = axis.density === 'plain' ? 12 + 88 * (foot ?? 0) : 8 + 34 * (foot ?? 0);
  const sign = axis.density === 'glyph' || axis.density === 'small' || state === 'held' || state === 'failed';
  const said = `${unit.task}, ${unit.label}: ${words[state]}${rowsInWords(context.rowsOf(index), state)}${unit.widened ? '; reached by a window' : ''}`;
  return html`<button
    class="c mark ${looks} ${unit.widened ? 'wide' : ''}"
    role="gridcell"
    data-index=${index}
    tabindex=${index === focusable ? 0 : -1}
    aria-selected=${index === selected}
    aria-label=${said}
    title="${name} · ${withWeekday(unit.label)} · ${words[state]}${rowsInWords(context.rowsOf(index), state)}${unit.widened ? ' · reached by a window' : ''}"
    ${styled({ left: percent(left), width: percent(width) })}
    @click=${() => context.open(index)}
  ><i>${foot === undefined ? nothing : html`<u ${styled({ height: `${Math.round(scale)}%` })}></u>`}${sign ? stateGlyph(state, isUndo) : nothing}</i></button>`;
}

function rowsInWords(rows: UnitFigures | undefined, state: UnitState | 'planned'): string {
  if (rows === undefined || state !== 'changed') return '';
  const differing = (rows.added ?? 0) + (rows.removed ?? 0) + (rows.changed ?? 0);
  return differing === 0 ? '' : `, ${plural(differing, 'row')}`;
}

/**
 * Too many for a cell each: a column stands for a number of intervals. Its fill is the share of slices that changed, its
 * sign the worst state in it; a press zooms in.
 */
export function gridBuckets(context: CellContext, indexes: readonly number[]): readonly TemplateResult[] {
  const { plan, axis, words } = context;
  const groups = new Map<number, { unit: UnitView; index: number }[]>();
  for (const index of indexes) {
    const unit = plan.units[index];
    if (unit === undefined || !axis.isShown(unit)) continue;
    const group = Math.max(0, Math.floor((Date.parse(unit.start) - axis.from) / axis.bucket.ms));
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [{ unit, index }]);
    else known.push({ unit, index });
  }
  const whole = Math.max(axis.to - axis.from, 1);
  return [...groups].map(([group, members]) => {
    const counts = new Map<UnitState | 'planned', number>();
    for (const { index } of members) counts.set(context.stateOf(index), (counts.get(context.stateOf(index)) ?? 0) + 1);
    const worst = byWeight.find((state) => counts.has(state)) ?? 'planned';
    const share = (counts.get('changed') ?? 0) / members.length;
    const from = axis.from + group * axis.bucket.ms;
    const to = Math.min(axis.to, from + axis.bucket.ms);
    const first = members[0]?.unit.label ?? '';
    const said = [...counts].map(([state, count]) => `${formatCount(count)} ${words[state]}`).join(', ');
    const text = `${first}${members.length === 1 ? '' : ` and ${formatCount(members.length - 1)} more`}: ${said}`;
    const sign = worst === 'failed' || worst === 'held' || worst === 'running' || worst === 'unknown';
    return html`<button
      class="c mark ${worst}"
      role="gridcell"
      data-index=${members[0]?.index ?? 0}
      tabindex=${members.some(({ index }) => index === context.focusable) ? 0 : -1}
      aria-selected=${members.some(({ index }) => index === context.selected)}
      aria-label=${text}
      title="${text} · press to zoom in"
      ${styled({ left: percent((from - axis.from) / whole), width: percent((to - from) / whole) })}
      @click=${() => context.zoom(from - axis.bucket.ms, to + axis.bucket.ms)}
    ><i>${share === 0 ? nothing : html`<u ${styled({ height: `${Math.round(share * 100)}%` })}></u>`}${sign ? stateGlyph(worst) : nothing}</i></button>`;
  });
}
