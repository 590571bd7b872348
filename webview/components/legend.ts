import { html, type TemplateResult } from 'lit';
import type { UnitState } from '../../src/core/ledger/ledger-store.ts';
import type { StateWords } from './state-word.ts';

/** The colours that stand in the grid right now, each with its word. */
export function legend(
  states: readonly UnitState[] | undefined,
  words: StateWords,
  anyWidened: boolean,
): TemplateResult {
  const present = states === undefined ? [] : [...new Set(states)].sort();
  return html`
    <div class="legend" aria-hidden="true">
      ${present.map((state) => html`<span><i class="cell ${state}"></i>${words[state]}</span>`)}
      ${anyWidened ? html`<span><i class="cell planned widened"></i>added by a downstream window</span>` : ''}
    </div>
  `;
}
