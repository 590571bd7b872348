import { html, nothing, type TemplateResult } from 'lit';
import type { StripState } from '../../src/protocol/assistant-state.ts';
import type { PageContext } from './page-context.ts';

const words: Readonly<Record<StripState, string>> = {
  'never-run': 'never run from here',
  current: 'current',
  failed: 'failed',
  held: 'held',
  unknown: 'not known before a connection is made',
};

/** The recent intervals of the task on a strip: click picks one, shift-click picks up to there. */
export function chooseView({ state, ask }: PageContext): TemplateResult {
  const { strip } = state.choose;
  const pick = (position: number, extend: boolean): void => {
    const first = extend ? strip.findIndex(({ inRange }) => inRange) : position;
    const from = strip[Math.min(first < 0 ? position : first, position)];
    const to = strip[Math.max(first, position)];
    if (from !== undefined && to !== undefined) ask({ type: 'set-range', from: from.from, to: to.to });
  };
  return html`
    <h2 class="lead">Which intervals should run again?</h2>
    <p class="quiet">Type a range on the left, or click an interval here; shift-click extends the range. The end is not included.</p>
    <div class="strip" role="listbox" aria-multiselectable="true" aria-label="Recent intervals">
      ${strip.map(
        (interval, position) => html`<button
          class="day ${interval.state} ${interval.inRange ? 'chosen' : ''}"
          role="option"
          aria-selected=${interval.inRange}
          title="${interval.label} · ${words[interval.state]}"
          @click=${(event: MouseEvent) => pick(position, event.shiftKey)}
        >${interval.label}</button>`,
      )}
    </div>
    ${strip.length === 0 ? html`<p class="quiet">No finished interval to show.</p>` : nothing}
    <p class="next">Next: <strong>Show Plan</strong> lists every unit, why it runs, and what would block it. Nothing is written before you start it.</p>
  `;
}
