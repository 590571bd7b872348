import { html, nothing, type TemplateResult } from 'lit';
import type { UnitState } from '../../../src/core/ledger/ledger-store.ts';
import { stateGlyph } from '../glyph.ts';
import { byWeight, type StateWords } from '../state-word.ts';

/** The signs and colours that stand in the grid right now, each with its word. */
export function legend(
  states: readonly (UnitState | 'planned')[],
  words: StateWords,
  isUndo: boolean,
  anyWidened: boolean,
): TemplateResult {
  const present = new Set(states);
  return html`
    <span class="legend" aria-hidden="true">
      ${byWeight
        .filter((state) => present.has(state))
        .map((state) => {
          const looks = isUndo && state === 'planned' ? 'changed' : state;
          return html`<span class="mark ${looks}"><i>${looks === 'changed' ? html`<u></u>` : nothing}${stateGlyph(state, isUndo)}</i>${words[state].replace(/, (?:inputs|not).*$/, '')}</span>`;
        })}
      ${anyWidened ? html`<span class="wide"><i></i>after the range, reached by a window</span>` : nothing}
    </span>
  `;
}
