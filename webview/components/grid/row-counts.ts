import { html, nothing, type TemplateResult } from 'lit';
import type { UnitState } from '../../../src/core/ledger/ledger-store.ts';
import { formatCount } from '../format.ts';
import { stateGlyph } from '../glyph.ts';
import { byWeight, type StateWords } from '../state-word.ts';

type Counts = ReadonlyMap<UnitState | 'planned', number>;

const shown: readonly (UnitState | 'planned')[] = [
  'changed',
  'held',
  'failed',
  'unknown',
  'blocked',
  'unchanged',
  'done',
  'skipped',
];

/** What became of a row's slices in figures, three of them at most. */
export function rowCounts(counts: Counts, words: StateWords, total: number): TemplateResult {
  const present = shown.filter((state) => counts.has(state)).slice(0, 3);
  if (present.length === 0) return html`<span class="quiet">${total === 0 ? '' : formatCount(total)}</span>`;
  return html`${present.map((state) => {
    const count = formatCount(counts.get(state) ?? 0);
    return html`<span class="n ${state}" title="${count} ${words[state]}"><b>${count}</b>${stateGlyph(state)}</span>`;
  })}`;
}

/** The worst state of a row. */
export function rowLamp(counts: Counts, isUndo: boolean): TemplateResult | typeof nothing {
  const worst = byWeight.find((state) => counts.has(state));
  if (worst === undefined) return nothing;
  const looks = isUndo && worst === 'planned' ? 'changed' : worst;
  return html`<span class="lamp ${looks}">${stateGlyph(worst, isUndo)}</span>`;
}
